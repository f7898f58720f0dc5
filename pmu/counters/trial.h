/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the steps of a counter's test, which pmu/counters/check.c runs in this order. */
#ifndef BARECOUNT_PMU_COUNTERS_TRIAL_H
#define BARECOUNT_PMU_COUNTERS_TRIAL_H

#include "pmu/counters/check.h"
#include "pmu/cpu/msr.h"

#define SELECT_INSTRUCTIONS 0xc0u /* INST_RETIRED.ANY_P, and AMD's retired instructions */

/* A counter under test. */
struct trial {
    const struct counter_port *port;
    const struct cpu_caps *caps;
    const struct pmu_layout *layout;
    bool full_width; /* IA32_A_PMCx exist */
    struct counter_tests *tests;
    struct tested_counter *counter;
    uint64_t instructions; /* the declared count of the empty window */
    bool overcounts;       /* a count of instructions may occasionally be too high */
    unsigned tries;        /* the most attempts for a step that is disturbed */
};

/* Whether a counter counts instructions in the test. If not, it counts cycles or slots. */
static inline bool counts_instructions(const struct tested_counter *counter)
{
    return !counter->fixed || counter->counter == FIXED_INSTRUCTIONS;
}

/*
 * Whether a counter must count something in every kernel. The fixed counters of top-down analysis
 * may count nothing, so they are only tested for keeping the values that are written to them.
 */
static inline bool counts_always(const struct tested_counter *counter)
{
    return !counter->fixed || counter->counter <= FIXED_SLOTS;
}

/*
 * Whether a general counter can be written: after different values are written, its readings must
 * differ.
 */
bool trial_exists(const struct trial *trial, unsigned number);

/*
 * The comment of each step below says what the counter must do. If the counter fails the step, the
 * step stores the fault in trial->counter and returns false.
 */

/*
 * At CPL 0, the counter counts the same number of instructions in every window or, if it counts
 * cycles or slots, at least one.
 */
bool trial_count_alike(struct trial *trial);

/* A counter of instructions counted the declared number in trial_count_alike(). */
bool trial_count_right(struct trial *trial);

/* Configured for CPL 3, the counter counts nothing, because the whole window is at CPL 0. */
bool trial_count_no_user(struct trial *trial);

/* The counter holds zeros, ones and alternating bits, whichever of its addresses is written. */
bool trial_keep_patterns(struct trial *trial);

/*
 * For each k from 1 to the counter's width, the counter starts from 2^k - 2 and carries into bit k
 * during the window; for the largest k, it overflows instead. Skips values that cannot be written.
 */
bool trial_carry(struct trial *trial);

/*
 * From PMU version 2 on, an overflow sets only the counter's own status bit, which can be cleared.
 * From PMU version 4 on, a write to IA32_PERF_GLOBAL_STATUS_SET can also set this bit alone. Must
 * follow trial_carry(), which makes the counter overflow.
 */
bool trial_overflow(struct trial *trial);

#endif
