/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's maker, product and firmware: DSP0134, "System Management BIOS (SMBIOS) Reference
 * Specification". Any entry of these tables may be wrong; that affects only what it describes.
 */
#ifndef BARECOUNT_PMU_CPU_SMBIOS_H
#define BARECOUNT_PMU_CPU_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_ENTRY_BYTES_MAX 32u

/* The strings in use; each may be "". Stored in journals. */
struct smbios {
    char firmware_version[64];
    char maker[64];
    char product[64];
    char uuid[40];
};

/* The address of the consecutive structures, and their maximum size. */
struct smbios_place {
    uint64_t address;
    uint32_t bytes;
};

/*
 * Reads an entry point ("SMBIOS 2.1 (32-bit) Entry Point", "SMBIOS 3.0 (64-bit) Entry Point") in a
 * buffer of the length that the entry point gives, at most SMBIOS_ENTRY_BYTES_MAX. False if it is
 * not an entry point, its checksum is wrong, or it has no structures.
 */
bool smbios_entry(const uint8_t *entry, struct smbios_place *place);

/*
 * Fills in all fields, "" where the structures have no value. Stops at a structure or string that
 * exceeds `bytes`. A UUID whose bytes are all equal counts as none.
 */
void smbios_read(const uint8_t *structures, size_t bytes, struct smbios *found);

/* The DIMMs with DRAM, of those whose size is known: the smallest and the largest, in MiB. */
struct smbios_dimms {
    unsigned count;
    uint64_t least_mib, most_mib;
};
void smbios_find_dimms(const uint8_t *structures, size_t bytes, struct smbios_dimms *dimms);

#endif
