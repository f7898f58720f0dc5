/* SPDX-License-Identifier: BSD-2-Clause */
/* Uncore events and their package, in a journal of fakes/run.h. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_RUN_UNCORE_H
#define BARECOUNT_TESTS_UNIT_FAKES_RUN_UNCORE_H

#include "tests/unit/fakes/run.h"

/* The event follows the built-in events and those added before. */
static inline struct event *run_uncore_event(const char *name, enum uncore_kind kind,
                                             uint16_t counters, enum event_unit unit)
{
    struct event *event = &run_more[run_more_count++];

    *event = (struct event){.scope = SCOPE_UNCORE,
                            .kind = (uint8_t)kind,
                            .counters = counters,
                            .unit = (uint8_t)unit,
                            .arch = EVENT_NOT_ARCH,
                            .fixed = EVENT_NOT_FIXED,
                            .declared = EVENT_UNDECLARED,
                            .rings = RING_OS | RING_USR};
    snprintf(event->name, sizeof(event->name), "%s", name);
    return event;
}

static inline struct uncore_record run_uncore_of(unsigned cpu)
{
    return (struct uncore_record){
        .cpu = cpu,
        .package = 1,
        .model = "Skylake server",
        .groups = 3,
        .energy_step = {[ENERGY_PACKAGE] = 61ull << 32},
        .group = {{.kind = KIND_CHA, .counters = 4, .units = 28, .width_bits = 48},
                  {.kind = KIND_IMC, .counters = 4, .units = 6, .width_bits = 48},
                  {.kind = KIND_ENERGY, .counters = 4, .units = 1, .width_bits = 32}}};
}

static inline void run_uncore(const struct uncore_record *uncore)
{
    run_append(RECORD_UNCORE, uncore, sizeof(*uncore));
}

/* Returns the slot of run_more[more]. *pass gets the number of its pass. */
static inline const struct slot *run_uncore_slot(unsigned more, unsigned *pass)
{
    unsigned slot;

    if (!schedule_find(&run_schedule, EVENTS_COUNT + more, pass, &slot))
        abort();
    return &run_schedule.pass[*pass].slot[slot];
}

#endif
