/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients' CBos, ARB and clock. Line number n belongs to CBo n modulo 4. */
#include "uncore.h"

#define SLICES 4u
#define LINES  17u
#define SPREAD 102u

static uint32_t hits, misses; /* addresses of the first lines of the walks */

enum { FIXED_CTRL = 0x394, FIXED_COUNTER = 0x395, ARB_COUNTER = 0x3b0, ARB_SELECT = 0x3b2 };

static uint32_t global_msr(void)
{
    return cpu.family == SKL ? 0xe01 : 0x391;
}

static void stop_client(void)
{
    wrmsr(global_msr(), 0);
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t s = 0; s < SLICES; s++) {
            wrmsr(0x700 + 16 * s + i, 0);
            wrmsr(0x706 + 16 * s + i, 0);
        }
        wrmsr(ARB_SELECT + i, 0);
        wrmsr(ARB_COUNTER + i, 0);
    }
    wrmsr(FIXED_CTRL, 0);
    wrmsr(FIXED_COUNTER, 0);
    wrmsr(global_msr() + 1, 0);
}

/* `cbo` is the select of counter 0 of all CBos. `arb` is the select of counter 0 of the ARB. */
static void run_client(uint64_t cbo, uint64_t arb, uint64_t global, uint32_t walk, code *kernel)
{
    stop_client();
    for (uint32_t s = 0; s < SLICES; s++) {
        wrmsr(0x700 + 16 * s, cbo);
    }
    wrmsr(ARB_SELECT, arb);
    wrmsr(FIXED_CTRL, BIT(22));
    kernel_argument[0] = walk;
    kernel_argument[1] = LINES;
    run_window(global_msr(), global, kernel);
}

static void expect_cbos(uint32_t walk, uint32_t log2_span, bool any, const char *name)
{
    for (uint32_t s = 0; s < SLICES; s++) {
        uint32_t want = any ? lines_with(walk, LINES, 1u << log2_span, SLICES, s) : 0;

        expect(rdmsr(0x706 + 16 * s), want, "%s: CBo %u", name, s);
    }
}

/* Each slice gets a quarter of the lines, rounded down or up. */
static void check_spread(void)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < 2; i++) { /* i = 1: the test's code and data are now cached */
        first = FIELD(28) + i * SPREAD * LINE;
        stop_client();
        for (uint32_t s = 0; s < SLICES; s++) {
            wrmsr(0x700 + 16 * s, BIT(22) | 0x8834);
        }
        kernel_argument[0] = first | 6;
        kernel_argument[1] = SPREAD;
        run_window(global_msr(), BIT(29), kernel_read_lines);
    }
    for (uint32_t s = 0; s < SLICES; s++) {
        expect(rdmsr(0x706 + 16 * s), lines_with(first, SPREAD, LINE, SLICES, s),
               "misses in a row: CBo %u", s);
    }
}

void test_uncore_client(void)
{
    const uint64_t on = BIT(29), en = BIT(22);
    uint32_t l2, llc, home; /* home: MSR offset of the CBo to which the lines of `misses` belong */

    hits = quiet_line(FIELD(12)) + 64 * LINE;
    misses = quiet_line(FIELD(20));
    l2 = hits | LOG2_L2_SPAN;
    llc = misses | LOG2_LLC_SPAN;
    home = 16 * (misses / LINE % SLICES);
    for (int i = 0; i < 4; i++) {
        walk_lines(hits, LOG2_L2_SPAN, LINES, kernel_read_lines);
        run_client(en | 0x8f34, 0, on, l2, kernel_read_lines);
    }
    run_client(en | 0x8f34, en | 0x0181, on, l2, kernel_read_lines);
    expect_cbos(hits, LOG2_L2_SPAN, true, "lookups, all states");
    expect(rdmsr(ARB_COUNTER), 0, "no request to memory");
    expect(rdmsr(FIXED_COUNTER), walk_cycles(LINES, 30), "the clock");
    run_client(en | 0x1234, 0, on, l2, kernel_read_lines);
    expect_cbos(hits, LOG2_L2_SPAN, true, "reads that found E");
    run_client(en | 0x1834, 0, on, l2, kernel_read_lines);
    expect_cbos(hits, LOG2_L2_SPAN, false, "reads that found I");
    run_client(en | 0x2f34, 0, on, l2, kernel_read_lines);
    expect_cbos(hits, LOG2_L2_SPAN, false, "writes");
    run_client(en | 0x2f34, 0, on, l2, kernel_write_lines);
    expect_cbos(hits, LOG2_L2_SPAN, true, "writes of stores");
    run_client(en | 0x1134, 0, on, l2, kernel_read_lines);
    expect_cbos(hits, LOG2_L2_SPAN, true, "reads that found M");
    run_client(0x8f34, 0, on, l2, kernel_read_lines);
    expect_cbos(hits, LOG2_L2_SPAN, false, "without EN");
    run_client(en | 0x8f34, 0, 0, l2, kernel_read_lines);
    expect_cbos(hits, LOG2_L2_SPAN, false, "not enabled as a whole");
    expect(rdmsr(FIXED_COUNTER), 0, "the clock, not enabled as a whole");
    for (int i = 0; i < 2; i++) {
        run_client(en | 0x8834, en | 0x0181, on, llc, kernel_write_lines);
    }
    expect_cbos(misses, LOG2_LLC_SPAN, true, "misses of stores");
    expect(rdmsr(ARB_COUNTER), 2 * LINES, "requests: lines read and lines written");
    run_client(0, en | 0x2081, on, llc, kernel_write_lines);
    expect(rdmsr(ARB_COUNTER), LINES, "writes to memory");
    run_client(0, en | 0x0281, on, llc, kernel_read_lines);
    expect(rdmsr(ARB_COUNTER), LINES, "reads by loads");
    run_client(0, en | 0x0180, on, llc, kernel_read_lines);
    expect(rdmsr(ARB_COUNTER), 150 * STALLING(LINES), "occupancy: loads that wait for memory");
    run_client(0, en | 0x0180 | CMASK(1), on, llc, kernel_read_lines);
    expect(rdmsr(ARB_COUNTER), 150 * STALLING(LINES), "cycles in which a load waits for memory");
    run_client(0, en | 0x0180 | EDGE, on, llc, kernel_read_lines);
    expect(rdmsr(ARB_COUNTER), STALLING(LINES), "EDGE: how often such cycles began");
    run_client(en | BIT(20) | 0x8f34, en | BIT(20) | 0x0181, on, llc, kernel_read_lines);
    expect(rdmsr(global_msr() + 1), 0, "no overflow");
    check_spread();
    stop_client();
    kernel_argument[0] = llc;
    kernel_argument[1] = LINES;
    wrmsr(0x706 + home, (1ull << 44) - 1);
    wrmsr(0x700 + home, en | 0x8f34);
    run_window(global_msr(), on, kernel_read_lines);
    expect(rdmsr(global_msr() + 1), 0, "overflow of a CBo without PMI: status");
    wrmsr(0x706 + home, (1ull << 44) - 1);
    wrmsr(0x700 + home, en | BIT(20) | 0x8f34);
    run_window(global_msr(), on, kernel_read_lines);
    expect(rdmsr(global_msr() + 1), BIT(3), "overflow of a CBo with PMI: status");
    stop_client();
    stop_all();
}
