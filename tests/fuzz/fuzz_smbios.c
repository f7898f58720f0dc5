/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads arbitrary bytes as the firmware's SMBIOS tables: an entry point, then the structures. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/asserts.h"

#include "pmu/journal/record.h"
#include "pmu/cpu/smbios.h"

#define LENGTH2_AT   5u
#define CHECKSUM2_AT 4u
#define LENGTH3_AT   6u
#define CHECKSUM3_AT 5u

static void check_text(const char *text, size_t size)
{
    size_t length = strnlen(text, size);

    FUZZ_CHECK(length < size);
    for (size_t i = 0; i < length; i++)
        FUZZ_CHECK(text[i] >= ' ' && text[i] <= '~');
}

/* Parses an entry point in a block of exactly the length that the entry point states. */
static void try_entry(const uint8_t *data, size_t size)
{
    bool is_3 = size > LENGTH3_AT && memcmp(data, "_SM3_", 5) == 0;
    size_t bytes = size > LENGTH3_AT ? data[is_3 ? LENGTH3_AT : LENGTH2_AT] : 0;
    struct smbios_place place;
    uint8_t *entry;

    if (size < SMBIOS_ENTRY_BYTES_MAX || bytes <= LENGTH3_AT || bytes > SMBIOS_ENTRY_BYTES_MAX)
        return;
    entry = malloc(bytes);
    FUZZ_CHECK(entry);
    memcpy(entry, data, bytes);
    FUZZ_CHECK(smbios_entry(entry, &place) ? place.address != 0 : place.address == 0);
    free(entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct smbios found;
    size_t skipped = size < SMBIOS_ENTRY_BYTES_MAX ? size : SMBIOS_ENTRY_BYTES_MAX;
    uint8_t *structures = malloc(size - skipped + (size == skipped));

    FUZZ_CHECK(structures);
    memcpy(structures, data + skipped, size - skipped);
    try_entry(data, size);
    memset(&found, 0xff, sizeof(found));
    smbios_read(structures, size - skipped, &found);
    check_text(found.firmware_version, sizeof(found.firmware_version));
    check_text(found.maker, sizeof(found.maker));
    check_text(found.product, sizeof(found.product));
    check_text(found.uuid, sizeof(found.uuid));
    free(structures);
    return 0;
}

/*
 * Usually turns the first bytes into an entry point of SMBIOS 2 or 3, with a valid length and
 * checksum.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
    bool is_3 = seed % 4 < 2;
    unsigned checksum_at = is_3 ? CHECKSUM3_AT : CHECKSUM2_AT, bytes = is_3 ? 24 : 31;
    uint8_t sum = 0;

    size = LLVMFuzzerMutate(data, size, size_max);
    if (size < SMBIOS_ENTRY_BYTES_MAX || seed % 16 == 0)
        return size;
    memcpy(data, is_3 ? "_SM3_" : "_SM_", is_3 ? 5 : 4);
    data[is_3 ? LENGTH3_AT : LENGTH2_AT] = (uint8_t)bytes;
    data[checksum_at] = 0;
    for (unsigned i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + data[i]);
    data[checksum_at] = (uint8_t)-sum;
    return size;
}
