/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known to be wrong with the counters of certain CPUs: Intel's specification updates and
 * the field "Errata" of Intel perfmon.
 */
#ifndef BARECOUNT_PMU_COUNTERS_ERRATA_H
#define BARECOUNT_PMU_COUNTERS_ERRATA_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"

struct erratum {
    const char *name;     /* the manufacturer's numbers, "SKL091, SKL044" */
    const char *sentence; /* what happens, and what to do or to believe */
};

/* The general counters that must not be used at all, bit i for IA32_PMCi. */
uint32_t errata_left_out(const struct cpu_caps *caps);

/*
 * The erratum that makes an event's count doubtful on a CPU, or NULL. fixed: a fixed counter counts
 * it, not a general one; many errata are of one kind of counter alone. None is known of what counts
 * outside the cores.
 */
const struct erratum *event_erratum(const struct event *event, const struct cpu_caps *caps,
                                    bool fixed);

#endif
