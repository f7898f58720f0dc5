/* SPDX-License-Identifier: BSD-2-Clause */
/* One counter outside the cores while it is tested: a part of pmu/uncore/check.c. */
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
    uint64_t
        held_back;   /* of a select, until the counter is opened: its EN, where nothing else is */
    uint64_t select; /* of the counter that was set last */
    bool refused;    /* an access raised #GP */
};

/* Lets the time pass in which a counter counts, or should not. */
void trial_wait(const struct trial *trial);

void trial_put_msr(struct trial *trial, uint32_t msr, uint64_t value);
uint64_t trial_get_msr(struct trial *trial, uint32_t msr);

/* A counter of the unit under test, and its select. */
void trial_set_select(struct trial *trial, unsigned counter, uint64_t value);
void trial_set_counter(struct trial *trial, unsigned counter, uint64_t value);
uint64_t trial_counter(struct trial *trial, unsigned counter);

/* The bits of the global register that let a counter go; 0: none do. */
uint64_t trial_global_bits(const struct trial *trial, unsigned counter);

/* Lets one counter go by what opens its unit; `also`: further bits of the global register. */
void trial_open(struct trial *trial, unsigned counter, uint64_t also);
void trial_stop(struct trial *trial, unsigned counter);

/* A select that counts each cycle, enabled. */
uint64_t trial_of_cycles(const struct trial *trial);

/* What the counter counts while it is open, or is not. */
uint64_t trial_counted(struct trial *trial, uint64_t select, bool is_open);

#endif
