/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI devices of the packages of a server, for the finders of pmu/uncore/models.h: reads only,
 * segment 0 only. A device is touched beyond its ID only when ID and place are those of the tables;
 * the search for a discovery table also reads which devices have further functions.
 */
#ifndef BARECOUNT_PMU_UNCORE_PCI_H
#define BARECOUNT_PMU_UNCORE_PCI_H

#include "pmu/uncore/uncore.h"
#include "pmu/base/status.h"

#define PCI_BUSES        256u
#define PCI_VENDOR_INTEL 0x8086u
#define PCI_NONE         0xffffffffu /* what a function that is not there reads as */

/* Configuration registers of all functions. PCI Local Bus Specification 3.0, section 6.1. */
#define PCI_COMMAND        0x04u
#define PCI_COMMAND_MEMORY (1u << 1)
#define PCI_HEADER         0x0cu /* the byte at 0Eh: bit 7: further functions */
#define PCI_HEADER_MANY    (1u << 23)
#define PCI_BAR0           0x10u
#define PCI_CONFIG_BYTES   4096u

/* Physical addresses have 52 bits at the most. Intel SDM vol. 3A, section 4.1.4. */
#define MMIO_END (1ull << 52)

/* A function's address in SPACE_PCI; + offset: its register's. */
static inline uint64_t pci_function(unsigned bus, unsigned device, unsigned function)
{
    return (uint64_t)bus << 20 | (uint64_t)device << 15 | (uint64_t)function << 12;
}

/* A register of 4 bytes; PCI_NONE where there is none. */
uint32_t pci_read(const struct uncore_port *port, uint64_t address);

/* Whether this function is Intel's device of that ID. */
bool pci_is(const struct uncore_port *port, uint64_t function, unsigned device_id);

/* Where each package has the UBOX's registers that say which package it is. */
struct pci_ubox {
    uint16_t id;
    uint8_t device, function;
    bool highest; /* the package's buses end with the UBOX's bus, rather than begin with it */
};

/* The buses first to last of a package. */
struct pci_buses {
    unsigned first, last;
    unsigned ubox; /* the bus of its UBOX */
};

/*
 * The buses of the running CPU's package. STATUS_UNCORE_PCI: no MCFG; _DEVICE: no UBOX is to be
 * seen; _SOCKET: they do not say, each for itself and this CPU's package once, which one they are.
 */
enum status pci_package_buses(const struct uncore_port *port, const struct cpu_caps *caps,
                              const struct pci_ubox *ubox, struct pci_buses *buses);

#endif
