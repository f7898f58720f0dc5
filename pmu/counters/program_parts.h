/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what program.c, program_take.c and spare.c share. */
#ifndef BARECOUNT_PMU_COUNTERS_PROGRAM_PARTS_H
#define BARECOUNT_PMU_COUNTERS_PROGRAM_PARTS_H

#include "pmu/counters/program.h"

static const struct pmu_error NO_ERROR = {.status = STATUS_OK};

/* Writes a register and verifies it by reading it back. */
struct pmu_error program_write(const struct msr_port *port, uint32_t msr, uint64_t value);

/* Clears the bits `status` of IA32_PERF_GLOBAL_STATUS by writing ones to `clear_msr`. */
void program_clear_status(const struct msr_port *port, uint32_t clear_msr, uint64_t status);

/*
 * Clears the bits `found` of the status register, which were read as ones. On AMD, reserved bits
 * may be set; these are not written (Linux: arch/x86/events/amd/core.c).
 */
void program_clear_found(const struct msr_port *port, const struct cpu_caps *caps, uint64_t found);

/* Whether IA32_PERF_GLOBAL_CTRL and related registers, or AMD's equivalents, exist. */
static inline bool program_has_global(const struct cpu_caps *caps)
{
    return caps->pmu_version >= 2;
}

/*
 * Whether IA32_PERF_GLOBAL_STATUS_SET and _INUSE exist. AMD has neither. Before PMU version 4, on
 * Nehalem to Broadwell, the addresses 391H and 392H belong to the uncore.
 */
static inline bool program_has_inuse(const struct cpu_caps *caps)
{
    return caps->pmu_version >= 4;
}

#endif
