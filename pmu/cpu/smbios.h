/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the machine's maker, product, UUID, firmware version and DIMMs from SMBIOS (DSP0134,
 * "System Management BIOS (SMBIOS) Reference Specification"). Any entry of the SMBIOS tables may be
 * wrong.
 */
#ifndef BARECOUNT_PMU_CPU_SMBIOS_H
#define BARECOUNT_PMU_CPU_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_ENTRY_BYTES_MAX 32u

/* The strings that the program uses; each may be "". Stored in journals. */
struct smbios {
    char firmware_version[64];
    char maker[64];
    char product[64];
    char uuid[40];
};

/* The address of the table of structures, and the maximum size of the table. */
struct smbios_place {
    uint64_t address;
    uint32_t bytes;
};

/*
 * Reads an entry point ("SMBIOS 2.1 (32-bit) Entry Point", "SMBIOS 3.0 (64-bit) Entry Point"). The
 * buffer must be as long as the entry point says, but need not exceed SMBIOS_ENTRY_BYTES_MAX. False
 * if the buffer contains no entry point, or if the entry point's length or checksum is wrong or its
 * address of the structures is 0.
 */
bool smbios_entry(const uint8_t *entry, struct smbios_place *place);

/*
 * Fills in all fields. A field is "" if the structures give no value for it, or if it is a UUID
 * whose bytes are all equal. Stops at a structure or string that exceeds `bytes`.
 */
void smbios_read(const uint8_t *structures, size_t bytes, struct smbios *found);

/* The number of DRAM DIMMs whose size is known, and their smallest and largest size. */
struct smbios_dimms {
    unsigned count;
    uint64_t least_mib, most_mib;
};
void smbios_find_dimms(const uint8_t *structures, size_t bytes, struct smbios_dimms *dimms);

#endif
