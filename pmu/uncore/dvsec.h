/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the discovery table of a server's uncore (Sapphire Rapids and later), and reads its
 * entries. See 4th Gen Intel Xeon Processor Scalable Family Uncore Performance Monitoring, "Uncore
 * Performance Monitoring Discovery". The table is never written. The table comes from the firmware,
 * so its contents are range-checked.
 */
#ifndef BARECOUNT_PMU_UNCORE_DVSEC_H
#define BARECOUNT_PMU_UNCORE_DVSEC_H

#include "pmu/uncore/pci.h"
#include "pmu/uncore/models.h"

#define ENTRY_WORDS 3u

struct dvsec_table {
    uint64_t address;
    uint32_t step, units; /* bytes per entry, and the number of entries that describe units */
    struct pci_buses buses;
};

struct dvsec_entry {
    uint64_t word[ENTRY_WORDS];
};

static inline unsigned dvsec_field(uint64_t word, unsigned low, unsigned bits)
{
    return (unsigned)(word >> low & ((1u << bits) - 1));
}

/*
 * Finds the table of the current CPU's package. Returns STATUS_UNCORE_PCI if there is no MCFG,
 * _DEVICE if no device provides a table, _SOCKET if there are several tables or the package of the
 * only one is unknown, _OFF if the device's memory is disabled, and _TABLE if the table is invalid.
 */
enum status dvsec_find(const struct uncore_port *port, const struct cpu_caps *caps,
                       struct dvsec_table *table);

/*
 * Reads the entry of a unit, whose number is below table->units. False if the entry is empty or
 * cannot be read.
 */
bool dvsec_unit(const struct uncore_port *port, const struct dvsec_table *table, unsigned unit,
                struct dvsec_entry *entry);

/* Units that the discovery table lists, with their kinds, addresses, counters and widths. */
extern const struct uncore_units UNCORE_DISCOVERED_CHA, UNCORE_DISCOVERED_IIO,
    UNCORE_DISCOVERED_IRP, UNCORE_DISCOVERED_M2PCIE, UNCORE_DISCOVERED_PCU, UNCORE_DISCOVERED_IMC,
    UNCORE_DISCOVERED_M2M, UNCORE_DISCOVERED_UPI, UNCORE_DISCOVERED_M3UPI;

#endif
