/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixed counter 3 and PERF_METRICS. SDM vol. 3B, "Performance Metrics": the fields of PERF_METRICS
 * are fractions of the counter's slots, in 255ths. PERF_METRICS counts if bits 48 and 35 of
 * IA32_PERF_GLOBAL_CTRL and the field of fixed counter 3 in IA32_FIXED_CTR_CTRL are set. Software
 * must zero the counter before it zeroes PERF_METRICS.
 */
#include "conform.h"

extern code kernel_two_targets;

enum { RETIRING, BAD_SPECULATION, FRONTEND, BACKEND };

static void zero(void)
{
    write_counter(FIXED(3), 0);
    wrmsr(MSR_PERF_METRICS, 0);
}

static uint64_t metrics_of(code *kernel, uint64_t enables)
{
    count(0, CYCLES, kernel); /* trains the predictor and the caches */
    stop_all();
    zero();
    select_event(FIXED(3), FIXED_OS);
    run_window(IA32_PERF_GLOBAL_CTRL, enables, kernel);
    return rdmsr(MSR_PERF_METRICS);
}

static unsigned field(uint64_t metrics, unsigned index)
{
    return metrics >> 8 * index & 0xff;
}

/* Rounding up and down are accepted, because the manual does not specify how to round. */
static void expect_fraction(uint64_t metrics, unsigned index, uint32_t part, uint32_t slots,
                            const char *what, const char *name)
{
    uint32_t got = field(metrics, index);
    uint32_t floor = part * 255 / slots;
    bool good = got == floor || (part * 255 % slots && got == floor + 1);

    expect(good ? floor : got, floor, "PERF_METRICS of \"%s\": %s", name, what);
}

/*
 * A cycle has 4 slots. Retiring gets one slot for each instruction. Bad speculation gets the slots
 * of the cycles that mispredictions stall. Frontend gets all other slots. No load of these kernels
 * stalls.
 */
static void check_kernel(code *kernel, const char *name, uint32_t cycles, uint32_t instructions,
                         uint32_t stalled)
{
    uint64_t metrics = metrics_of(kernel, BIT(35) | BIT(METRICS_BIT));
    uint32_t slots = 4 * cycles;
    unsigned sum = 0;
    uint64_t read = 0;

    expect(read_counter(FIXED(3)), slots, "fixed counter 3 counts the slots of \"%s\"", name);
    expect_fraction(metrics, RETIRING, instructions, slots, "retiring", name);
    expect_fraction(metrics, BAD_SPECULATION, 4 * stalled, slots, "bad speculation", name);
    expect_fraction(metrics, BACKEND, 0, slots, "backend bound", name);
    for (unsigned i = 0; i < 4; i++) {
        sum += field(metrics, i);
    }
    expect(sum >= 254 && sum <= 256, 1, "PERF_METRICS of \"%s\" add up to all slots", name);
    expect(try_rdpmc(1u << 29, &read), 0, "RDPMC reads PERF_METRICS of \"%s\"", name);
    expect(read, metrics, "RDPMC and RDMSR agree on PERF_METRICS of \"%s\"", name);
}

void test_metrics(void)
{
    static const uint64_t saved = 0x24486a29; /* 36 + 72 + 106 + 41 = 255 */

    check_kernel(kernel_nops, "nops", 13, 46, 0);
    check_kernel(kernel_jcc, "jcc loop", 1018, 2007, 15);
    check_kernel(kernel_two_targets, "two targets", 359, 99, 315);
    expect(metrics_of(kernel_nops, BIT(35)), 0, "PERF_METRICS stands still without 38Fh[48]");
    expect(metrics_of(kernel_nops, BIT(METRICS_BIT)), 0,
           "PERF_METRICS stands still without 38Fh[35]");
    stop_all();
    zero();
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(35) | BIT(METRICS_BIT), kernel_nops);
    expect(rdmsr(MSR_PERF_METRICS), 0, "PERF_METRICS stands still without 38Dh[13:12]");
    select_event(FIXED(3), FIXED_USR);
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(35) | BIT(METRICS_BIT), kernel_nops);
    expect(rdmsr(MSR_PERF_METRICS), 0, "38Dh[13:12] = 2: nothing of ring 0 in PERF_METRICS");
    write_counter(FIXED(3), 255000);
    wrmsr(MSR_PERF_METRICS, saved);
    expect(rdmsr(MSR_PERF_METRICS), saved, "PERF_METRICS takes back what was saved");
    zero();
    expect(rdmsr(MSR_PERF_METRICS), 0, "30Ch = 0, then 329h = 0 clears PERF_METRICS");
    stop_all();
}
