/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known faults of the counters of certain CPUs, from Intel's specification updates, the field
 * "Errata" of Intel perfmon, and AMD's revision guides.
 */
#ifndef BARECOUNT_PMU_COUNTERS_ERRATA_H
#define BARECOUNT_PMU_COUNTERS_ERRATA_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"

struct erratum {
    const char *name;     /* the manufacturer's numbers, such as "SKL091, SKL044", or other words */
    const char *sentence; /* what the fault does, and how to deal with it */
};

/* The general counters that must never be used: bit i for IA32_PMCi. */
uint32_t errata_left_out(const struct cpu_caps *caps);

/*
 * The erratum that is the reason why a CPU's general counter is never used; null if there is none.
 */
const struct erratum *errata_why_left_out(const struct cpu_caps *caps, unsigned counter);

/*
 * The erratum that makes an event's count doubtful on a CPU, or null. `fixed` says whether a fixed
 * counter counts the event, because many errata affect only one kind of counter. Returns null for
 * uncore events, for which no errata are listed.
 */
const struct erratum *event_erratum(const struct event *event, const struct cpu_caps *caps,
                                    bool fixed);

#define ERRATA_MAX 64u

/* The number of an erratum, below ERRATA_MAX. */
unsigned erratum_number(const struct erratum *erratum);

#endif
