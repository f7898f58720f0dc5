/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses a package's registers: MSRs, PCI configuration space and memory-mapped registers. */
#include "boot/measure/uncore_registers.h"
#include "pmu/cpu/page_map.h"

#define CR3_TABLE 0x000ffffffffff000ull

static bool is_mapped(struct uncore_access *access, uint64_t address, unsigned bytes)
{
    const unsigned levels = cpu_cr4() & CR4_LA57 ? 5 : 4;

    if ((bytes != 4 && bytes != 8) || address % bytes != 0)
        return false;
    if (address >= access->first && address <= access->last)
        return true;
    if (page_walk_same((const uint64_t *)(cpu_cr3() & CR3_TABLE), levels, address, &access->first,
                       &access->last))
        return true;
    access->first = 1;
    access->last = 0;
    return false;
}

/*
 * Returns false if the address is in memory according to the memory map or the MTRRs. Records the
 * first address for which this is so.
 */
static bool is_free(struct uncore_access *access, uint64_t address, unsigned bytes)
{
    if (memory_guard_passes(&access->guard, address, bytes))
        return true;
    if (access->in_memory == 0)
        access->in_memory = address;
    return false;
}

/* False if there is no such bus, or if the address is not aligned, not mapped, or in memory. */
static bool locate(struct uncore_access *access, enum uncore_space space, uint64_t address,
                   unsigned bytes, uint64_t *place)
{
    *place = address;
    if (space == SPACE_PCI && !mcfg_address(access->mcfg, address, place))
        return false;
    return is_free(access, *place, bytes) && is_mapped(access, *place, bytes);
}

static bool read_register(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                          uint64_t *value)
{
    uint64_t place;

    if (space == SPACE_MSR)
        return msr_read((uint32_t)address, value);
    if (!locate(context, space, address, bytes, &place))
        return false;
    *value = bytes == 8 ? *(const volatile uint64_t *)place : *(const volatile uint32_t *)place;
    return true;
}

static bool write_register(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                           uint64_t value)
{
    uint64_t place;

    if (space == SPACE_MSR)
        return msr_write((uint32_t)address, value);
    if (!locate(context, space, address, bytes, &place))
        return false;
    if (bytes == 8)
        *(volatile uint64_t *)place = value;
    else
        *(volatile uint32_t *)place = (uint32_t)value;
    return true;
}

void uncore_access_start(struct uncore_access *access, const struct mcfg *mcfg,
                         const struct memory_map *memory)
{
    *access = (struct uncore_access){
        .port = {.context = access,
                 .read = read_register,
                 .write = write_register,
                 .in_memory = &access->in_memory},
        .mcfg = mcfg,
        .first = 1,
        .guard = {.map = *memory, .first = 1},
    };
    for (uint32_t i = 0; i < mcfg->ranges; i++)
        access->port.has_pci |= mcfg->range[i].segment == 0;
}

static bool read_msr(void *context, uint32_t msr, uint64_t *value)
{
    (void)context;
    return msr_read(msr, value);
}

void uncore_access_look(struct uncore_access *access, const struct cpu_caps *caps)
{
    access->guard.has_mtrrs =
        mtrr_read(read_msr, 0, caps->vendor == VENDOR_AMD, &access->guard.mtrrs);
}

struct uncore_error cpu_uncore_give_back(struct cpu_uncore *uncore)
{
    struct uncore_error error = {.status = STATUS_OK};

    if (uncore->is_taken)
        error = uncore_give_back(&uncore->access.port, &uncore->held);
    uncore->is_taken = false;
    return error;
}

struct uncore_error cpu_uncore_take(struct cpu_uncore *uncore)
{
    struct uncore_error error = cpu_uncore_give_back(uncore);

    uncore->held.count = 0;
    uncore->is_taken = true;
    uncore_take(&uncore->access.port, &uncore->found, uncore->kinds, &uncore->held);
    return error;
}
