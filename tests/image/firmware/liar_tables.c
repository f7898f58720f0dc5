/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies that hide or damage configuration tables. */
#include "tests/image/firmware/liar.h"

#define TABLES_MAX     64u
#define ENTRY_BYTES    24u /* size of an SMBIOS 3 entry point; the next four are offsets in it */
#define ENTRY_CHECKSUM 5u
#define ENTRY_LENGTH   6u
#define ENTRY_SIZE     12u
#define ENTRY_TABLE    16u
#define SMBIOS_KINDS   5u
#define UUID_BYTES     16u
#define DIMM_BYTES     21u /* size of a structure of type 17 in SMBIOS 2.1 */
#define DIMM_SIZE      12u

static EFI_CONFIGURATION_TABLE tables[TABLES_MAX];

/* ---- SMBIOS (DSP0134) ---- */

/* A structure of type 1: type, length of 27 bytes, handle, numbers of four strings. */
static const uint8_t HEAD[] = {1, 27, 1, 0, 1, 2, 3, 4};
#define FIRST_STRING 4u
static const char *const STRINGS[] = {
    [1] = "", /* no string is used */
    [2] = "To Be Filled By O.E.M.\0To Be Filled By O.E.M.\0Default string\0None\0",
    [3] = "cut",
    [4] = "Nobody\0Nothing\0",
    [5] = "Some\0Board\0",
};
static const unsigned STRINGS_BYTES[] = {[1] = 1, [2] = 66, [3] = 3, [4] = 15, [5] = 11};
static uint8_t structures[256];
static uint8_t entry[ENTRY_BYTES];

static uint32_t add_dimm(uint32_t used, uint16_t mib)
{
    static const uint8_t DIMM[DIMM_BYTES + 2] = {17, DIMM_BYTES};

    for (unsigned i = 0; i < sizeof(DIMM); i++)
        structures[used + i] = DIMM[i];
    structures[used + DIMM_SIZE] = (uint8_t)mib;
    structures[used + DIMM_SIZE + 1] = (uint8_t)(mib >> 8);
    return used + sizeof(DIMM);
}

/*
 * `kind` is the number in the lie `smbios`. The structures of kind 3 end within the first string.
 */
static uint32_t make_structures(unsigned kind)
{
    uint32_t used = 0;

    for (; used < sizeof(HEAD); used++)
        structures[used] = used >= FIRST_STRING && kind == 1 ? 0 : HEAD[used];
    for (; used < HEAD[1]; used++)
        structures[used] = 0;
    for (unsigned i = 0; i < UUID_BYTES; i++)
        structures[sizeof(HEAD) + i] = kind == 2 ? 0xff : 0;
    for (unsigned i = 0; i < STRINGS_BYTES[kind]; i++)
        structures[used++] = (uint8_t)STRINGS[kind][i];
    if (kind == 3)
        return used;
    structures[used++] = 0;
    if (kind == 5)
        used = add_dimm(add_dimm(used, 8192), 4096);
    structures[used++] = 127;
    structures[used++] = 4;
    for (unsigned i = 0; i < 4; i++)
        structures[used++] = 0;
    return used;
}

/* For kind 4, the checksum is wrong. */
static void *make_entry(unsigned kind)
{
    static const uint8_t ANCHOR[] = {'_', 'S', 'M', '3', '_'};
    uint8_t sum = kind == 4;

    for (unsigned i = 0; i < sizeof(ANCHOR); i++)
        entry[i] = ANCHOR[i];
    entry[ENTRY_LENGTH] = ENTRY_BYTES;
    *(uint32_t *)(entry + ENTRY_SIZE) = make_structures(kind);
    *(uint64_t *)(entry + ENTRY_TABLE) = (uint64_t)structures;
    entry[ENTRY_CHECKSUM] = 0;
    for (unsigned i = 0; i < ENTRY_BYTES; i++)
        sum = (uint8_t)(sum + entry[i]);
    entry[ENTRY_CHECKSUM] = (uint8_t)-sum;
    return entry;
}

/* ---- ACPI ---- */

#define SIGNATURE_FACP 0x50434146u /* "FACP": the FADT */
#define STILL_PORT     0x80u       /* the port of POST codes, which always reads the same value */
#define RSDP_XSDT      24u
#define XSDT_FIRST     36u
#define PM_TMR_BLK     76u
#define X_PM_TMR       208u
#define GAS_ADDRESS    4u

static uint32_t *find_fadt(const uint8_t *rsdp)
{
    uint32_t *xsdt = *(uint32_t *const *)(rsdp + RSDP_XSDT);

    for (uint32_t at = XSDT_FIRST; at + 8 <= xsdt[1]; at += 8) {
        uint32_t *table = *(uint32_t **)((uint8_t *)xsdt + at);

        if (table[0] == SIGNATURE_FACP)
            return table;
    }
    return NULL;
}

/*
 * If `stands` is true, sets the FADT's port of the ACPI timer to STILL_PORT, otherwise to the real
 * port. The FADT of ACPI 1.0 has no X_PM_TMR.
 */
static void set_timer(const uint8_t *rsdp, bool stands)
{
    static uint32_t *fadt, found;
    static uint64_t *x, found_x;

    if (!fadt) {
        fadt = find_fadt(rsdp);
        found = fadt[PM_TMR_BLK / 4];
        x = fadt[1] > X_PM_TMR ? (uint64_t *)((uint8_t *)fadt + X_PM_TMR + GAS_ADDRESS) : &found_x;
        found_x = *x;
    }
    fadt[PM_TMR_BLK / 4] = stands ? STILL_PORT : found;
    *x = stands ? STILL_PORT : found_x;
}

static bool is_left_out(const EFI_GUID *guid)
{
    static const EFI_GUID SMBIOS = SMBIOS_TABLE_GUID, SMBIOS3 = SMBIOS3_TABLE_GUID,
                          ACPI = ACPI_TABLE_GUID, ACPI2 = ACPI_20_TABLE_GUID;

    if (same_guid(guid, &SMBIOS) || same_guid(guid, &SMBIOS3))
        return lie_acts(&lies.no_smbios) || lies.smbios.told;
    return (same_guid(guid, &ACPI) || same_guid(guid, &ACPI2)) && lie_acts(&lies.no_acpi);
}

void lie_of_tables(void)
{
    static const EFI_GUID SMBIOS3 = SMBIOS3_TABLE_GUID, ACPI2 = ACPI_20_TABLE_GUID;
    UINTN used = 0;

    for (UINTN i = 0; i < REAL->NumberOfTableEntries; i++)
        if (same_guid(&REAL->ConfigurationTable[i].VendorGuid, &ACPI2))
            set_timer(REAL->ConfigurationTable[i].VendorTable, lie_acts(&lies.still_timer));

    for (UINTN i = 0; i < REAL->NumberOfTableEntries && used < TABLES_MAX - 1; i++)
        if (!is_left_out(&REAL->ConfigurationTable[i].VendorGuid))
            tables[used++] = REAL->ConfigurationTable[i];
    if (lie_acts(&lies.smbios))
        tables[used++] = (EFI_CONFIGURATION_TABLE){
            SMBIOS3, make_entry(lies.smbios.value < SMBIOS_KINDS ? (unsigned)lies.smbios.value
                                                                 : SMBIOS_KINDS)};
    FALSE_SYSTEM.ConfigurationTable = tables;
    FALSE_SYSTEM.NumberOfTableEntries = used;
}
