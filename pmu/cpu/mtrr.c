/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the MTRRs. */
#include "pmu/cpu/msr.h"
#include "pmu/cpu/mtrr.h"

#define DEF_TYPE_ENABLED (1ull << 11)
#define MASK_VALID       (1ull << 11)
#define TYPE_BITS        0xffull
#define TYPE_WRITE_BACK  6u
#define ADDRESS_BITS     0xffffffffff000ull

/* AMD APM vol. 2 "System Configuration Register (SYSCFG)", "Top-of-Memory Registers". */
#define SYSCFG_TOM2_ENABLED    (1ull << 21)
#define SYSCFG_TOM2_WRITE_BACK (1ull << 22)
#define TOP_BEGIN              (1ull << 32)
#define TOP_BITS               0xfffffff800000ull

const char *const MEMORY_WORDS[] = {"wb", "wt", "wc", "uc", 0};

bool mtrr_read(bool (*read)(void *context, uint32_t msr, uint64_t *value), void *context,
               bool is_amd, struct mtrrs *mtrrs)
{
    const uint64_t forced = SYSCFG_TOM2_ENABLED | SYSCFG_TOM2_WRITE_BACK;
    uint64_t cap = 0, config = 0, top = 0;

    *mtrrs = (struct mtrrs){0};
    if (!read(context, MSR_IA32_MTRRCAP, &cap) ||
        !read(context, MSR_IA32_MTRR_DEF_TYPE, &mtrrs->def_type))
        return false;
    mtrrs->ranges = cap & TYPE_BITS;
    if (mtrrs->ranges > MTRR_RANGES_MAX)
        mtrrs->ranges = MTRR_RANGES_MAX;
    for (uint32_t i = 0; i < mtrrs->ranges; i++)
        if (!read(context, MSR_IA32_MTRR_PHYSBASE0 + 2 * i, &mtrrs->base[i]) ||
            !read(context, MSR_IA32_MTRR_PHYSBASE0 + 2 * i + 1, &mtrrs->mask[i]))
            return false;
    if (is_amd && read(context, MSR_AMD_SYSCFG, &config) && (config & forced) == forced &&
        read(context, MSR_AMD_TOP_MEM2, &top))
        mtrrs->top = top & TOP_BITS;
    return true;
}

static bool is_write_back_by_default(const struct mtrrs *mtrrs, uint64_t address)
{
    return (address >= TOP_BEGIN && address < mtrrs->top) ||
           (mtrrs->def_type & TYPE_BITS) == TYPE_WRITE_BACK;
}

/* Where ranges overlap, any other type overrides write-back or makes the result undefined. */
static bool is_write_back_at(const struct mtrrs *mtrrs, uint64_t address)
{
    bool covered = false;

    for (uint32_t i = 0; i < mtrrs->ranges; i++) {
        uint64_t mask = mtrrs->mask[i] & ADDRESS_BITS;

        if (!(mtrrs->mask[i] & MASK_VALID) || (address & mask) != (mtrrs->base[i] & mask))
            continue;
        if ((mtrrs->base[i] & TYPE_BITS) != TYPE_WRITE_BACK)
            return false;
        covered = true;
    }
    return covered || is_write_back_by_default(mtrrs, address);
}

/*
 * The memory type changes only at multiples of the lowest bit that is set in any mask or boundary.
 */
static uint64_t granularity(const struct mtrrs *mtrrs)
{
    uint64_t bits = 1ull << 40 | TOP_BEGIN | mtrrs->top;

    for (uint32_t i = 0; i < mtrrs->ranges; i++)
        if (mtrrs->mask[i] & MASK_VALID)
            bits |= mtrrs->mask[i] & ADDRESS_BITS;
    return bits & -bits;
}

bool mtrr_is_write_back(const struct mtrrs *mtrrs, uint64_t address, uint64_t bytes)
{
    uint64_t step = granularity(mtrrs), end = address + bytes;

    if (!(mtrrs->def_type & DEF_TYPE_ENABLED)) /* all memory is uncacheable */
        return false;
    for (uint64_t at = address & ~(step - 1); at < end; at += step)
        if (!is_write_back_at(mtrrs, at))
            return false;
    return true;
}
