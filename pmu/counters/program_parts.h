/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by program.c, program_take.c and spare.c. */
#ifndef BARECOUNT_PMU_COUNTERS_PROGRAM_PARTS_H
#define BARECOUNT_PMU_COUNTERS_PROGRAM_PARTS_H

#include "pmu/counters/program.h"

static const struct pmu_error NO_ERROR = {.status = STATUS_OK};

/* Writes a register and reads it back. */
struct pmu_error program_write(const struct msr_port *port, uint32_t msr, uint64_t value);

/* Clears the bits `status` of the status register by writing `status` to `clear_msr`. */
void program_clear_status(const struct msr_port *port, uint32_t clear_msr, uint64_t status);

/*
 * Clears the bits `found` of the status register. On AMD, does not write reserved bits, which may
 * be set (Linux: arch/x86/events/amd/core.c).
 */
void program_clear_found(const struct msr_port *port, const struct cpu_caps *caps, uint64_t found);

/* Whether IA32_PERF_GLOBAL_CTRL and the related registers exist, or their counterparts on AMD. */
static inline bool program_has_global(const struct cpu_caps *caps)
{
    return caps->pmu_version >= 2;
}

/*
 * Whether IA32_PERF_GLOBAL_STATUS_SET and _INUSE exist. Before PMU version 4, 391H and 392H belong
 * to the uncore. AMD CPUs have neither register.
 */
static inline bool program_has_inuse(const struct cpu_caps *caps)
{
    return caps->pmu_version >= 4;
}

#endif
