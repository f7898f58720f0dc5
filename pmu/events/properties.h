/* SPDX-License-Identifier: BSD-2-Clause */
/* The encodings of events that count a property (pmu/counters/property.h). */
#ifndef BARECOUNT_PMU_EVENTS_PROPERTIES_H
#define BARECOUNT_PMU_EVENTS_PROPERTIES_H

#include "pmu/counters/event.h"
#include "pmu/counters/property.h"
#include "pmu/cpu/caps.h"

/*
 * Sets the event's `kind` to the property that an event with this select counts on the CPU, or to
 * PROPERTY_NONE if none is known. Sets EVENT_AT_LEAST if the event also counts on mispredicted
 * paths.
 */
void event_set_property(uint64_t select, const struct cpu_caps *caps, struct event *event);

#endif
