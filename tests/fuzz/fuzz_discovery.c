/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads an arbitrary uncore discovery table. In the range of the memory map, the program must read
 * nothing and find no unit. The program must write no register.
 *
 * The input consists of the table's BAR, the range's first address and number of pages, the table's
 * first word (0 stands for a valid word), and three words for each unit.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/asserts.h"

#include "pmu/cpu/memory_map.h"
#include "pmu/uncore/parts.h"

#define WORDS_MAX  512u
#define HEAD_WORDS 4u
#define QWORDS     4u /* per entry */
#define UNIT_WORDS 3u
#define SAPPHIRE   0x8fu
#define NO_DEVICE  0xffffffffu

/* the memory map's only range, as an EFI_MEMORY_DESCRIPTOR */
static struct {
    uint64_t type, start, virtual, pages, attributes;
} memory;
static struct memory_guard guard;
static uint64_t input[WORDS_MAX], table_at, in_memory;
static size_t words;

/* Checks each byte by itself, to be independent of the program's arithmetic. */
static bool is_memory(uint64_t address, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        if (address + i >= memory.start && (address + i - memory.start) >> 12 < memory.pages)
            return true;
    return false;
}

/*
 * Configuration space of three devices: the UBOX of package 0, the device whose BAR 0 points to the
 * table, and an M2M.
 */
static uint32_t pci(uint64_t address)
{
    static const struct {
        uint64_t address;
        uint32_t value;
    } REGISTERS[] = {{0x0, 0x32508086},     {0xc0, 0},    {0xd4, 0x00fac688},
                     {0x18000, 0x09a78086}, {0x18004, 2}, {0x18100, 0x00010023},
                     {0x18104, 0x01008086}, {0x18108, 1}, {0x1810c, 0},
                     {0x60000, 0x324a8086}};

    if (address == 0x18010)
        return (uint32_t)table_at | 4; /* 64-bit BAR */
    if (address == 0x18014)
        return (uint32_t)(table_at >> 32);
    for (unsigned i = 0; i < sizeof(REGISTERS) / sizeof(REGISTERS[0]); i++)
        if (REGISTERS[i].address == address)
            return REGISTERS[i].value;
    return address >> 12 == 0x60 || address >> 12 == 0x18 ? 0 : NO_DEVICE;
}

static uint64_t word_at(uint64_t address)
{
    uint64_t at = (address - (table_at & ~0xfull)) / 8, entry = at / QWORDS, word = at % QWORDS;

    if (at == 0)
        return input[3] ? input[3] : QWORDS << 8 | (words - HEAD_WORDS) / UNIT_WORDS << 16;
    if (entry == 0)
        return 1;
    at = HEAD_WORDS + (entry - 1) * UNIT_WORDS + word;
    return entry < WORDS_MAX && word < UNIT_WORDS && at < words ? input[at] : 0;
}

static bool read_any(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                     uint64_t *value)
{
    (void)context;
    *value = space == SPACE_PCI ? pci(address) : 0;
    if (space != SPACE_MMIO)
        return true;
    if (!memory_guard_passes(&guard, address, bytes)) {
        in_memory = in_memory ? in_memory : address;
        return false;
    }
    FUZZ_CHECK(address % bytes == 0 && address <= (1ull << 52) - bytes);
    FUZZ_CHECK(!is_memory(address, bytes));
    *value = bytes == 8 ? word_at(address) : (uint32_t)word_at(address);
    return true;
}

static bool write_none(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                       uint64_t value)
{
    (void)context, (void)space, (void)address, (void)bytes, (void)value;
    FUZZ_CHECK(false);
}

static void check_group(const struct uncore_group *group)
{
    const struct uncore_type *type = &group->type;

    FUZZ_CHECK((group->status == STATUS_UNCORE_MEMORY) == (group->in_memory != 0));
    FUZZ_CHECK(group->units <= UNCORE_UNITS_MAX && (group->units == 0 || !group->status));
    for (unsigned unit = 0; type->space == SPACE_MMIO && unit < group->units; unit++) {
        FUZZ_CHECK(!is_memory(uncore_box_at(group, unit), uncore_box_bytes(type)));
        for (unsigned i = 0; i < type->counters; i++) {
            FUZZ_CHECK(!is_memory(uncore_select_at(group, unit, i), type->select_bytes));
            FUZZ_CHECK(!is_memory(uncore_counter_at(group, unit, i), type->counter_bytes));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct uncore uncore;
    const struct uncore_port port = {
        .read = read_any, .write = write_none, .has_pci = true, .in_memory = &in_memory};
    const struct cpu_caps caps = {.vendor = VENDOR_INTEL, .family = 6, .model = SAPPHIRE};

    words = size / 8 < WORDS_MAX ? size / 8 : WORDS_MAX;
    if (words < HEAD_WORDS)
        return 0;
    memcpy(input, data, words * 8);
    table_at = input[0] & ~0xfull;
    memory.type = 7;
    memory.start = input[1] & ~0xfffull;
    memory.pages = input[2];
    guard = (struct memory_guard){.map = {(const uint8_t *)&memory, sizeof(memory), sizeof(memory)},
                                  .first = 1};
    uncore_find(&port, &caps, &uncore);
    for (unsigned i = 0; i < uncore.groups; i++)
        if (uncore.group[i].type.kind != KIND_ENERGY)
            check_group(&uncore.group[i]);
    return 0;
}
