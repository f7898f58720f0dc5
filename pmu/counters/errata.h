/* SPDX-License-Identifier: BSD-2-Clause */
/* Known faults of counters. */
#ifndef BARECOUNT_PMU_COUNTERS_ERRATA_H
#define BARECOUNT_PMU_COUNTERS_ERRATA_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"

struct erratum {
    const char *name;     /* the manufacturer's numbers, such as "SKL091, SKL044" */
    const char *sentence; /* the effect, and how to deal with it */
    const char *source;   /* who says which events are affected */
    const char *effect;   /* "too many": never too few; "wrong": in any way */
};

/* The general counters that must never be used: bit i for IA32_PMCi. */
uint32_t errata_left_out(const struct cpu_caps *caps);

/* The erratum that forbids the use of a general counter, or null. */
const struct erratum *errata_why_left_out(const struct cpu_caps *caps, unsigned counter);

/*
 * The erratum that makes an event's count doubtful, or null. `fixed`: a fixed counter counts the
 * event. Null for uncore events.
 */
const struct erratum *event_erratum(const struct event *event, const struct cpu_caps *caps,
                                    bool fixed);

#define ERRATA_MAX 64u

/* The number of an erratum, below ERRATA_MAX. */
unsigned erratum_number(const struct erratum *erratum);

#endif
