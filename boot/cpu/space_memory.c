/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory type of a kernel's buffer: an entry of IA32_PAT, Intel SDM vol. 3A "Page Attribute
 * Table (PAT)". What the MTRRs say of the memory stays; WC and UC hold with any of theirs, WT and
 * WB with WB alone.
 */
#include "boot/cpu/space_parts.h"
#include "pmu/cpu/msr.h"
#include "pmu/journal/record.h"

#define CPUID_1_EDX_PAT (1u << 16)
#define PAT_ENTRIES     8u
#define PAT_BITS        8u
#define PAT_SPARE       7u /* taken where no entry is of the type: after reset UC, as 3 is */

/* By enum memory_type, from MEMORY_WB on. */
static const uint8_t PAT_TYPE[] = {
    [MEMORY_WB] = 6, [MEMORY_WT] = 4, [MEMORY_WC] = 1, [MEMORY_UC] = 0};

static bool has_pat(void)
{
    struct cpuid_regs regs;

    cpu_read_cpuid(1, 0, &regs);
    return regs.edx & CPUID_1_EDX_PAT;
}

/*
 * What is cached of the buffer is of the firmware's type, and must not be when another one begins
 * ("Programming the PAT" there): the caller empties the TLB behind this.
 */
int space_take_type(struct cpu_space *space, uint32_t memory)
{
    uint64_t pat = 0;

    space->has_typed = space->has_pat = false;
    if (memory == MEMORY_DEFAULT)
        return 0;
    if (memory >= sizeof(PAT_TYPE) || !has_pat() || !msr_read(MSR_IA32_PAT, &pat))
        return -1;
    space->has_typed = true;
    cpu_wbinvd();
    for (unsigned i = 0; i < PAT_ENTRIES; i++)
        if ((pat >> PAT_BITS * i & 0xff) == PAT_TYPE[memory])
            return (int)i;
    space->found_pat = pat;
    space->has_pat = true;
    pat &= ~(0xffull << PAT_BITS * PAT_SPARE);
    pat |= (uint64_t)PAT_TYPE[memory] << PAT_BITS * PAT_SPARE;
    return msr_write(MSR_IA32_PAT, pat) ? (int)PAT_SPARE : -1;
}

void space_give_type_back(struct cpu_space *space)
{
    if (space->has_typed)
        cpu_wbinvd();
    if (space->has_pat)
        msr_write(MSR_IA32_PAT, space->found_pat);
    space->has_typed = space->has_pat = false;
}
