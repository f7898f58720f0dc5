/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine that QEMU emulates instruction by instruction (TCG), and says so in CPUID's leaves for
 * hypervisors: its cycles and times are those of formulas. The model machine of the tests says
 * beside that which events it has rules for (tests/machine/README.md, "What it says of itself").
 */
#ifndef BARECOUNT_PMU_EVENTS_EMULATION_H
#define BARECOUNT_PMU_EVENTS_EMULATION_H

#include "pmu/counters/event.h"
#include "pmu/cpu/caps.h"

#define EMULATION_WORDS "emulated: by formula"

struct emulation {
    bool emulated;
    uint32_t rules; /* the leaf that tells which events have rules; 0: all may be counted */
    cpuid_read *cpuid;
};

/* Looks for it, with the CPUID of any of the machine's CPUs, whose caps these are. */
void emulation_find(cpuid_read *cpuid, const struct cpu_caps *caps, struct emulation *emulation);

/*
 * Whether a CPU of this kind counts an event that it is able to count. False: the machine has no
 * rule for it, and a counter would stay 0.
 */
bool emulation_counts(const struct emulation *emulation, const struct cpu_caps *caps,
                      const struct event *event);

#endif
