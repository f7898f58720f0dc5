/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds whether the MTRRs make memory write-back (Intel SDM vol. 3A "Memory Type Range Registers
 * (MTRRs)"). Only memory above 1 MiB is considered, because the fixed ranges end there.
 */
#ifndef BARECOUNT_PMU_CPU_MTRR_H
#define BARECOUNT_PMU_CPU_MTRR_H

#include <stdbool.h>
#include <stdint.h>

#define MTRR_RANGES_MAX 32u

/* The memory type of a mapped buffer; see the Intel SDM vol. 3A "Memory Cache Control". */
enum memory_type {
    MEMORY_DEFAULT, /* as the firmware maps memory: write-back if the MTRRs allow it */
    MEMORY_WB,
    MEMORY_WT,
    MEMORY_WC,
    MEMORY_UC,
};

/* The words for memory types in plans, starting with MEMORY_WB. A null ends the list. */
extern const char *const MEMORY_WORDS[];

/* The contents of the MTRRs, and of AMD's TOP_MEM2. */
struct mtrrs {
    uint64_t def_type;              /* IA32_MTRR_DEF_TYPE */
    uint32_t ranges;                /* variable ranges: IA32_MTRRCAP[7:0] */
    uint64_t base[MTRR_RANGES_MAX]; /* IA32_MTRR_PHYSBASEn */
    uint64_t mask[MTRR_RANGES_MAX]; /* IA32_MTRR_PHYSMASKn */
    uint64_t top; /* AMD's TOP_MEM2: memory from 4 GiB to `top` is write-back by default; 0: none */
};

/*
 * Reads the MTRRs, and TOP_MEM2 on AMD's CPUs. read() reads a register, and returns false if the
 * CPU lacks it. mtrr_read() returns false if the CPU lacks one of the MTRRs that are read.
 */
bool mtrr_read(bool (*read)(void *context, uint32_t msr, uint64_t *value), void *context,
               bool is_amd, struct mtrrs *mtrrs);

/* Whether all `bytes` bytes that start at `address` are write-back; `address` is at least 1 MiB. */
bool mtrr_is_write_back(const struct mtrrs *mtrrs, uint64_t address, uint64_t bytes);

#endif
