/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spare counter: the last general counter of a CPU that nobody else watches. It is kept from
 * the schedule, counts cycles in both rings, and overflows long after a kernel should have
 * returned; its PMI, delivered as an NMI, ends the kernel. In time nothing comes of it. Intel SDM
 * vol. 3B "Performance Monitoring", vol. 3A "Local Vector Table".
 */
#ifndef BARECOUNT_PMU_COUNTERS_SPARE_H
#define BARECOUNT_PMU_COUNTERS_SPARE_H

#include "pmu/counters/program.h"

/*
 * Cycles for each tick of the time stamp, at the most: turbo is not faster than that. So the time
 * is up at the overflow whatever the clock, and a slow clock takes longer.
 */
#define SPARE_CYCLES_PER_TICK 5u

/*
 * Whether a CPU can spare one: it has another general counter beside it, a global status, and
 * counters that can be written at full width (2^31 cycles are below a second).
 */
bool spare_can(const struct cpu_caps *caps, uint64_t perf_capabilities);

/* The counter's number, of a CPU that can. */
unsigned spare_counter(const struct cpu_caps *caps);

/* What is left for the schedule. */
struct cpu_caps spare_without(const struct cpu_caps *caps);

/*
 * Behind pmu_program(): the pass is opened with the spare counter beside its own, also a pass that
 * has none.
 */
void spare_add(const struct cpu_caps *caps, struct programmed *programmed);

/*
 * Before a sample, when no counter is enabled: selects it, sets it `cycles` before its overflow,
 * or as many as it holds, and lets it alone count. False: a register raised #GP.
 */
bool spare_start(const struct msr_port *port, const struct cpu_caps *caps, uint64_t cycles);

/* Its bit of IA32_PERF_GLOBAL_STATUS. */
uint64_t spare_status(const struct cpu_caps *caps);

#endif
