/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes an uncore counter under test. Part of pmu/uncore/check.c. */
#ifndef BARECOUNT_PMU_UNCORE_TRIAL_H
#define BARECOUNT_PMU_UNCORE_TRIAL_H

#include "pmu/uncore/parts.h"

struct trial {
    const struct uncore_port *port;
    const struct uncore *uncore;
    void (*delay)(void *context, unsigned us);
    void *delay_context;
    const struct uncore_group *group;
    unsigned unit, counter;
    uint64_t held_back; /* select bits that only trial_open() sets: EN, if it starts the counter */
    uint64_t select;    /* of the counter that was set last */
    bool refused;       /* an access raised #GP */
};

/* Waits long enough for a counter to count. */
void trial_wait(const struct trial *trial);

void trial_put_msr(struct trial *trial, uint32_t msr, uint64_t value);
uint64_t trial_get_msr(struct trial *trial, uint32_t msr);

/* Access a counter of the unit under test, or its select. */
void trial_set_select(struct trial *trial, unsigned counter, uint64_t value);
void trial_set_counter(struct trial *trial, unsigned counter, uint64_t value);
uint64_t trial_counter(struct trial *trial, unsigned counter);

/* The bits of the global register that enable a counter; 0: none do. */
uint64_t trial_global_bits(const struct trial *trial, unsigned counter);

/* Starts one counter; `also` are additional bits of the global register. */
void trial_open(struct trial *trial, unsigned counter, uint64_t also);
void trial_stop(struct trial *trial, unsigned counter);

/* A select that is enabled and counts every cycle. */
uint64_t trial_of_cycles(const struct trial *trial);

/* What a counter counts while it is open or stopped. */
uint64_t trial_counted(struct trial *trial, uint64_t select, bool is_open);

#endif
