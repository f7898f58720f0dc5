/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and reads a server's discovery table. */
#include "pmu/uncore/dvsec.h"

#define DISCOVERY_DEVICE 0x09a7u
#define DEVICES          32u
#define FUNCTIONS        8u

/* Designated Vendor-Specific Extended Capability: PCI Express Base Specification, 7.9.6. */
#define CAPABILITIES     0x100u
#define CAPABILITY_ID    0xffffu
#define CAPABILITY_NEXT  20 /* bits 31:20: offset of the next capability, DWORD aligned */
#define CAPABILITIES_MAX 480u
#define DVSEC            0x23u
#define DVSEC_VENDOR     0x4u /* bits 15:0 */
#define DVSEC_ID         0x8u /* bits 15:0; 1: PMON discovery */
#define DVSEC_ID_PMON    1u
#define DVSEC_TABLE      0xcu /* bits 2:0: BIR; bits 31:3: the table's offset, must be 0 */

/* PCI Local Bus Specification 3.0, section 6.2.5.1. */
#define BAR_LAST  5u
#define BAR_FLAGS 0xfu /* bit 0: I/O; bits 2:1: 32 or 64 bits; bit 3: prefetchable */
#define BAR_TYPE  0x7u
#define BAR_OF_32 0x0u
#define BAR_OF_64 0x4u

static const struct pci_ubox UBOX = {.id = 0x3250, .highest = true};

/* Returns the number of discovery tables. *bir is the last table's BIR and offset. */
static unsigned find_capability(const struct uncore_port *port, uint64_t function, uint32_t *bir)
{
    unsigned at = CAPABILITIES, tables = 0;

    for (unsigned i = 0; i < CAPABILITIES_MAX && at >= CAPABILITIES; i++) {
        uint32_t header = pci_read(port, function + at);

        if ((header & CAPABILITY_ID) == DVSEC && at + DVSEC_TABLE < PCI_CONFIG_BYTES &&
            dvsec_field(pci_read(port, function + at + DVSEC_VENDOR), 0, 16) == PCI_VENDOR_INTEL &&
            dvsec_field(pci_read(port, function + at + DVSEC_ID), 0, 16) == DVSEC_ID_PMON) {
            *bir = pci_read(port, function + at + DVSEC_TABLE);
            tables++;
        }
        at = header >> CAPABILITY_NEXT & ~3u;
    }
    return tables;
}

static unsigned find_in_device(const struct uncore_port *port, uint64_t device, uint64_t *found,
                               uint32_t *bir)
{
    unsigned functions = 1, tables = 0;

    if (pci_read(port, device) == PCI_NONE)
        return 0;
    if (pci_read(port, device + PCI_HEADER) & PCI_HEADER_MANY)
        functions = FUNCTIONS;
    for (unsigned i = 0; i < functions; i++) {
        uint64_t function = device + pci_function(0, 0, i);
        unsigned here =
            pci_is(port, function, DISCOVERY_DEVICE) ? find_capability(port, function, bir) : 0;

        if (here != 0)
            *found = function;
        tables += here;
    }
    return tables;
}

/* The table is at the address in a BAR. The device's memory space must be enabled. */
static enum status table_at(const struct uncore_port *port, uint64_t function, uint32_t bir,
                            uint64_t *address)
{
    uint32_t bar, high = 0;

    if (bir > BAR_LAST)
        return STATUS_UNCORE_TABLE;
    if (!(pci_read(port, function + PCI_COMMAND) & PCI_COMMAND_MEMORY))
        return STATUS_UNCORE_OFF;
    bar = pci_read(port, function + PCI_BAR0 + 4 * bir);
    if ((bar & BAR_TYPE) == BAR_OF_64 && bir < BAR_LAST)
        high = pci_read(port, function + PCI_BAR0 + 4 * bir + 4);
    else if ((bar & BAR_TYPE) != BAR_OF_32)
        return STATUS_UNCORE_TABLE;
    *address = (uint64_t)high << 32 | (bar & ~BAR_FLAGS);
    return *address != 0 && *address < MMIO_END ? STATUS_OK : STATUS_UNCORE_TABLE;
}

/* False if the entry is unreadable or empty. */
static bool read_entry(const struct uncore_port *port, uint64_t address, struct dvsec_entry *entry)
{
    for (unsigned i = 0; i < ENTRY_WORDS; i++)
        if (!port->read(port->context, SPACE_MMIO, address + 8 * i, 8, &entry->word[i]) ||
            entry->word[i] == UINT64_MAX)
            return false;
    return entry->word[0] != 0 && entry->word[1] != 0;
}

static enum status read_table(const struct uncore_port *port, uint64_t function, uint32_t bir,
                              struct dvsec_table *table)
{
    enum status status = table_at(port, function, bir, &table->address);
    struct dvsec_entry uncore;

    if (status != STATUS_OK)
        return status;
    if (!read_entry(port, table->address, &uncore))
        return STATUS_UNCORE_TABLE;
    table->step = 8 * dvsec_field(uncore.word[0], 8, 8);
    table->units = dvsec_field(uncore.word[0], 16, 10);
    if (table->step < 8 * ENTRY_WORDS || table->units == 0 ||
        table->address > MMIO_END - (uint64_t)table->step * (table->units + 1))
        return STATUS_UNCORE_TABLE;
    return STATUS_OK;
}

/*
 * If no UBOX is visible, all buses are searched. A table found in this way is used only if it is
 * the only one, and the CPU is in package 0.
 */
enum status dvsec_find(const struct uncore_port *port, const struct cpu_caps *caps,
                       struct dvsec_table *table)
{
    enum status status = pci_package_buses(port, caps, &UBOX, &table->buses);
    uint64_t function = 0;
    uint32_t bir = 0;
    unsigned tables = 0;

    if (status == STATUS_UNCORE_DEVICE)
        table->buses = (struct pci_buses){.last = PCI_BUSES - 1};
    else if (status != STATUS_OK)
        return status;
    for (unsigned bus = table->buses.first; bus <= table->buses.last; bus++)
        for (unsigned device = 0; device < DEVICES; device++)
            tables += find_in_device(port, pci_function(bus, device, 0), &function, &bir);
    if (tables == 0)
        return STATUS_UNCORE_DEVICE;
    if (tables != 1 || (status != STATUS_OK && caps->package != 0))
        return STATUS_UNCORE_SOCKET;
    return read_table(port, function, bir, table);
}

bool dvsec_unit(const struct uncore_port *port, const struct dvsec_table *table, unsigned unit,
                struct dvsec_entry *entry)
{
    return read_entry(port, table->address + (uint64_t)table->step * (unit + 1), entry);
}
