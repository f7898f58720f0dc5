/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables that the firmware leaves in memory. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_TABLES_H
#define BARECOUNT_BOOT_EFI_TABLES_H

#include "pmu/journal/record.h"
#include "pmu/cpu/srat.h"

/* Reads maker, product, UUID and firmware version from SMBIOS if present. */
void firmware_describe_smbios(struct run_record *run);

/* Finds an ACPI table by its signature, whose first character is in the low byte; null: none. */
const uint8_t *efi_acpi_table(uint32_t signature);

/* Empty: no SRAT. */
const struct srat *efi_srat(void);

#endif
