/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out from CPUID's hypervisor leaves whether QEMU's TCG emulates the machine.
 * tests/machine/README.md, "What it says of itself", describes the model machine's leaves.
 */
#ifndef BARECOUNT_PMU_EVENTS_EMULATION_H
#define BARECOUNT_PMU_EVENTS_EMULATION_H

#include "pmu/counters/event.h"
#include "pmu/cpu/caps.h"

#define EMULATION_WORDS "emulated: by formula"
#define EMULATION_NOTE                                                                             \
    "Cycles are " EMULATION_WORDS "; time stamp, gaps and rates are the host's time"

struct emulation {
    bool emulated;
    char hypervisor[16]; /* CPUID's signature, or "unnamed"; "": no hypervisor, or only TCG */
    uint32_t rules;      /* first of the leaves that say which events have rules; 0: none */
    cpuid_read *cpuid;
};

/* `cpuid` runs on one CPU of the machine; `caps` describes the same CPU. */
void emulation_find(cpuid_read *cpuid, const struct cpu_caps *caps, struct emulation *emulation);

/* False if the model machine has no rule for the event and always counts 0. */
bool emulation_counts(const struct emulation *emulation, const struct cpu_caps *caps,
                      const struct event *event);

#endif
