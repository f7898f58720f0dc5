/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates and frees the firmware's memory. */
#include "boot/efi/cpus.h"
#include "boot/efi/border.h"
#include "boot/efi/tables.h"
#include "boot/efi/firmware.h"
#include "pmu/cpu/srat.h"

/* Blocks beyond this number are not freed. */
#define BLOCKS_MAX (CPUS_MAX + 128u)
#define LOW_BYTES  (1ull << 20) /* above legacy memory */
#define HIGH_FROM  (1ull << 32)
#define MAP_SPARE  4096u /* allocating memory for the map makes the map grow */

enum kind { KIND_FREE, KIND_KEPT, KIND_PLAN, KIND_FILE, KIND_BUFFER };

static struct {
    struct {
        EFI_PHYSICAL_ADDRESS address;
        UINTN pages;
        enum kind kind;
    } block[BLOCKS_MAX];
    unsigned blocks;
    uint64_t bytes; /* of all blocks */
    struct memory_map map;
} taken;

static UINTN pages_of(uint64_t bytes)
{
    return (bytes + EFI_PAGE_MASK) >> EFI_PAGE_SHIFT;
}

static void *keep(EFI_PHYSICAL_ADDRESS address, UINTN pages, enum kind kind)
{
    unsigned i = 0;

    taken.bytes += pages << EFI_PAGE_SHIFT;
    while (i < taken.blocks && taken.block[i].kind != KIND_FREE)
        i++;
    if (i < BLOCKS_MAX) {
        taken.block[i].address = address;
        taken.block[i].pages = pages;
        taken.block[i].kind = kind;
        taken.blocks += i == taken.blocks;
    }
    return (void *)address;
}

static void *take(uint64_t bytes, EFI_MEMORY_TYPE type, enum kind kind)
{
    EFI_PHYSICAL_ADDRESS address = 0;
    UINTN pages = pages_of(bytes);

    if (EFI_SYSTEM->BootServices->AllocatePages(AllocateAnyPages, type, pages, &address) !=
        EFI_SUCCESS)
        return 0;
    EFI_SYSTEM->BootServices->SetMem((void *)address, pages << EFI_PAGE_SHIFT, 0);
    return keep(address, pages, kind);
}

static void give_back(unsigned i)
{
    if (taken.block[i].kind == KIND_FREE)
        return;
    EFI_SYSTEM->BootServices->FreePages(taken.block[i].address, taken.block[i].pages);
    taken.bytes -= taken.block[i].pages << EFI_PAGE_SHIFT;
    taken.block[i].kind = KIND_FREE;
}

static void give_back_kind(enum kind kind)
{
    for (unsigned i = 0; i < taken.blocks; i++)
        if (taken.block[i].kind == kind)
            give_back(i);
}

void *firmware_memory(size_t bytes)
{
    return take(bytes, EfiLoaderData, KIND_KEPT);
}

void *firmware_plan_memory(size_t bytes)
{
    return take(bytes, EfiLoaderCode, KIND_PLAN);
}

void firmware_plan_memory_free(void)
{
    give_back_kind(KIND_PLAN);
}

void *firmware_file_memory(size_t bytes)
{
    return take(bytes, EfiLoaderData, KIND_FILE);
}

void firmware_file_memory_free(void)
{
    give_back_kind(KIND_FILE);
}

void firmware_buffers_free(void)
{
    give_back_kind(KIND_BUFFER);
}

void firmware_memory_give_back(void)
{
    while (taken.blocks > 0)
        give_back(--taken.blocks);
}

uint64_t firmware_memory_taken(void)
{
    return taken.bytes;
}

/* ---- placement (UEFI specification, "EFI_BOOT_SERVICES.GetMemoryMap()") ---- */

struct map {
    char *descriptors;
    UINTN bytes, each;
};

static bool read_map(struct map *map)
{
    EFI_BOOT_SERVICES *services = EFI_SYSTEM->BootServices;
    UINTN key;
    UINT32 version;

    *map = (struct map){0};
    services->GetMemoryMap(&map->bytes, 0, &key, &map->each, &version);
    map->bytes += MAP_SPARE;
    if (services->AllocatePool(EfiLoaderData, map->bytes, (void **)&map->descriptors) !=
        EFI_SUCCESS)
        return false;
    if (services->GetMemoryMap(&map->bytes, (EFI_MEMORY_DESCRIPTOR *)map->descriptors, &key,
                               &map->each, &version) == EFI_SUCCESS)
        return true;
    efi_free(map->descriptors);
    return false;
}

const struct memory_map *firmware_memory_map(void)
{
    struct map map;
    uint8_t *copy;

    if (taken.map.descriptors || !read_map(&map))
        return &taken.map;
    copy = firmware_memory(map.bytes);
    if (copy) {
        EFI_SYSTEM->BootServices->CopyMem(copy, map.descriptors, map.bytes);
        taken.map = (struct memory_map){copy, map.bytes, map.each};
    }
    efi_free(map.descriptors);
    return &taken.map;
}

struct wish {
    uint64_t bytes, align;
    uint32_t node;
    uint64_t from; /* the least address */
    enum srat_end end;
};

static void *take_in(const EFI_MEMORY_DESCRIPTOR *range, const struct wish *wish)
{
    struct span free = {range->PhysicalStart,
                        range->PhysicalStart + (range->NumberOfPages << EFI_PAGE_SHIFT)};
    EFI_PHYSICAL_ADDRESS address;

    if (free.start < wish->from)
        free.start = wish->from;
    if (range->Type != EfiConventionalMemory ||
        !srat_place(efi_srat(), wish->node, free, wish->bytes, wish->align, wish->end, &address) ||
        EFI_SYSTEM->BootServices->AllocatePages(AllocateAddress, EfiLoaderData,
                                                pages_of(wish->bytes), &address) != EFI_SUCCESS)
        return 0;
    return keep(address, pages_of(wish->bytes), KIND_BUFFER);
}

void *firmware_buffer(uint64_t bytes, uint64_t align, uint32_t node)
{
    const uint64_t whole = (uint64_t)pages_of(bytes) << EFI_PAGE_SHIFT;
    const struct wish wishes[] = {{whole, align, node, HIGH_FROM, SRAT_LOWEST},
                                  {whole, align, node, LOW_BYTES, SRAT_HIGHEST}};
    struct map map;
    void *buffer = 0;

    if (!read_map(&map))
        return 0;
    for (UINTN at = 0; at + map.each <= map.bytes && !buffer; at += map.each)
        buffer = take_in((EFI_MEMORY_DESCRIPTOR *)(map.descriptors + at), &wishes[0]);
    for (UINTN at = map.bytes; at >= map.each && !buffer; at -= map.each)
        buffer = take_in((EFI_MEMORY_DESCRIPTOR *)(map.descriptors + at - map.each), &wishes[1]);
    efi_free(map.descriptors);
    return buffer;
}
