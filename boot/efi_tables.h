/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_BOOT_EFI_TABLES_H
#define BARECOUNT_BOOT_EFI_TABLES_H

#include "pmu/record.h"

/* Maker, product, UUID and firmware version of the machine, where SMBIOS gives them. */
void firmware_describe_smbios(struct run_record *run);

#endif
