/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes to the settings, CPUs, events or counts of a run in fakes/run.h. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_CHANGES_H
#define BARECOUNT_TESTS_UNIT_FAKES_CHANGES_H

#include <string.h>

#include "tests/unit/fakes/run.h"

#define TSC_HZ 2100000000ull

static inline void in_parallel(struct run_record *run)
{
    run->parallel = 1;
}

/* With method=deltas, the counts exclude the window. */
static inline void differences(struct run_record *run)
{
    run->method = METHOD_DELTAS;
    memset(run->window_cost, 0, sizeof(run->window_cost));
}

/* The window executes instructions at CPL 3 only if the kernels run at CPL 3. */
static inline void at_cpl_3(struct run_record *run)
{
    run->kernel_ring = RING_USR;
    memcpy(run->window_cost[WINDOW_USR], RUN_COST_USR, sizeof(RUN_COST_USR));
}

static inline void with_a_time_stamp(struct run_record *run)
{
    run->tsc_hz = TSC_HZ;
    run->tsc_source = TSC_PLATFORM_INFO;
}

static inline void with_a_guess(struct run_record *run)
{
    run->tsc_hz = TSC_HZ;
    run->tsc_source = TSC_UNKNOWN;
}

static inline void no_pmu(struct cpu_caps *caps)
{
    caps->pmu_version = 0;
}

static inline void two_general_counters(struct cpu_caps *caps)
{
    caps->gp_count = 2;
}

static inline void no_fixed_counters(struct cpu_caps *caps)
{
    caps->fixed_map = 0;
}

static inline void no_reference(struct cpu_caps *caps)
{
    caps->fixed_map = 3;
}

static inline void reference_of_both_rings(unsigned index, struct event *event)
{
    if (index == run_event("CPU_CLK_UNHALTED.REF_TSC"))
        event->rings = RING_OS | RING_USR;
}

static inline void with_two_kernels(void)
{
    run_begin(with_a_time_stamp, "");
    run_kernel("a", EXPECT_EXACT);
    run_kernel("b", EXPECT_EXACT);
}

static inline void mute(struct point *point)
{
    point->value = 0;
}

static inline void one_more(struct point *point)
{
    point->value += 1;
}

static inline uint16_t all_of_2n_dirty(const struct point *point)
{
    return point->kind == SAMPLE_2N ? EVIDENCE_NMI : 0;
}

#endif
