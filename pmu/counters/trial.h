/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a counter's test; check.c runs them in this order. */
#ifndef BARECOUNT_PMU_COUNTERS_TRIAL_H
#define BARECOUNT_PMU_COUNTERS_TRIAL_H

#include "pmu/counters/check.h"
#include "pmu/cpu/msr.h"

#define SELECT_INSTRUCTIONS 0xc0u /* INST_RETIRED.ANY_P; AMD: retired instructions */

struct trial {
    const struct counter_port *port;
    const struct cpu_caps *caps;
    const struct pmu_layout *layout;
    bool full_width; /* IA32_A_PMCx exist */
    struct counter_tests *tests;
    struct tested_counter *counter;
    uint64_t instructions; /* declared number for the empty window */
    bool overcounts;       /* instructions may be counted too often */
    unsigned tries;
};

/* False: the counter counts cycles or slots. */
static inline bool counts_instructions(const struct tested_counter *counter)
{
    return !counter->fixed || counter->counter == FIXED_INSTRUCTIONS;
}

/* Whether the counter must count. The fixed counters of top-down analysis may count nothing. */
static inline bool counts_always(const struct tested_counter *counter)
{
    return !counter->fixed || counter->counter <= FIXED_SLOTS;
}

/*
 * Whether a general counter exists. A counter exists if the values read from it depend on the
 * values written to it.
 */
bool trial_exists(const struct trial *trial, unsigned number);

/*
 * The comment on each step says what the counter must do. A step that fails stores the fault in
 * trial->counter and returns false.
 */

/*
 * At CPL 0, the counter counts the same number of instructions in every window. A counter of cycles
 * or slots counts at least one in every window.
 */
bool trial_count_alike(struct trial *trial);

/* trial_count_alike() counted the declared number of instructions. */
bool trial_count_right(struct trial *trial);

/* If the counter is set to count only at CPL 3, it counts nothing. */
bool trial_count_no_user(struct trial *trial);

/* The counter keeps zeros, ones and alternating bits that are written to either of its MSRs. */
bool trial_keep_patterns(struct trial *trial);

/*
 * For each k up to the counter's width: if the counter starts from 2^k - 2, it carries into bit k.
 * The last carry is an overflow. Values that cannot be written are skipped.
 */
bool trial_carry(struct trial *trial);

/*
 * From PMU version 2 on, an overflow sets only the counter's own status bit, which can be cleared.
 * From version 4 on, IA32_PERF_GLOBAL_STATUS_SET can set it. Must follow trial_carry().
 */
bool trial_overflow(struct trial *trial);

#endif
