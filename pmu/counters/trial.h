/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the steps of a counter's test, which pmu/counters/check.c takes in this order. */
#ifndef BARECOUNT_PMU_COUNTERS_TRIAL_H
#define BARECOUNT_PMU_COUNTERS_TRIAL_H

#include "pmu/counters/check.h"
#include "pmu/cpu/msr.h"

/* A counter under test. */
struct trial {
    const struct counter_port *port;
    const struct cpu_caps *caps;
    const struct pmu_layout *layout;
    bool full_width; /* IA32_A_PMCx exist */
    struct counter_tests *tests;
    struct tested_counter *counter;
    uint64_t instructions; /* the declared count of the empty window */
    unsigned tries;        /* attempts for a step that is disturbed */
};

/* Whether a counter counts instructions; the others count cycles. */
static inline bool counts_instructions(const struct tested_counter *counter)
{
    return !counter->fixed || counter->counter == FIXED_INSTRUCTIONS;
}

/* Whether a general counter takes writes: two different values must not read the same. */
bool trial_exists(const struct trial *trial, unsigned number);

/* Each step returns false, with the fault in trial->counter, when the counter fails. */

/* Counts the same in every window at CPL 0; cycles may vary. */
bool trial_count_alike(struct trial *trial);

/* Counted the right number in trial_count_alike(). */
bool trial_count_right(struct trial *trial);

/* Counts nothing when configured for CPL 3, as the whole window is at CPL 0. */
bool trial_count_no_user(struct trial *trial);

/* Holds zeros, ones and alternating bits, in each way in which it can be written. */
bool trial_keep_patterns(struct trial *trial);

/* Preset to 2^k - 2, carries into bit k during the window; with the last k, it overflows. */
bool trial_carry(struct trial *trial);

/*
 * On overflow, sets only its own status bit, which can be cleared (version 2 on); a write to
 * IA32_PERF_GLOBAL_STATUS_SET sets the same bit (version 4 on). Must follow trial_carry(), which
 * overflows.
 */
bool trial_overflow(struct trial *trial);

#endif
