/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds and reads the discovery table of a server's uncore (Sapphire Rapids and later). Source: 4th
 * Gen Intel Xeon Processor Scalable Family Uncore Performance Monitoring, "Uncore Performance
 * Monitoring Discovery".
 */
#ifndef BARECOUNT_PMU_UNCORE_DVSEC_H
#define BARECOUNT_PMU_UNCORE_DVSEC_H

#include "pmu/uncore/pci.h"
#include "pmu/uncore/models.h"

#define ENTRY_WORDS 3u

struct dvsec_table {
    uint64_t address;
    uint32_t step, units; /* bytes per entry; number of entries */
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
 * Finds the table of the current CPU's package. Errors: STATUS_UNCORE_PCI (no MCFG), _DEVICE (no
 * table), _SOCKET (several tables, or one of an unknown package), _OFF (the device's memory is
 * disabled), _TABLE (an invalid table).
 */
enum status dvsec_find(const struct uncore_port *port, const struct cpu_caps *caps,
                       struct dvsec_table *table);

/* Reads the entry of a unit below table->units. False if the entry is empty or unreadable. */
bool dvsec_unit(const struct uncore_port *port, const struct dvsec_table *table, unsigned unit,
                struct dvsec_entry *entry);

extern const struct uncore_units UNCORE_DISCOVERED_CHA, UNCORE_DISCOVERED_IIO,
    UNCORE_DISCOVERED_IRP, UNCORE_DISCOVERED_M2PCIE, UNCORE_DISCOVERED_PCU, UNCORE_DISCOVERED_IMC,
    UNCORE_DISCOVERED_M2M, UNCORE_DISCOVERED_UPI, UNCORE_DISCOVERED_M3UPI;

#endif
