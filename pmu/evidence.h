/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What disturbs a sample from outside: read before and after a window, never within. Intel SDM
 * vol. 4 (MSR_SMI_COUNT, IA32_PERF_STATUS), vol. 3B "Thermal Monitoring and Protection".
 */
#ifndef BARECOUNT_PMU_EVIDENCE_H
#define BARECOUNT_PMU_EVIDENCE_H

#include "out.h"
#include "record.h"

struct surroundings {
    uint64_t smis;
    uint64_t therm_status;
    uint64_t package_therm_status;
    uint64_t perf_status;
    uint32_t nmis;
};

/* The CPU_HAS_ flags of the registers that the running CPU has; what raises #GP is not there. */
uint32_t evidence_probe(const struct msr_port *port, const struct cpu_caps *caps);

/* Reads those that `flags` names; the others are 0. */
struct surroundings evidence_read(const struct msr_port *port, uint32_t flags, uint32_t nmis);

/*
 * EVIDENCE_ bits of what happened between two readings. A thermal log bit that was set before tells
 * nothing, and is left to its owner; throttling itself lasts longer than a window.
 */
uint8_t evidence_between(const struct surroundings *before, const struct surroundings *after);

/* Clears the thermal log bits that came up between two readings, so that the next one is seen. */
void evidence_clear(const struct msr_port *port, const struct surroundings *before,
                    const struct surroundings *after);

/* The words for EVIDENCE_ bits, with spaces between them. */
void evidence_words(unsigned evidence, struct out *out);

#endif
