/* SPDX-License-Identifier: BSD-2-Clause */
/* A fake machine, and a schedule whose passes are programmed into its registers. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_PASS_H
#define BARECOUNT_TESTS_UNIT_FAKES_PASS_H

#include <string.h>

#include "tests/unit/fakes/msr.h"
#include "pmu/events/built_in.h"

static struct cpu_caps caps;
static struct event events[EVENTS_MAX]; /* the built-in events */
static struct schedule schedule;
static struct schedule_work schedule_work;
static struct programmed programmed;

static inline void machine(unsigned version, unsigned gp, unsigned fixed)
{
    fake_start(version, gp, fixed);
    caps = fake_caps(version, gp, fixed);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        event_builtin(e, &caps, RING_OS, &events[e]);
    schedule_make(&caps, schedule_one_a_pass(&caps, METHOD_RESET), events, EVENTS_COUNT, &schedule,
                  &schedule_work);
    memset(&programmed, 0xa5, sizeof(programmed));
}

static inline struct pmu_error program(unsigned pass)
{
    return pmu_program(&FAKE_PORT, &caps, events, &schedule.pass[pass], &programmed);
}

/* IA32_PERFEVTSELx for CPL 0: bit 17 is OS, and bit 22 is EN. */
static inline uint64_t select_of(unsigned event)
{
    return EVENTS[event].select | 1ull << 17 | 1ull << 22;
}

#endif
