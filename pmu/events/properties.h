/* SPDX-License-Identifier: BSD-2-Clause */
/* The encodings of events that count a property (pmu/counters/property.h). */
#ifndef BARECOUNT_PMU_EVENTS_PROPERTIES_H
#define BARECOUNT_PMU_EVENTS_PROPERTIES_H

#include "pmu/counters/event.h"
#include "pmu/counters/property.h"
#include "pmu/cpu/caps.h"

/* The property that a core event counts on a CPU, or PROPERTY_NONE if none is known. */
enum property event_property(uint64_t select, const struct cpu_caps *caps);

#endif
