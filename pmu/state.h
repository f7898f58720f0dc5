/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a CPU that a plan's [state] sets: turbo, prefetchers, the clock's ratio. What each
 * register held, what it was to hold, and what it read back.
 */
#ifndef BARECOUNT_PMU_STATE_H
#define BARECOUNT_PMU_STATE_H

#include <stdint.h>

#define STATE_ITEMS_MAX 8u

/* Settings, in the order in which they are made. */
enum state_setting { STATE_TURBO, STATE_PREFETCH, STATE_RATIO, STATE_SETTINGS };

struct state_item {
    uint32_t setting; /* enum state_setting */
    uint32_t msr;     /* 0: the CPU has no register for it, as `status` says */
    uint64_t found;
    uint64_t asked;   /* the whole register as it was to be */
    uint64_t got;     /* as it read back */
    uint32_t status;  /* enum status: STATUS_OK, or why it is not as asked */
    uint32_t written; /* 1: it has to be put back */
};

struct cpu_state {
    uint32_t cpu;
    uint32_t items;
    struct state_item item[STATE_ITEMS_MAX];
};
_Static_assert(sizeof(struct cpu_state) == 8 + 40 * STATE_ITEMS_MAX, "journal layout");

#endif
