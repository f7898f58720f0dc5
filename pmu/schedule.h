/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which counter counts which event, in which pass. A pass is one programming of the counters; a
 * kernel is run anew in each.
 */
#ifndef BARECOUNT_PMU_SCHEDULE_H
#define BARECOUNT_PMU_SCHEDULE_H

#include "events.h"

#define SLOTS_MAX  (FIXED_COUNTERS_MAX + GP_COUNTERS_MAX)
#define PASSES_MAX EVENTS_MAX

struct slot {
    uint8_t event;   /* index into EVENTS */
    uint8_t fixed;   /* 1: a fixed counter */
    uint8_t counter; /* its number */
    uint8_t reserved;
};

struct pass {
    uint32_t slots;
    struct slot slot[SLOTS_MAX];
};

struct schedule {
    uint32_t passes; /* at least 1: without a counter, one pass that takes only the time stamp */
    struct pass pass[PASSES_MAX];
    uint8_t status[EVENTS_MAX]; /* enum status of each event; STATUS_OK: it has its slot */
};

/*
 * The general counters that may be used, bit i for IA32_PMCi. Microcode may take IA32_PMC3 for TSX
 * force abort (Intel SDM vol. 3B; CPUID.7:EDX[13]); version 1 opens IA32_PMC0 alone.
 */
uint32_t schedule_general(const struct cpu_caps *caps);

/*
 * Fixed counters stand in the first pass. Events that only some general counters can count are
 * placed first, the others fill what is left, in the table's order; without global control (version
 * 1) a pass holds one counter, IA32_PMC0.
 */
void schedule_make(const struct cpu_caps *caps, struct schedule *schedule);

/* The pass and slot of an event that has STATUS_OK. Returns false for one that has not. */
bool schedule_find(const struct schedule *schedule, unsigned event, unsigned *pass, unsigned *slot);

#endif
