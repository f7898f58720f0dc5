/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of PCI configuration space, read once. */
#include "boot/efi/border.h"
#include "boot/efi/tables.h"
#include "boot/efi/firmware.h"

#define SIGNATURE_MCFG 0x4746434du
#define AT_LENGTH      4u

const struct mcfg *firmware_mcfg(void)
{
    static struct mcfg mcfg;
    static bool is_read;
    const uint8_t *table;

    if (is_read)
        return &mcfg;
    is_read = true;
    table = efi_acpi_table(SIGNATURE_MCFG);
    if (table)
        mcfg_read(table, *(const uint32_t *)(table + AT_LENGTH), &mcfg);
    return &mcfg;
}
