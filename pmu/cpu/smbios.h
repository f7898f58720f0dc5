/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maker, product, UUID, firmware version and DIMMs from SMBIOS (DSP0134). Any entry may be wrong.
 */
#ifndef BARECOUNT_PMU_CPU_SMBIOS_H
#define BARECOUNT_PMU_CPU_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_ENTRY_BYTES_MAX 32u

/* Each string may be empty. Stored in journals. */
struct smbios {
    char firmware_version[64];
    char maker[64];
    char product[64];
    char uuid[40];
};

struct smbios_place {
    uint64_t address;
    uint32_t bytes;
};

/*
 * Reads an SMBIOS 2.1 or 3.0 entry point; false if it is invalid. The buffer `entry` has the length
 * that the entry point gives, up to SMBIOS_ENTRY_BYTES_MAX.
 */
bool smbios_entry(const uint8_t *entry, struct smbios_place *place);

/*
 * A missing value, or a UUID of equal bytes, becomes "". Stops at a structure or string that
 * exceeds `bytes`.
 */
void smbios_read(const uint8_t *structures, size_t bytes, struct smbios *found);

/* DRAM DIMMs whose size is known. */
struct smbios_dimms {
    unsigned count;
    uint64_t least_mib, most_mib;
};
void smbios_find_dimms(const uint8_t *structures, size_t bytes, struct smbios_dimms *dimms);

#endif
