/* SPDX-License-Identifier: BSD-2-Clause */
/* An uncore counter under test, for pmu/uncore/check.c. */
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
    uint64_t held_back; /* bits that only trial_open() sets: EN if EN starts the counter, else 0 */
    uint64_t select;
    bool refused; /* an access raised #GP */
};

/* Waits long enough for a counter to count. */
void trial_wait(const struct trial *trial);

void trial_put_msr(struct trial *trial, uint32_t msr, uint64_t value);
uint64_t trial_get_msr(struct trial *trial, uint32_t msr);

void trial_set_select(struct trial *trial, unsigned counter, uint64_t value);
void trial_set_counter(struct trial *trial, unsigned counter, uint64_t value);
uint64_t trial_counter(struct trial *trial, unsigned counter);

uint64_t trial_global_bits(const struct trial *trial, unsigned counter);

/* Starts the counter. If the global register enables it, also sets the register's bits `also`. */
void trial_open(struct trial *trial, unsigned counter, uint64_t also);
void trial_stop(struct trial *trial, unsigned counter);

/* Returns a select that counts nearly every cycle. */
uint64_t trial_of_cycles(const struct trial *trial);

/*
 * Returns what the counter counts with `select`. The counter is started only if `is_open` is true.
 */
uint64_t trial_counted(struct trial *trial, uint64_t select, bool is_open);

#endif
