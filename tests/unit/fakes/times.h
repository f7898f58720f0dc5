/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs with times that differ between CPUs and passes, and their rows in results.csv. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_TIMES_H
#define BARECOUNT_TESTS_UNIT_FAKES_TIMES_H

#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/verdicts/differs.h"

#define CORE      "CPU_CLK_UNHALTED.THREAD"
#define CORE_P    "CPU_CLK_UNHALTED.THREAD_P" /* in one pass */
#define REFERENCE "CPU_CLK_UNHALTED.REF_TSC"
#define SAMPLES   10u
#define CYCLES    (SLOPE_CYCLES * RUN_N) /* cycles of a kernel; 1 % is 20 */
#define TICKS     (SLOPE_TSC * RUN_N)    /* TSC ticks of a kernel; 1 % is 30 */

static inline void timed_by_acpi(struct run_record *run)
{
    run->tsc_hz = TSC_HZ;
    run->tsc_source = TSC_ACPI_TIMER;
}

static inline void atom(struct cpu_caps *caps)
{
    caps->core_type = CORE_TYPE_ATOM;
    caps->features |= FEATURE_HYBRID;
}

/* Cycles to be added for each CPU and for each pass. `spread` is added in odd attempts. */
static uint64_t more_of_cpu[6], more_of_pass[3], spread;

static inline void add_more(struct point *point)
{
    const struct event *event = &run_events[point->event];

    if (point->kernel == KERNEL_CALIBRATION || event->unit == UNIT_COUNT)
        return;
    if (event->unit == UNIT_CYCLES)
        point->value += more_of_cpu[point->cpu] + more_of_pass[point->pass];
    point->value += spread * (point->attempt % 2);
}

static inline void begin(void (*change)(struct run_record *run))
{
    memset(more_of_cpu, 0, sizeof(more_of_cpu));
    memset(more_of_pass, 0, sizeof(more_of_pass));
    spread = 0;
    run_begin(change, "");
    run_hook = add_more;
    run_kernel("a", EXPECT_EXACT);
    run_kernel("b", EXPECT_NOTHING);
}

static inline void one_cpu(unsigned cpu, void (*change)(struct cpu_caps *caps), unsigned samples)
{
    run_cpu(cpu, change);
    run_calibration();
    run_result_of(0, STATUS_OK, samples, RUN_TWICE);
}

static inline void expect_differs(const char *cpu, const char *event, const char *words)
{
    find(cpu, "a", event);
    expect("differs", words);
}

#endif
