/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the MTRRs make memory above 1 MiB write-back (Intel SDM vol. 3A "Memory Type Range
 * Registers (MTRRs)").
 */
#ifndef BARECOUNT_PMU_CPU_MTRR_H
#define BARECOUNT_PMU_CPU_MTRR_H

#include <stdbool.h>
#include <stdint.h>

#define MTRR_RANGES_MAX 32u

/* Intel SDM vol. 3A "Memory Cache Control". */
enum memory_type {
    MEMORY_DEFAULT, /* write-back if the MTRRs allow it */
    MEMORY_WB,
    MEMORY_WT,
    MEMORY_WC,
    MEMORY_UC,
};

/* The names of the types from MEMORY_WB on; ends with null. */
extern const char *const MEMORY_WORDS[];

struct mtrrs {
    uint64_t def_type;              /* IA32_MTRR_DEF_TYPE */
    uint32_t ranges;                /* variable ranges: IA32_MTRRCAP[7:0] */
    uint64_t base[MTRR_RANGES_MAX]; /* IA32_MTRR_PHYSBASEn */
    uint64_t mask[MTRR_RANGES_MAX]; /* IA32_MTRR_PHYSMASKn */
    uint64_t top; /* TOP_MEM2: memory from 4 GiB to `top` is write-back by default; 0: none */
};

/*
 * Reads the MTRRs and, on AMD's CPUs, TOP_MEM2. False if the CPU lacks an MTRR. read() returns
 * false for a missing register.
 */
bool mtrr_read(bool (*read)(void *context, uint32_t msr, uint64_t *value), void *context,
               bool is_amd, struct mtrrs *mtrrs);

/* `address` is at least 1 MiB. */
bool mtrr_is_write_back(const struct mtrrs *mtrrs, uint64_t address, uint64_t bytes);

#endif
