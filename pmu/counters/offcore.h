/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Offcore response events: an event number and unit mask that count what an extra register says.
 * There are two such registers, MSR_OFFCORE_RSP_0 and _1, each with an encoding of its own. Intel
 * SDM vol. 3B, "Off-core Response Performance Monitoring".
 */
#ifndef BARECOUNT_PMU_COUNTERS_OFFCORE_H
#define BARECOUNT_PMU_COUNTERS_OFFCORE_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/cpu/msr.h"

static inline bool offcore_has(uint32_t msr)
{
    return msr == MSR_OFFCORE_RSP_0 || msr == MSR_OFFCORE_RSP_1;
}

/*
 * The bits of an event's select that change when its value stands in the other of the two registers
 * (extra_msr ^ OFFCORE_OTHER) instead; 0: the event needs the register that it names.
 */
#define OFFCORE_OTHER (MSR_OFFCORE_RSP_0 ^ MSR_OFFCORE_RSP_1)
uint16_t offcore_select_xor(const struct event *event, const struct cpu_caps *caps);

#endif
