/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units that a server's discovery table names: Sapphire Rapids and later. Kinds by the table's
 * numbers; addresses, counters and widths are the table's own.
 */
#ifndef BARECOUNT_PMU_UNCORE_DISCOVERY_H
#define BARECOUNT_PMU_UNCORE_DISCOVERY_H

#include "pmu/uncore/models.h"

extern const struct uncore_units UNCORE_DISCOVERED_CHA, UNCORE_DISCOVERED_IIO,
    UNCORE_DISCOVERED_IRP, UNCORE_DISCOVERED_M2PCIE, UNCORE_DISCOVERED_PCU, UNCORE_DISCOVERED_IMC,
    UNCORE_DISCOVERED_M2M, UNCORE_DISCOVERED_UPI, UNCORE_DISCOVERED_M3UPI;

#endif
