/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a counter's test; pmu/counters/check.c takes them in their order. */
#ifndef BARECOUNT_PMU_COUNTERS_TRIAL_H
#define BARECOUNT_PMU_COUNTERS_TRIAL_H

#include "pmu/counters/check.h"

#define FIXED_INSTRUCTIONS 0u

/* A counter on trial. */
struct trial {
    const struct counter_port *port;
    const struct cpu_caps *caps;
    const struct pmu_layout *layout;
    bool full_width; /* IA32_A_PMCx are there */
    struct counter_tests *tests;
    struct tested_counter *counter;
    uint64_t instructions; /* that the empty window must count */
    unsigned tries;        /* for a step that is disturbed */
};

/* Of the others, cycles. */
static inline bool counts_instructions(const struct tested_counter *counter)
{
    return !counter->fixed || counter->counter == FIXED_INSTRUCTIONS;
}

/* Whether a general counter takes writes at all: two different ones do not read the same. */
bool trial_exists(const struct trial *trial, unsigned number);

/* Steps: false, with the fault in trial->counter, when the counter fails. */

/* The window at CPL 0 is counted, and always alike. */
bool trial_count_alike(struct trial *trial);

/* What it counted there is right. */
bool trial_count_right(struct trial *trial);

/* Told to count CPL 3, it counts nothing: all of the window is at CPL 0. */
bool trial_count_no_user(struct trial *trial);

/* Alternating bits, none and all, in each way in which the counter can be written. */
bool trial_keep_patterns(struct trial *trial);

/* From 2^k - 2 the window carries into bit k; from the last k on, out of the counter. */
bool trial_carry(struct trial *trial);

/*
 * An overflow sets the counter's own status bit alone, and that can be cleared (version 2 on); so
 * does a write to IA32_PERF_GLOBAL_STATUS_SET (version 4 on). To be taken after trial_carry(),
 * which overflows.
 */
bool trial_overflow(struct trial *trial);

#endif
