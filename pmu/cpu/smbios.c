/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads SMBIOS structures. */
#include "pmu/cpu/smbios.h"

#include "pmu/base/bytes.h"
#include "pmu/base/out.h"
#include "pmu/base/text.h"

#define ANCHOR2           0x5f4d535fu /* "_SM_" */
#define ANCHOR3           0x334d535fu
#define ANCHOR3_END       4u
#define ENTRY2_LENGTH     5u
#define ENTRY2_BYTES      30u /* 31 would be right, but version 2.1 of the specification said 30 */
#define ENTRY2_SIZE       22u
#define ENTRY2_STRUCTURES 24u
#define ENTRY3_LENGTH     6u
#define ENTRY3_BYTES      24u
#define ENTRY3_SIZE       12u
#define ENTRY3_STRUCTURES 16u

#define HEAD_BYTES       4u /* type, length, handle */
#define STRUCTURES_MAX   4096u
#define TYPE_FIRMWARE    0u
#define TYPE_SYSTEM      1u
#define TYPE_DIMM        17u
#define TYPE_END         127u
#define FIRMWARE_VERSION 5u
#define SYSTEM_MAKER     4u
#define SYSTEM_PRODUCT   5u
#define SYSTEM_UUID      8u
#define UUID_BYTES       16u
#define DIMM_SIZE        12u
#define DIMM_TYPE        18u
#define DIMM_EXTENDED    28u
#define DIMM_TECHNOLOGY  40u
#define TECHNOLOGY_DRAM  3u /* 1 (other) and 2 (unknown) count as DRAM too */
#define SIZE_EXTENDED    0x7fffu
#define SIZE_UNKNOWN     0xffffu
#define SIZE_IN_KIB      0x8000u

/* Offsets in this file are relative to `at`. */
struct table {
    const uint8_t *at;
    size_t bytes;
};

static bool sum_is_zero(const uint8_t *at, unsigned bytes)
{
    uint8_t sum = 0;

    while (bytes > 0)
        sum = (uint8_t)(sum + at[--bytes]);
    return sum == 0;
}

bool smbios_entry(const uint8_t *entry, struct smbios_place *place)
{
    uint64_t anchor = bytes_get(entry, sizeof(uint32_t));
    bool is_3 = anchor == ANCHOR3 && entry[ANCHOR3_END] == '_';
    unsigned length = is_3 ? entry[ENTRY3_LENGTH] : entry[ENTRY2_LENGTH];

    *place = (struct smbios_place){0};
    if ((!is_3 && anchor != ANCHOR2) || length < (is_3 ? ENTRY3_BYTES : ENTRY2_BYTES) ||
        length > SMBIOS_ENTRY_BYTES_MAX || !sum_is_zero(entry, length))
        return false;
    place->address =
        is_3 ? bytes_get(entry + ENTRY3_STRUCTURES, 8) : bytes_get(entry + ENTRY2_STRUCTURES, 4);
    place->bytes =
        (uint32_t)(is_3 ? bytes_get(entry + ENTRY3_SIZE, 4) : bytes_get(entry + ENTRY2_SIZE, 2));
    return place->address != 0;
}

/* Copies string `number` of a structure. Numbers begin at 1, and 0 means no string. */
static void take_string(struct table table, size_t strings, unsigned number, char *to, size_t size)
{
    struct out out = out_buffer(to, size);
    size_t at = strings;

    for (; number > 1 && at < table.bytes && table.at[at]; number--) {
        while (at < table.bytes && table.at[at])
            at++;
        at++;
    }
    for (; number == 1 && at < table.bytes && table.at[at]; at++)
        out_char(&out, text_printable(table.at[at]));
    out_end(&out);
}

/* The first three fields of a UUID are little-endian. */
static void take_uuid(const uint8_t *uuid, char *to, size_t size)
{
    static const uint8_t ORDER[UUID_BYTES] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    struct out out = out_buffer(to, size);
    unsigned alike = 1;

    while (alike < UUID_BYTES && uuid[alike] == uuid[0])
        alike++;
    for (unsigned i = 0; alike < UUID_BYTES && i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out_char(&out, '-');
        out_printf(&out, "%02x", uuid[ORDER[i]]);
    }
    out_end(&out);
}

