/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds PCI devices of a server's packages, for the find() functions of pmu/uncore/models.h. These
 * functions access only segment 0, and write nothing. They read the ID of a device first. They read
 * the device's other registers only if the ID is the one that the tables expect at the device's
 * address. The search for a discovery table also reads whether a device has further functions.
 */
#ifndef BARECOUNT_PMU_UNCORE_PCI_H
#define BARECOUNT_PMU_UNCORE_PCI_H

#include "pmu/uncore/uncore.h"
#include "pmu/base/status.h"

#define PCI_BUSES        256u
#define PCI_VENDOR_INTEL 0x8086u
#define PCI_NONE         0xffffffffu /* reads of a missing function return this */

/* Configuration registers common to all functions. PCI Local Bus Specification 3.0, section 6.1. */
#define PCI_COMMAND        0x04u
#define PCI_COMMAND_MEMORY (1u << 1)
#define PCI_HEADER         0x0cu /* 4 bytes; bit 23: the device has more functions */
#define PCI_HEADER_MANY    (1u << 23)
#define PCI_BAR0           0x10u
#define PCI_CONFIG_BYTES   4096u

/* Physical addresses have at most 52 bits. Intel SDM vol. 3A, section 4.1.4. */
#define MMIO_END (1ull << 52)

/* The address of a function in SPACE_PCI, to which the caller adds a register's offset. */
static inline uint64_t pci_function(unsigned bus, unsigned device, unsigned function)
{
    return (uint64_t)bus << 20 | (uint64_t)device << 15 | (uint64_t)function << 12;
}

/* Reads a 4-byte register; PCI_NONE if it is missing. */
uint32_t pci_read(const struct uncore_port *port, uint64_t address);

/* Whether a function is Intel's device with this ID. */
bool pci_is(const struct uncore_port *port, uint64_t function, unsigned device_id);

/* Where each package's UBOX is; the registers of a UBOX give the package's number. */
struct pci_ubox {
    uint16_t id;
    uint8_t device, function;
    bool highest; /* the UBOX is on the last bus of its package, not on the first */
};

/* The range of buses of a package. */
struct pci_buses {
    unsigned first, last;
    unsigned ubox; /* the bus of the package's UBOX */
};

/*
 * Finds the buses of the current CPU's package. Returns STATUS_UNCORE_PCI if there is no MCFG, and
 * _DEVICE if no UBOX is visible. Returns _SOCKET if a UBOX does not give its package's number, if
 * two UBOXes give the same number, or if no UBOX gives the number of this CPU's package.
 */
enum status pci_package_buses(const struct uncore_port *port, const struct cpu_caps *caps,
                              const struct pci_ubox *ubox, struct pci_buses *buses);

#endif
