/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The discovery table of a server's uncore (Sapphire Rapids and later): where it is, what it says.
 * 4th Gen Intel Xeon Processor Scalable Family Uncore Performance Monitoring, "Uncore Performance
 * Monitoring Discovery". Reads only. All that stands there is bounded: it is the firmware's.
 *
 * The table is entries of as many QWORDs as the first one says; the first is of the package, the
 * others of its units:
 *
 *  package 1  7:0 type, 15:8 QWORDs of an entry, 25:16 number of units, 63:62 access type
 *          2  address of the global control
 *  unit    1  7:0 counters, 15:8 offset of select 0, 23:16 bits of a counter, 31:24 offset of
 *             counter 0, 39:32 offset of the status, 63:62 access type: 0 MSR, 1 MMIO, 2 PCI
 *          2  address of the unit's control
 *          3  15:0 unit type, 31:16 unit ID
 */
#ifndef BARECOUNT_PMU_UNCORE_DVSEC_H
#define BARECOUNT_PMU_UNCORE_DVSEC_H

#include "pmu/uncore/pci.h"
#include "pmu/uncore/models.h"

#define ENTRY_WORDS 3u

struct dvsec_table {
    uint64_t address;
    uint32_t step, units; /* bytes of an entry; entries of units */
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
 * The table of the running CPU's package. STATUS_UNCORE_PCI: no MCFG; _DEVICE: no such device;
 * _SOCKET: it cannot be told whose it is; _OFF: its memory is not decoded; _TABLE: it makes no
 * sense.
 */
enum status dvsec_find(const struct uncore_port *port, const struct cpu_caps *caps,
                       struct dvsec_table *table);

/* The entry of a unit, below table->units. False: it is empty. */
bool dvsec_unit(const struct uncore_port *port, const struct dvsec_table *table, unsigned unit,
                struct dvsec_entry *entry);

/*
 * Units that a server's discovery table names: Sapphire Rapids and later. Kinds by the table's
 * numbers; addresses, counters and widths are the table's own.
 */
extern const struct uncore_units UNCORE_DISCOVERED_CHA, UNCORE_DISCOVERED_IIO,
    UNCORE_DISCOVERED_IRP, UNCORE_DISCOVERED_M2PCIE, UNCORE_DISCOVERED_PCU, UNCORE_DISCOVERED_IMC,
    UNCORE_DISCOVERED_M2M, UNCORE_DISCOVERED_UPI, UNCORE_DISCOVERED_M3UPI;

#endif
