/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spare counter ends kernels that hang on a CPU that no other CPU watches. It is the last
 * general counter that no erratum excludes, withheld from the schedule; it counts cycles in both
 * rings and overflows long after a kernel should have returned. The PMI, delivered as an NMI, then
 * ends the kernel. Intel SDM vol. 3B "Performance Monitoring", vol. 3A "Local Vector Table".
 */
#ifndef BARECOUNT_PMU_COUNTERS_SPARE_H
#define BARECOUNT_PMU_COUNTERS_SPARE_H

#include "pmu/counters/program.h"

/*
 * The most cycles per tick of the time stamp, even with turbo. The overflow thus never comes too
 * early, but with a slow clock it comes later.
 */
#define SPARE_CYCLES_PER_TICK 5u

/*
 * Whether a CPU can spare a counter: it has another general counter, a global status, and
 * full-width writes (2^31 cycles are less than a second).
 */
bool spare_can(const struct cpu_caps *caps, uint64_t perf_capabilities);

/* The number of the spare counter, if spare_can(); looks through all errata. */
unsigned spare_counter(const struct cpu_caps *caps);

/* The capabilities without the spare counter and those above it, for the schedule. */
struct cpu_caps spare_without(const struct cpu_caps *caps);

/*
 * After pmu_program(): makes the pass's opening enable the spare counter too, even if the pass has
 * no other.
 */
void spare_add(const struct cpu_caps *caps, unsigned counter, struct programmed *programmed);

/*
 * Before a sample, with all counters disabled: sets the spare counter to overflow after `cycles`,
 * or after as many as its width allows, and enables it alone. False if a register raised #GP.
 */
bool spare_start(const struct msr_port *port, const struct cpu_caps *caps, unsigned counter,
                 uint64_t cycles);

/* The spare counter's bit of IA32_PERF_GLOBAL_STATUS. */
uint64_t spare_status(unsigned counter);

#endif
