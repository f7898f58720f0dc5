/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds uncore devices and the buses of a package. */
#include "pmu/uncore/pci.h"

/*
 * In a UBOX, CPUNODEID contains the package's node ID, and GIDNIDMAP the node IDs of all packages,
 * three bits each. Source: Intel Xeon Processor Scalable Family Datasheet, volume 2, "UBOX
 * Registers". Ice Lake and Sapphire Rapids servers have the same offsets.
 */
#define CPUNODEID 0xc0u
#define GIDNIDMAP 0xd4u
#define NODE_BITS 3u
#define NODE_MASK 7u
#define NODES     8u

uint32_t pci_read(const struct uncore_port *port, uint64_t address)
{
    uint64_t value;

    if (!port->read(port->context, SPACE_PCI, address, 4, &value))
        return PCI_NONE;
    return (uint32_t)value;
}

bool pci_is(const struct uncore_port *port, uint64_t function, unsigned device_id)
{
    return pci_read(port, function) == (PCI_VENDOR_INTEL | (uint32_t)device_id << 16);
}

static unsigned uncore_of(const struct uncore_port *port, uint64_t ubox)
{
    uint32_t id = pci_read(port, ubox + CPUNODEID), map = pci_read(port, ubox + GIDNIDMAP);
    unsigned package = 0;

    if (id == PCI_NONE || map == PCI_NONE)
        return NODES;
    while (package < NODES && (map >> NODE_BITS * package & NODE_MASK) != (id & NODE_MASK))
        package++;
    return package;
}

enum status pci_package_buses(const struct uncore_port *port, const struct cpu_caps *caps,
                              const struct pci_ubox *ubox, struct pci_buses *buses)
{
    unsigned seen = 0, ours = PCI_BUSES, before = PCI_BUSES, after = PCI_BUSES;

    if (!port->has_pci)
        return STATUS_UNCORE_PCI;
    for (unsigned bus = 0; bus < PCI_BUSES; bus++) {
        uint64_t function = pci_function(bus, ubox->device, ubox->function);
        unsigned package;

        if (!pci_is(port, function, ubox->id))
            continue;
        package = uncore_of(port, function);
        if (package == NODES || seen & 1u << package)
            return STATUS_UNCORE_SOCKET;
        seen |= 1u << package;
        if (package == caps->package)
            ours = bus;
        else if (ours == PCI_BUSES)
            before = bus;
        else if (after == PCI_BUSES)
            after = bus;
    }
    if (seen == 0)
        return STATUS_UNCORE_DEVICE;
    if (ours == PCI_BUSES)
        return STATUS_UNCORE_SOCKET;
    buses->ubox = ours;
    buses->first = !ubox->highest ? ours : before == PCI_BUSES ? 0 : before + 1;
    buses->last = ubox->highest ? ours : after - 1;
    return STATUS_OK;
}
