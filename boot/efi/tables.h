/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that the firmware leaves in memory. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_TABLES_H
#define BARECOUNT_BOOT_EFI_TABLES_H

#include "pmu/journal/record.h"
#include "pmu/cpu/srat.h"

/* Maker, product, UUID and firmware version of the machine, where SMBIOS gives them. */
void firmware_describe_smbios(struct run_record *run);

/* An ACPI table by its signature, four characters from the low byte on; null: there is none. */
const uint8_t *efi_acpi_table(uint32_t signature);

/* What the SRAT says; nothing without one. */
const struct srat *efi_srat(void);

#endif
