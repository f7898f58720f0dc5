/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spare counter ends a hanging kernel on a CPU that no other CPU watches. It is the last
 * general counter that no erratum excludes, and the schedule does not use it. It counts cycles in
 * both rings and overflows long after a kernel should have returned. The overflow raises a PMI,
 * which is delivered as an NMI and ends the kernel. Intel SDM vol. 3B "Performance Monitoring",
 * vol. 3A "Local Vector Table"; AMD APM vol. 2 "Performance Monitor Counter Interrupts".
 */
#ifndef BARECOUNT_PMU_COUNTERS_SPARE_H
#define BARECOUNT_PMU_COUNTERS_SPARE_H

#include "pmu/counters/program.h"

/*
 * The most core cycles per tick of the time stamp on any CPU, even with turbo. A time limit is
 * converted to cycles at this rate, so that a fast clock does not make the overflow come too early.
 * If the core's clock is slow, the overflow comes later.
 */
#define SPARE_CYCLES_PER_TICK 5u

/*
 * Whether a CPU can spare a counter. This requires a general counter, other than the first, that no
 * erratum excludes and, on Intel, full-width writes. Without full-width writes, the counter would
 * overflow after at most 2^31 cycles, which take about a second.
 */
bool spare_can(const struct cpu_caps *caps, uint64_t perf_capabilities);

/* The number of the spare counter, if spare_can(). Slow: searches all errata. */
unsigned spare_counter(const struct cpu_caps *caps);

/* The capabilities without the spare counter and the counters above it, for the schedule. */
struct cpu_caps spare_without(const struct cpu_caps *caps);

/* What the NMI handler needs to know about the spare counter. */
struct spare_watch {
    uint32_t msr; /* the counter; 0: there is none */
    uint64_t top_bit;
};
struct spare_watch spare_watch(const struct cpu_caps *caps, unsigned counter);

/*
 * Whether the spare counter has overflowed since spare_start(). The counter's top bit is 1 until
 * the counter overflows. The status bit of the overflow is not used, because AMD's CPUs before Zen
 * 4 have none.
 */
bool spare_is_over(const struct msr_port *port, const struct spare_watch *watch);

/*
 * Called after pmu_program(). If the CPU has a global control register, which enables the counters
 * when a window opens, adds the spare counter's bit to the value for this register. Adds the bit
 * even if the pass has no other counter.
 */
void spare_add(const struct cpu_caps *caps, unsigned counter, struct programmed *programmed);

/*
 * Called before a sample. Enables the spare counter, which overflows after `cycles` cycles or, if
 * the counter is too narrow for this, earlier. spare_stop() is called after the window. Both
 * functions return false if a register raised #GP.
 */
bool spare_start(const struct msr_port *port, const struct cpu_caps *caps, unsigned counter,
                 uint64_t cycles);
bool spare_stop(const struct msr_port *port, const struct cpu_caps *caps, unsigned counter);

#endif
