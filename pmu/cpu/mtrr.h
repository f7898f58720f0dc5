/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether memory is write-back, as the MTRRs have it (Intel SDM vol. 3A "Memory Type Range
 * Registers (MTRRs)"). Above the first MiB, where the fixed ranges end.
 */
#ifndef BARECOUNT_PMU_CPU_MTRR_H
#define BARECOUNT_PMU_CPU_MTRR_H

#include <stdbool.h>
#include <stdint.h>

#define MTRR_RANGES_MAX 32u

/* How a buffer is mapped; Intel SDM vol. 3A "Memory Cache Control". */
enum memory_type {
    MEMORY_DEFAULT, /* as the firmware has it: write-back, where the MTRRs say so */
    MEMORY_WB,
    MEMORY_WT,
    MEMORY_WC,
    MEMORY_UC,
};

/* The words of a plan for them, in their order from MEMORY_WB on; they end with a null. */
extern const char *const MEMORY_WORDS[];

/* What the registers hold. */
struct mtrrs {
    uint64_t def_type;              /* IA32_MTRR_DEF_TYPE */
    uint32_t ranges;                /* variable ranges: IA32_MTRRCAP[7:0] */
    uint64_t base[MTRR_RANGES_MAX]; /* IA32_MTRR_PHYSBASEn */
    uint64_t mask[MTRR_RANGES_MAX]; /* IA32_MTRR_PHYSMASKn */
};

/* Reads them by read(), which returns false for a register that is not there. False: none are. */
bool mtrr_read(bool (*read)(void *context, uint32_t msr, uint64_t *value), void *context,
               struct mtrrs *mtrrs);

/* Whether each byte from `address` on, not below 1 MiB, is write-back. */
bool mtrr_is_write_back(const struct mtrrs *mtrrs, uint64_t address, uint64_t bytes);

#endif
