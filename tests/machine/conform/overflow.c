/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overflow and its status. SDM vol. 3B, "Architectural Performance Monitoring Version 2"
 * (IA32_PERF_GLOBAL_STATUS, _OVF_CTRL), "Version 4" (STATUS_RESET, STATUS_SET, INUSE).
 */
#include "conform.h"

static uint64_t status(void)
{
    return rdmsr(IA32_PERF_GLOBAL_STATUS);
}

static uint64_t minus(uint64_t n, int bit)
{
    return (0 - n) & low_bits(counter_width(bit));
}

static void check_wrap(int bit)
{
    const char *name = counter_name(bit);
    uint64_t n = own_count(bit);

    count(bit, own_select(bit), kernel_empty);
    expect(count_from(minus(n, bit), bit, own_select(bit), kernel_empty), 0,
           "%s wraps at its N-th event from -N", name);
    expect(status(), BIT(bit), "%s: the N-th event from -N sets its overflow bit and no other",
           name);
    expect(count_from(minus(n + 1, bit), bit, own_select(bit), kernel_empty), minus(1, bit),
           "%s stands at its highest value after N events from -N-1", name);
    expect(status(), 0, "%s: N events from -N-1 do not overflow", name);
    expect(count_from(minus(1, bit), bit, own_select(bit), kernel_empty), n - 1,
           "%s counts on from 0 after it has wrapped", name);
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, 0);
    expect(status(), BIT(bit), "%s: writing 0 to 390h clears nothing", name);
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, counter_bits() & ~BIT(bit));
    expect(status(), BIT(bit), "%s: writing the other bits to 390h does not clear its bit", name);
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, BIT(bit));
    expect(status(), 0, "%s: writing its bit to 390h clears it", name);
}

static void check_sticky(void)
{
    count_from(minus(1, 0), 0, INSTRUCTIONS, kernel_empty);
    wrmsr(IA32_PMC0, 0);
    wrmsr(IA32_PERFEVTSEL0, 0);
    expect(status(), 1, "an overflow bit outlives its counter's next value and select");
    stop_all();
}

static void check_both(void)
{
    stop_all();
    write_counter(0, minus(1, 0));
    write_counter(FIXED(0), minus(1, FIXED(0)));
    select_event(0, INSTRUCTIONS);
    select_event(FIXED(0), FIXED_OS);
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(0) | BIT(FIXED(0)), kernel_empty);
    expect(status(), BIT(0) | BIT(FIXED(0)), "two counters overflow, two bits are set");
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, BIT(FIXED(0)));
    expect(status(), BIT(0), "one of two overflow bits is cleared, the other stays");
    stop_all();
}

static void check_set(void)
{
    uint64_t all = counter_bits() | BIT(LBR_FRZ_BIT) | (cpu.metrics ? BIT(METRICS_BIT) : 0);

    for (unsigned bit = 0; bit < 64; bit++) {
        if (all >> bit & 1) {
            wrmsr(IA32_PERF_GLOBAL_STATUS_SET, BIT(bit));
            expect(status(), BIT(bit), "391h[%u] sets that bit of IA32_PERF_GLOBAL_STATUS", bit);
            wrmsr(IA32_PERF_GLOBAL_STATUS_SET, 0);
            expect(status(), BIT(bit), "writing 0 to 391h clears nothing of bit %u", bit);
            wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, BIT(bit));
            expect(status(), 0, "390h[%u] clears what 391h has set", bit);
        }
    }
    wrmsr(IA32_PERF_GLOBAL_STATUS_SET, BIT(CTR_FRZ_BIT));
    expect(status(), BIT(CTR_FRZ_BIT), "391h[59] sets CTR_FRZ");
    /* count_from() is not used here, because it would clear the status. */
    write_counter(0, 0);
    select_event(0, INSTRUCTIONS);
    run_window(IA32_PERF_GLOBAL_CTRL, 1, kernel_empty);
    expect(read_counter(0), 0, "with CTR_FRZ set by 391h nothing counts");
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, BIT(CTR_FRZ_BIT));
    run_window(IA32_PERF_GLOBAL_CTRL, 1, kernel_empty);
    expect(read_counter(0), own_count(0), "390h[59] lets the counter count again");
    stop_all();
}

/*
 * INUSE shows general counters whose event number is not 0, and fixed counters that are enabled in
 * a ring. Bit 63 shows that a counter can interrupt.
 */
static void check_inuse(void)
{
    expect(rdmsr(IA32_PERF_GLOBAL_INUSE), 0, "INUSE is 0 when nothing is selected");
    for (int bit = next_counter(0); bit < 64; bit = next_counter(bit + 1)) {
        const char *name = counter_name(bit);

        select_event(bit, bit < 32 ? 1 : FIXED_USR);
        expect(rdmsr(IA32_PERF_GLOBAL_INUSE), BIT(bit), "INUSE shows %s in use", name);
        select_event(bit, bit < 32 ? INT | 0x80 : FIXED_OS | FIXED_PMI);
        expect(rdmsr(IA32_PERF_GLOBAL_INUSE), BIT(bit) | BIT(63), "INUSE shows the PMI of %s",
               name);
        select_event(bit, bit < 32 ? EN | OS | USR | 0xff00 : 0);
        expect(rdmsr(IA32_PERF_GLOBAL_INUSE), 0, "INUSE does not show %s without an event", name);
        select_event(bit, 0);
    }
}

/* A full-width write sets the counter to FFFFFFFFh; the next event carries into bit 32. */
static void check_high_bits(int bit)
{
    uint64_t high = low_bits(counter_width(bit)) - 0xffffffff;
    uint64_t n = own_count(bit);

    if (high && (bit >= 32 || cpu.full_width)) {
        expect(count_from(0xffffffff, bit, own_select(bit), kernel_empty), 0xffffffff + n,
               "%s carries from bit 31 to bit 32", counter_name(bit));
        expect(status(), 0, "%s: a carry into bit 32 is no overflow", counter_name(bit));
    }
}

void test_overflow(void)
{
    for (int bit = next_counter(0); bit < 64; bit = next_counter(bit + 1)) {
        check_wrap(bit);
        check_high_bits(bit);
    }
    check_sticky();
    check_both();
    if (cpu.version >= 4) {
        check_set();
        check_inuse();
    }
}
