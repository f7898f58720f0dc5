/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spare counter ends a hanging kernel on a CPU that no other CPU watches. The counter counts
 * cycles at CPL 0 and CPL 3. If a kernel runs far longer than it should, the counter overflows and
 * raises an NMI. Intel SDM vol. 3B "Performance Monitoring", vol. 3A "Local Vector Table"; AMD APM
 * vol. 2 "Performance Monitor Counter Interrupts".
 */
#ifndef BARECOUNT_PMU_COUNTERS_SPARE_H
#define BARECOUNT_PMU_COUNTERS_SPARE_H

#include "pmu/counters/program.h"

/* The most core cycles per tick of the time stamp that any CPU can have, even with turbo. */
#define SPARE_CYCLES_PER_TICK 5u

/*
 * Whether a CPU can spare a general counter other than the first. Intel's CPUs need full-width
 * writes; otherwise the counter overflows after at most 2^31 cycles, about a second.
 */
bool spare_can(const struct cpu_caps *caps, uint64_t perf_capabilities);

/*
 * Returns the number of the spare counter: the last general counter without an erratum. Requires
 * spare_can(). Slow.
 */
unsigned spare_counter(const struct cpu_caps *caps);

/* The capabilities without the spare counter and the counters above it, for the schedule. */
struct cpu_caps spare_without(const struct cpu_caps *caps);

/* For the NMI handler. */
struct spare_watch {
    uint32_t msr; /* 0: no spare counter */
    uint64_t top_bit;
};
struct spare_watch spare_watch(const struct cpu_caps *caps, unsigned counter);

/*
 * Whether the spare counter has overflowed, which clears its top bit. No status bit is read,
 * because AMD's CPUs before Zen 4 have none.
 */
bool spare_is_over(const struct msr_port *port, const struct spare_watch *watch);

/*
 * Called after pmu_program(). If the CPU has a global control register, sets the spare counter's
 * bit in programmed->open_value.
 */
void spare_add(const struct cpu_caps *caps, unsigned counter, struct programmed *programmed);

/*
 * Called before a sample. Makes the spare counter overflow after `cycles` cycles, or earlier if the
 * counter is too narrow. spare_stop() is called after the window. False after a #GP.
 */
bool spare_start(const struct msr_port *port, const struct cpu_caps *caps, unsigned counter,
                 uint64_t cycles);
bool spare_stop(const struct msr_port *port, const struct cpu_caps *caps, unsigned counter);

#endif
