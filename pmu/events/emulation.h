/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hypervisor leaves of CPUID show whether QEMU emulates the machine instruction by instruction
 * (TCG). An emulated machine computes its cycle counts from formulas. The tests' model machine also
 * reports which events it has rules for (tests/machine/README.md, "What it says of itself").
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
    uint32_t rules;      /* the leaf that says which events have rules; 0: there is none */
    cpuid_read *cpuid;
};

/* Detects emulation by executing CPUID on one CPU of the machine; `caps` are that CPU's. */
void emulation_find(cpuid_read *cpuid, const struct cpu_caps *caps, struct emulation *emulation);

/* False if the tests' model machine has no rule for the event, whose counts are then 0. */
bool emulation_counts(const struct emulation *emulation, const struct cpu_caps *caps,
                      const struct event *event);

#endif
