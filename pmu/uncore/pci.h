/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds PCI devices in segment 0. No register is written. Of a device without the expected ID, only
 * the ID is read. The search for a discovery table also reads PCI_HEADER of such a device.
 */
#ifndef BARECOUNT_PMU_UNCORE_PCI_H
#define BARECOUNT_PMU_UNCORE_PCI_H

#include "pmu/uncore/uncore.h"
#include "pmu/base/status.h"

#define PCI_BUSES        256u
#define PCI_VENDOR_INTEL 0x8086u
#define PCI_NONE         0xffffffffu /* the value read from a missing function */

/* Source: PCI Local Bus Specification 3.0, section 6.1. */
#define PCI_COMMAND        0x04u
#define PCI_COMMAND_MEMORY (1u << 1)
#define PCI_HEADER         0x0cu /* bit 23: the device has several functions */
#define PCI_HEADER_MANY    (1u << 23)
#define PCI_BAR0           0x10u
#define PCI_CONFIG_BYTES   4096u

/* Physical addresses have at most 52 bits (Intel SDM vol. 3A, section 4.1.4). */
#define MMIO_END (1ull << 52)

/* Returns the address of a function's register 0 in SPACE_PCI. */
static inline uint64_t pci_function(unsigned bus, unsigned device, unsigned function)
{
    return (uint64_t)bus << 20 | (uint64_t)device << 15 | (uint64_t)function << 12;
}

/* Returns PCI_NONE if the register is missing. */
uint32_t pci_read(const struct uncore_port *port, uint64_t address);

/* Returns whether a function is Intel's device with this ID. */
bool pci_is(const struct uncore_port *port, uint64_t function, unsigned device_id);

struct pci_ubox {
    uint16_t id;
    uint8_t device, function;
    bool highest; /* true: the UBOX is on the package's last bus; false: on its first bus */
};

struct pci_buses {
    unsigned first, last;
    unsigned ubox; /* the UBOX's bus */
};

/*
 * Finds the buses of the current CPU's package. Errors: STATUS_UNCORE_PCI (no MCFG), _DEVICE (no
 * UBOX is visible), _SOCKET (a package number is missing or occurs twice).
 */
enum status pci_package_buses(const struct uncore_port *port, const struct cpu_caps *caps,
                              const struct pci_ubox *ubox, struct pci_buses *buses);

#endif
