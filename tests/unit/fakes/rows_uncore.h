/* SPDX-License-Identifier: BSD-2-Clause */
/* A run that counts uncore events of one kernel, and its rows. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_ROWS_UNCORE_H
#define BARECOUNT_TESTS_UNIT_FAKES_ROWS_UNCORE_H

#include "tests/unit/fakes/run_uncore.h"

#define FAST_HZ 3000000000u /* 3000 ticks are 1 us */
#define SLOW_HZ 10000u      /* 3000 ticks are 0.3 s */
#define STEP_UJ 61u
#define RAW     (SLOPE_CYCLES * RUN_N) /* the kernel's count minus the empty window's count */

enum { LOOKUPS, READ_BYTES, CLOCK, ENERGY, MORE };

static struct row row;
static uint32_t tsc_hz = FAST_HZ;
static uint32_t source = TSC_CPUID_15H;

static inline void settings(struct run_record *run)
{
    run->tsc_hz = tsc_hz;
    run->tsc_source = source;
}

static inline void begin_with(void (*change)(struct run_record *run))
{
    run_begin(change, "");
    run_kernel("exact", EXPECT_EXACT);
    run_uncore_event("llc_lookups", KIND_CHA, 0xf, UNIT_COUNT)->select = 0x1134;
    run_uncore_event("dram_read_bytes", KIND_IMC, 0xf, UNIT_BYTES)->select = 0x0304;
    run_uncore_event("uncore_clock", KIND_CLOCK, 1, UNIT_UNCORE_CYCLES);
    run_uncore_event("package_energy_uJ", KIND_ENERGY, 1, UNIT_MICROJOULES)->extra =
        (uint64_t)STEP_UJ << 32;
}

static inline void begin(void)
{
    begin_with(settings);
}

static inline void begin_at(uint32_t hz)
{
    tsc_hz = hz;
    begin();
}

static inline void measure(void)
{
    run_measure(0);
    assert_non_null(run_last);
}

static inline void measure_cpu(void)
{
    run_cpu(0, NULL);
    measure();
}

static inline void run_all(void)
{
    begin();
    measure_cpu();
}

static inline void make(unsigned more)
{
    row_make(&run_view, run_last, EVENTS_COUNT + more, &row);
}

static inline void expect(unsigned more, enum verdict verdict, const char *reason)
{
    make(more);
    if (row.verdict != verdict || strcmp(row.reason, reason) != 0)
        fail_msg("%s: %s, '%s'", run_events[EVENTS_COUNT + more].name, verdict_name(row.verdict),
                 row.reason);
}

static inline void expect_count(unsigned more, int64_t value)
{
    expect(more, VERDICT_MEASURED, "");
    assert_int_equal(row.accepted, RUN_RUNS);
    assert_int_equal(row.rejected, 0);
    assert_true(row.stats.min == value && row.stats.max == value);
    assert_true(row.stats.mean_milli == value * 1000);
    assert_int_equal(row.expect.kind, EXPECT_NOTHING);
    assert_true(row.has_slot);
    assert_int_equal(row.slot.where, SLOT_UNCORE);
}

#endif
