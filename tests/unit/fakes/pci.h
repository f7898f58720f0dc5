/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI functions, memory and MSRs behind a struct uncore_port. The port detects writes, and reads of
 * unidentified registers. Missing PCI functions and memory read as all ones. Missing MSRs raise
 * #GP.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_PCI_H
#define BARECOUNT_TESTS_UNIT_FAKES_PCI_H

#include <string.h>

#include "pmu/cpu/memory_map.h"
#include "pmu/uncore/models.h"
#include "pmu/base/status.h"

#define FAKE_SPOTS   2048u
#define FAKE_REGIONS 64u
#define FAKE_ECAM    0xc0000000ull /* address of PCI configuration space */
#define FAKE_HEADER  0x0cu         /* its bit 23 means that there are more functions */

static struct {
    struct {
        enum uncore_space space;
        uint64_t address, value;
    } spot[FAKE_SPOTS];
    unsigned spots;
    struct {
        enum uncore_space space;
        uint64_t first, end, fill;
    } region[FAKE_REGIONS];
    unsigned regions;
    unsigned pci_reads, mmio_reads, writes;
    unsigned strayed; /* reads of unidentified registers, and misaligned reads */
    bool any_memory;
    uint64_t msr_from; /* if not 0, only MSRs msr_from to 3FFFH and 600H to 64DH may be read */
    struct {           /* an EFI_MEMORY_DESCRIPTOR */
        uint64_t type, start, virtual, pages, attributes;
    } memory;
    struct memory_guard guard;
    uint64_t in_memory; /* the first refused address that is memory; 0: none */
} fake;

static struct uncore found;

static inline uint64_t fake_function(unsigned bus, unsigned device, unsigned function)
{
    return (uint64_t)bus << 20 | (uint64_t)device << 15 | (uint64_t)function << 12;
}

/* If several calls set the same address, the last call counts. */
static inline void fake_set(enum uncore_space space, uint64_t address, uint64_t value)
{
    fake.spot[fake.spots].space = space;
    fake.spot[fake.spots].address = address;
    fake.spot[fake.spots++].value = value;
}

/* Reads return `fill` where no other value is set. */
static inline void fake_region(enum uncore_space space, uint64_t first, uint64_t end, uint64_t fill)
{
    fake.region[fake.regions].space = space;
    fake.region[fake.regions].first = first;
    fake.region[fake.regions].end = end;
    fake.region[fake.regions++].fill = fill;
}

/* A device of Intel whose registers are all 0, except the IDs. */
static inline uint64_t fake_device(unsigned bus, unsigned device, unsigned function, unsigned id)
{
    uint64_t at = fake_function(bus, device, function);

    fake_region(SPACE_PCI, at, at + 0x1000, 0);
    fake_set(SPACE_PCI, at, 0x8086u | (uint64_t)id << 16);
    return at;
}

/* CPUNODEID is at C0H, and GIDNIDMAP at D4H. Package i is node (map >> 3 * i) & 7. */
static inline void fake_ubox(unsigned bus, unsigned device, unsigned id, uint32_t node,
                             uint32_t map)
{
    uint64_t ubox = fake_device(bus, device, 0, id);

    fake_set(SPACE_PCI, ubox + 0xc0, 0xffffff00u | node);
    fake_set(SPACE_PCI, ubox + 0xd4, map);
}

static inline void fake_other(unsigned bus, unsigned device, unsigned function, uint32_t ids)
{
    fake_set(SPACE_PCI, fake_function(bus, device, function), ids);
}

static inline bool fake_look(enum uncore_space space, uint64_t address, uint64_t *value)
{
    for (unsigned i = fake.spots; i-- > 0;)
        if (fake.spot[i].space == space && fake.spot[i].address == address) {
            *value = fake.spot[i].value;
            return true;
        }
    for (unsigned i = fake.regions; i-- > 0;)
        if (fake.region[i].space == space && address >= fake.region[i].first &&
            address < fake.region[i].end) {
            *value = fake.region[i].fill;
            return true;
        }
    return false;
}

static inline void fake_memory(uint64_t start, uint64_t pages)
{
    fake.memory.type = 7;
    fake.memory.start = start;
    fake.memory.pages = pages;
    fake.guard = (struct memory_guard){
        .map = {(const uint8_t *)&fake.memory, sizeof(fake.memory), sizeof(fake.memory)},
        .first = 1};
}

/* Whether an access is refused as memory, decided as in boot/measure/uncore_registers.c. */
static inline bool fake_is_memory(enum uncore_space space, uint64_t address, unsigned bytes)
{
    if (space == SPACE_PCI)
        address += FAKE_ECAM;
    if (fake.memory.pages == 0 || space == SPACE_MSR ||
        memory_guard_passes(&fake.guard, address, bytes))
        return false;
    if (fake.in_memory == 0)
        fake.in_memory = address;
    return true;
}

static inline bool fake_read(void *context, enum uncore_space space, uint64_t address,
                             unsigned bytes, uint64_t *value)
{
    bool known = fake_look(space, address, value);

    (void)context;
    if (fake_is_memory(space, address, bytes))
        return false;
    fake.pci_reads += space == SPACE_PCI;
    fake.mmio_reads += space == SPACE_MMIO;
    if (space == SPACE_MSR) {
        fake.strayed += fake.msr_from != 0 && (address < fake.msr_from || address > 0x3fff) &&
                        (address < 0x600 || address > 0x64d);
        return known;
    }
    fake.strayed += address % bytes != 0 || (space == SPACE_PCI && bytes != 4);
    if (!known) {
        *value = UINT64_MAX;
        if (space == SPACE_MMIO)
            fake.strayed += !fake.any_memory || address == 0 || address > (1ull << 52) - bytes;
        else
            fake.strayed += (address & 0xfff) != 0 && (address & 0xfff) != FAKE_HEADER;
    }
    if (bytes == 4)
        *value &= UINT32_MAX;
    return true;
}

static inline bool fake_write(void *context, enum uncore_space space, uint64_t address,
                              unsigned bytes, uint64_t value)
{
    (void)context;
    (void)space;
    (void)address;
    (void)bytes;
    (void)value;
    fake.writes++;
    return true;
}

static struct uncore_port fake_port = {
    .read = fake_read, .write = fake_write, .has_pci = true, .in_memory = &fake.in_memory};

static inline void fake_start(void)
{
    memset(&fake, 0, sizeof(fake));
    fake_port.has_pci = true;
}

/* Nothing may be written, and only identified registers may be read. */
static inline void fake_find(unsigned model, unsigned package)
{
    struct cpu_caps caps = {
        .vendor = VENDOR_INTEL, .family = 6, .model = model, .package = package};

    memset(&found, 0xa5, sizeof(found));
    fake.pci_reads = fake.mmio_reads = 0;
    uncore_find(&fake_port, &caps, &found);
    assert_int_equal(fake.writes, 0);
    assert_int_equal(fake.strayed, 0);
}

/* -1: the model lacks the kind. */
static inline int fake_status(unsigned kind)
{
    const struct uncore_group *group = uncore_group(&found, kind);

    return group ? (int)group->status : -1;
}

static inline const struct uncore_group *fake_units(unsigned kind, unsigned units)
{
    const struct uncore_group *group = uncore_group(&found, kind);

    assert_non_null(group);
    assert_string_equal(status_text(group->status), status_text(STATUS_OK));
    assert_int_equal(group->units, units);
    return group;
}

#endif
