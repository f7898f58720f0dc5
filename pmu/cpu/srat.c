/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the ACPI SRAT. */
#include "pmu/cpu/srat.h"

#define SIGNATURE       0x54415253u /* "SRAT" */
#define AT_LENGTH       4u
#define AT_REVISION     8u
#define AT_STRUCTURES   48u
#define REVISION_1      1u /* a domain number is one byte */
#define FLAG_ENABLED    (1u << 0)
#define FLAG_PERSISTENT (1u << 2) /* survives a power cut */

static uint32_t get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t get64(const uint8_t *at)
{
    return get32(at) | (uint64_t)get32(at + 4) << 32;
}

static void add_cpu(struct srat *srat, uint32_t apic_id, uint32_t node)
{
    if (srat->cpus == SRAT_CPUS_MAX)
        return;
    srat->cpu[srat->cpus].apic_id = apic_id;
    srat->cpu[srat->cpus++].node = node;
}

/* ACPI section 5.2.16.1. */
static void take_apic(struct srat *srat, const uint8_t *at, uint8_t revision)
{
    uint32_t node = revision > REVISION_1 ? at[2] | (get32(at + 8) & ~0xffu) : at[2];

    if (get32(at + 4) & FLAG_ENABLED)
        add_cpu(srat, at[3], node);
}

/* Firmware may split a node's memory, so overlapping and adjoining ranges are joined. */
static void add_range(struct srat *srat, struct span span, uint32_t node)
{
    for (uint32_t i = 0; i < srat->ranges;) {
        const struct span *other = &srat->range[i].span;

        if (srat->range[i].node != node || other->end < span.start || other->start > span.end) {
            i++;
            continue;
        }
        span.start = other->start < span.start ? other->start : span.start;
        span.end = other->end > span.end ? other->end : span.end;
        srat->range[i] = srat->range[--srat->ranges];
        i = 0; /* may adjoin further ranges */
    }
    if (srat->ranges == SRAT_RANGES_MAX)
        return;
    srat->range[srat->ranges].span = span;
    srat->range[srat->ranges++].node = node;
}

/* ACPI section 5.2.16.2. */
static void take_memory(struct srat *srat, const uint8_t *at, uint8_t revision)
{
    uint32_t node = revision > REVISION_1 ? get32(at + 2) : at[2];
    uint32_t flags = get32(at + 28);
    uint64_t base = get64(at + 8), length = get64(at + 16);

    if (!(flags & FLAG_ENABLED) || flags & FLAG_PERSISTENT || length == 0 ||
        base > UINT64_MAX - length)
        return;
    add_range(srat, (struct span){base, base + length}, node);
}

/* ACPI section 5.2.16.3. */
static void take_x2apic(struct srat *srat, const uint8_t *at, uint8_t revision)
{
    (void)revision;
    if (get32(at + 12) & FLAG_ENABLED)
        add_cpu(srat, get32(at + 8), get32(at + 4));
}

static const struct {
    uint8_t length;
    void (*take)(struct srat *srat, const uint8_t *at, uint8_t revision);
} STRUCTURES[] = {{16, take_apic}, {40, take_memory}, {24, take_x2apic}};
#define STRUCTURES_COUNT (sizeof(STRUCTURES) / sizeof(STRUCTURES[0]))

static bool is_srat(const uint8_t *table, size_t bytes)
{
    uint8_t sum = 0;
    uint32_t length;

    if (bytes < AT_STRUCTURES || get32(table) != SIGNATURE)
        return false;
    length = get32(table + AT_LENGTH);
    if (length < AT_STRUCTURES || length > bytes)
        return false;
    for (uint32_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + table[i]);
    return sum == 0;
}

bool srat_read(const uint8_t *table, size_t bytes, struct srat *srat)
{
    uint32_t length;

    srat->cpus = 0;
    srat->ranges = 0;
    if (!is_srat(table, bytes))
        return false;
    length = get32(table + AT_LENGTH);
    for (uint32_t at = AT_STRUCTURES; at + 2 <= length; at += table[at + 1]) {
        uint8_t type = table[at], size = table[at + 1];

        if (size < 2 || size > length - at)
            break;
        if (type < STRUCTURES_COUNT && size >= STRUCTURES[type].length)
            STRUCTURES[type].take(srat, table + at, table[AT_REVISION]);
    }
    return true;
}

uint32_t srat_cpu_node(const struct srat *srat, uint64_t apic_id)
{
    for (uint32_t i = 0; i < srat->cpus; i++)
        if (srat->cpu[i].apic_id == apic_id)
            return srat->cpu[i].node;
    return NODE_UNKNOWN;
}

uint32_t srat_memory_node(const struct srat *srat, struct span memory)
{
    for (uint32_t i = 0; i < srat->ranges; i++)
        if (memory.start >= srat->range[i].span.start && memory.end <= srat->range[i].span.end)
            return srat->range[i].node;
    return NODE_UNKNOWN;
}

static bool place_in(struct span span, uint64_t bytes, uint64_t align, enum srat_end end,
                     uint64_t *place)
{
    if (span.end < span.start || span.end - span.start < bytes)
        return false;
    *place = (end == SRAT_LOWEST ? span.start + align - 1 : span.end - bytes) & ~(align - 1);
    return *place >= span.start && *place <= span.end - bytes;
}

bool srat_place(const struct srat *srat, uint32_t node, struct span free, uint64_t bytes,
                uint64_t align, enum srat_end end, uint64_t *place)
{
    bool found = false;

    if (node == NODE_UNKNOWN)
        return place_in(free, bytes, align, end, place);
    for (uint32_t i = 0; i < srat->ranges; i++) {
        struct span span = srat->range[i].span;
        uint64_t here;

        if (srat->range[i].node != node)
            continue;
        if (span.start < free.start)
            span.start = free.start;
        if (span.end > free.end)
            span.end = free.end;
        if (!place_in(span, bytes, align, end, &here) ||
            (found && (here > *place) == (end == SRAT_LOWEST)))
            continue;
        *place = here;
        found = true;
    }
    return found;
}
