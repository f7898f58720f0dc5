/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the firmware's tables: SMBIOS (machine) and ACPI (timer, nodes, PCI). */
#include "boot/efi/border.h"
#include "boot/efi/tables.h"
#include "boot/cpu/instructions.h"
#include "boot/efi/firmware.h"
#include "pmu/base/bytes.h"
#include "pmu/cpu/smbios.h"
#include "pmu/cpu/tsc.h"

static uint32_t length_of(const uint8_t *table)
{
    return (uint32_t)bytes_get(table + 4, 4);
}

/* ---- SMBIOS ---- */

static bool find_smbios(struct smbios_place *place)
{
    static const EFI_GUID GUIDS[] = {SMBIOS3_TABLE_GUID, SMBIOS_TABLE_GUID};

    for (unsigned i = 0; i < sizeof(GUIDS) / sizeof(GUIDS[0]); i++) {
        const uint8_t *entry = efi_table(&GUIDS[i]);

        if (entry && smbios_entry(entry, place))
            return true;
    }
    return false;
}

void firmware_describe_smbios(struct run_record *run)
{
    struct smbios_place place;

    if (find_smbios(&place))
        smbios_read((const uint8_t *)place.address, place.bytes, &run->smbios);
}

void firmware_find_dimms(struct smbios_dimms *dimms)
{
    struct smbios_place place;

    *dimms = (struct smbios_dimms){.count = 0};
    if (find_smbios(&place))
        smbios_find_dimms((const uint8_t *)place.address, place.bytes, dimms);
}

/* ---- ACPI specification, "Fixed ACPI Description Table" and "Power Management Timer" ---- */

#define PM_TIMER_HZ       3579545ull
#define PM_TIMER_TICKS    (PM_TIMER_HZ / 20)
#define FADT_PM_TMR_BLK   76u
#define FADT_X_PM_TMR     208u
#define GAS_SYSTEM_IO     1u
#define ACPI_HEADER_BYTES 36u
#define SIGNATURE_FACP    0x50434146u
#define RSDP_REVISION     15u
#define RSDP_RSDT         16u
#define RSDP_XSDT         24u
#define TIMER_READINGS    5u

#define LIST_BYTES_MAX 4096u /* a longer list is damaged */

/* An RSDT, with 4-byte addresses, or an XSDT, with 8-byte addresses. */
struct acpi_list {
    const uint8_t *at; /* null: none */
    uint32_t entry_bytes;
};

static struct acpi_list acpi_list(void)
{
    static const EFI_GUID ACPI_20 = ACPI_20_TABLE_GUID, ACPI_10 = ACPI_TABLE_GUID;
    const uint8_t *rsdp = efi_table(&ACPI_20);

    if (!rsdp)
        rsdp = efi_table(&ACPI_10);
    if (!rsdp)
        return (struct acpi_list){0};
    if (rsdp[RSDP_REVISION] >= 2 && bytes_get(rsdp + RSDP_XSDT, 8))
        return (struct acpi_list){(const uint8_t *)bytes_get(rsdp + RSDP_XSDT, 8), 8};
    return (struct acpi_list){(const uint8_t *)bytes_get(rsdp + RSDP_RSDT, 4), 4};
}

/*
 * Returns the table of the first entry that is not 0, at byte *at of the list or later. Moves *at
 * past this entry. Null: there are no more tables.
 */
static const uint8_t *next_table(struct acpi_list list, uint32_t *at)
{
    while (list.at && *at + list.entry_bytes <= LIST_BYTES_MAX &&
           *at + list.entry_bytes <= length_of(list.at)) {
        uint64_t address = bytes_get(list.at + *at, list.entry_bytes);

        *at += list.entry_bytes;
        if (address)
            return (const uint8_t *)address;
    }
    return 0;
}

const uint8_t *efi_acpi_table(uint32_t signature)
{
    const struct acpi_list list = acpi_list();
    uint32_t at = ACPI_HEADER_BYTES;
    const uint8_t *table = next_table(list, &at);

    while (table && bytes_get(table, 4) != signature)
        table = next_table(list, &at);
    return table;
}

void firmware_list_acpi(void (*take)(void *context, const uint8_t *table, uint32_t bytes),
                        void *context)
{
    const struct acpi_list list = acpi_list();
    uint32_t at = ACPI_HEADER_BYTES;
    const uint8_t *table;

    while ((table = next_table(list, &at)))
        take(context, table, length_of(table));
}

/* Returns 0 if there is no ACPI timer. */
static uint16_t pm_timer_port(void)
{
    const uint8_t *fadt = efi_acpi_table(SIGNATURE_FACP);

    if (!fadt)
        return 0;
    if (length_of(fadt) >= FADT_X_PM_TMR + 12 && fadt[FADT_X_PM_TMR] == GAS_SYSTEM_IO &&
        bytes_get(fadt + FADT_X_PM_TMR + 4, 8))
        return (uint16_t)bytes_get(fadt + FADT_X_PM_TMR + 4, 8);
    return length_of(fadt) >= FADT_PM_TMR_BLK + 4 ? (uint16_t)bytes_get(fadt + FADT_PM_TMR_BLK, 4)
                                                  : 0;
}

/*
 * Reads the ACPI timer and the TSC together, several times. SMIs may delay a reading, so the
 * quickest one is used.
 */
static uint32_t read_timer(uint16_t port, uint64_t *tsc)
{
    uint64_t least = UINT64_MAX;
    uint32_t ticks = 0;

    for (unsigned i = 0; i < TIMER_READINGS; i++) {
        uint64_t before = cpu_tsc();
        uint32_t value = cpu_port_in32(port);
        uint64_t took = cpu_tsc() - before;

        if (took >= least)
            continue;
        least = took;
        ticks = value;
        *tsc = before + took / 2;
    }
    return ticks;
}

static uint32_t timer_value(void *context)
{
    return cpu_port_in32(*(const uint16_t *)context);
}

uint64_t firmware_measure_tsc(void)
{
    uint16_t port = pm_timer_port();
    uint32_t first, ticks;
    uint64_t start = 0, end = 0;

    if (port == 0)
        return 0;
    first = read_timer(port, &start);
    if (!tsc_await_timer(timer_value, &port, first, PM_TIMER_TICKS))
        return 0;
    ticks = (read_timer(port, &end) - first) & TSC_TIMER_MASK;
    return ticks > 0 ? (end - start) * PM_TIMER_HZ / ticks : 0;
}

/* Returns the table only once: if *asked is already true, or there is no table, returns null. */
static const uint8_t *table_once(uint32_t signature, bool *asked)
{
    const uint8_t *table = *asked ? 0 : efi_acpi_table(signature);

    *asked = true;
    return table;
}

#define SIGNATURE_SRAT 0x54415253u
#define SIGNATURE_MCFG 0x4746434du

const struct srat *efi_srat(void)
{
    static struct srat srat;
    static bool asked;
    const uint8_t *table = table_once(SIGNATURE_SRAT, &asked);

    if (table)
        srat_read(table, length_of(table), &srat);
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

const struct mcfg *firmware_mcfg(void)
{
    static struct mcfg mcfg;
    static bool asked;
    const uint8_t *table = table_once(SIGNATURE_MCFG, &asked);

    if (table)
        mcfg_read(table, length_of(table), &mcfg);
    return &mcfg;
}
