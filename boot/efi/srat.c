/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of nodes, read once. */
#include "boot/efi/border.h"
#include "boot/efi/tables.h"
#include "boot/efi/firmware.h"

#define SIGNATURE_SRAT 0x54415253u
#define AT_LENGTH      4u

const struct srat *efi_srat(void)
{
    static struct srat srat;
    static bool is_read;
    const uint8_t *table;

    if (is_read)
        return &srat;
    is_read = true;
    table = efi_acpi_table(SIGNATURE_SRAT);
    if (table)
        srat_read(table, *(const uint32_t *)(table + AT_LENGTH), &srat);
    return &srat;
}

uint32_t firmware_cpu_node(uint64_t apic_id)
{
    return srat_cpu_node(efi_srat(), apic_id);
}

uint32_t firmware_memory_node(const void *memory, uint64_t bytes)
{
    const struct span span = {(uint64_t)memory, (uint64_t)memory + bytes};

    return srat_memory_node(efi_srat(), span);
}