static void take_structure(struct table table, size_t at, struct smbios *found)
{
    const uint8_t *structure = table.at + at;
    unsigned type = structure[0], length = structure[1];
    size_t strings = at + length;

    if (type == TYPE_FIRMWARE && length > FIRMWARE_VERSION)
        take_string(table, strings, structure[FIRMWARE_VERSION], found->firmware_version,
                    sizeof(found->firmware_version));
    if (type == TYPE_SYSTEM && length > SYSTEM_PRODUCT) {
        take_string(table, strings, structure[SYSTEM_MAKER], found->maker, sizeof(found->maker));
        take_string(table, strings, structure[SYSTEM_PRODUCT], found->product,
                    sizeof(found->product));
    }
    if (type == TYPE_SYSTEM && length >= SYSTEM_UUID + UUID_BYTES)
        take_uuid(structure + SYSTEM_UUID, found->uuid, sizeof(found->uuid));
}

static size_t next_structure(struct table table, size_t at)
{
    at += table.at[at + 1];
    while (at + 1 < table.bytes && (table.at[at] || table.at[at + 1]))
        at++;
    return at + 2;
}

static bool is_structure(struct table table, size_t at)
{
    return at + HEAD_BYTES <= table.bytes && table.at[at] != TYPE_END &&
           table.at[at + 1] >= HEAD_BYTES && at + table.at[at + 1] <= table.bytes;
}

void smbios_read(const uint8_t *structures, size_t bytes, struct smbios *found)
{
    struct table table = {structures, bytes};
    size_t at = 0;

    found->firmware_version[0] = found->maker[0] = found->product[0] = found->uuid[0] = 0;
    for (unsigned i = 0; i < STRUCTURES_MAX && is_structure(table, at); i++) {
        take_structure(table, at, found);
        at = next_structure(table, at);
    }
}

/* ROM, flash, and HBM in the CPU's package are not DIMMs. */
static bool is_dimm(uint8_t type)
{
    return !(type >= 0x08 && type <= 0x0c) && type != 0x20 && type != 0x21 && type != 0x24;
}

/* The size in MiB of a "Memory Device (Type 17)"; 0: unknown, or not a DRAM DIMM. */
static uint64_t dimm_mib(const uint8_t *structure)
{
    unsigned length = structure[1];
    uint64_t size;

    if (structure[0] != TYPE_DIMM || length < DIMM_SIZE + 2 ||
        (length > DIMM_TYPE && !is_dimm(structure[DIMM_TYPE])) ||
        (length > DIMM_TECHNOLOGY && structure[DIMM_TECHNOLOGY] > TECHNOLOGY_DRAM))
        return 0;
    size = bytes_get(structure + DIMM_SIZE, 2);
    if (size == SIZE_EXTENDED)
        return length < DIMM_EXTENDED + 4 ? 0 : bytes_get(structure + DIMM_EXTENDED, 4);
    if (size == SIZE_UNKNOWN)
        return 0;
    return size & SIZE_IN_KIB ? (size & ~SIZE_IN_KIB) / 1024 : size;
}

void smbios_find_dimms(const uint8_t *structures, size_t bytes, struct smbios_dimms *dimms)
{
    struct table table = {structures, bytes};
    size_t at = 0;

    *dimms = (struct smbios_dimms){0};
    for (unsigned i = 0; i < STRUCTURES_MAX && is_structure(table, at); i++) {
        uint64_t mib = dimm_mib(structures + at);

        if (mib > 0 && (dimms->count == 0 || mib < dimms->least_mib))
            dimms->least_mib = mib;
        if (mib > dimms->most_mib)
            dimms->most_mib = mib;
        dimms->count += mib > 0;
        at = next_structure(table, at);
    }
}
