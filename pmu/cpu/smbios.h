/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the maker says of the machine: DSP0134, "System Management BIOS (SMBIOS) Reference
 * Specification". Anything in these tables may be wrong, and costs no more than what it is about.
 */
#ifndef BARECOUNT_PMU_CPU_SMBIOS_H
#define BARECOUNT_PMU_CPU_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_ENTRY_BYTES_MAX 32u

/* What is taken of them; each may be "". Stands in journals. */
struct smbios {
    char firmware_version[64];
    char maker[64];
    char product[64];
    char uuid[40];
};

/* Where the structures stand, one behind the other, and how many bytes they are at the most. */
struct smbios_place {
    uint64_t address;
    uint32_t bytes;
};

/*
 * Reads an entry point ("SMBIOS 2.1 (32-bit) Entry Point", "SMBIOS 3.0 (64-bit) Entry Point") of
 * which as many bytes are there as it says, but no more than SMBIOS_ENTRY_BYTES_MAX. False: it is
 * none, its checksum is wrong, or it names no structures.
 */
bool smbios_entry(const uint8_t *entry, struct smbios_place *place);

/*
 * Fills in maker, product, uuid and firmware_version as far as the structures have them, each ""
 * otherwise. A structure or a string that reaches beyond `bytes` ends there, and the reading with
 * it. A UUID of equal bytes is none.
 */
void smbios_read(const uint8_t *structures, size_t bytes, struct smbios *found);

#endif
