/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI devices of a server's packages, for the find() functions of pmu/uncore/models.h. Only segment
 * 0 is accessed, and it is only read. More than the ID of a device is read only if ID and place are
 * those of the tables; the search for a discovery table also reads which devices have further
 * functions.
 */
#ifndef BARECOUNT_PMU_UNCORE_PCI_H
#define BARECOUNT_PMU_UNCORE_PCI_H

#include "pmu/uncore/uncore.h"
#include "pmu/base/status.h"

#define PCI_BUSES        256u
#define PCI_VENDOR_INTEL 0x8086u
#define PCI_NONE         0xffffffffu /* what a missing function reads as */

/* Configuration registers common to all functions. PCI Local Bus Specification 3.0, section 6.1. */
#define PCI_COMMAND        0x04u
#define PCI_COMMAND_MEMORY (1u << 1)
#define PCI_HEADER         0x0cu /* the byte at 0Eh, bit 7: has more functions */
#define PCI_HEADER_MANY    (1u << 23)
#define PCI_BAR0           0x10u
#define PCI_CONFIG_BYTES   4096u

/* Physical addresses have at most 52 bits. Intel SDM vol. 3A, section 4.1.4. */
#define MMIO_END (1ull << 52)

/* The address of a function in SPACE_PCI, to which a register's offset is added. */
static inline uint64_t pci_function(unsigned bus, unsigned device, unsigned function)
{
    return (uint64_t)bus << 20 | (uint64_t)device << 15 | (uint64_t)function << 12;
}

/* A 4-byte register; PCI_NONE if missing. */
uint32_t pci_read(const struct uncore_port *port, uint64_t address);

/* Whether a function is Intel's device with this ID. */
bool pci_is(const struct uncore_port *port, uint64_t function, unsigned device_id);

/* Where each package's UBOX is, whose registers tell the package's number. */
struct pci_ubox {
    uint16_t id;
    uint8_t device, function;
    bool highest; /* the UBOX's bus is the last of its package, not the first */
};

/* The range of buses of a package. */
struct pci_buses {
    unsigned first, last;
    unsigned ubox; /* the bus of its UBOX */
};

/*
 * Finds the buses of the current CPU's package. STATUS_UNCORE_PCI: no MCFG; _DEVICE: no UBOX is
 * visible; _SOCKET: a UBOX does not tell its package, two tell the same one, or none tells this
 * CPU's.
 */
enum status pci_package_buses(const struct uncore_port *port, const struct cpu_caps *caps,
                              const struct pci_ubox *ubox, struct pci_buses *buses);

#endif
