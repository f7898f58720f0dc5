/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units that a server's discovery table names: Sapphire Rapids and later. Kinds by the table's
 * numbers; addresses, counters and widths are the table's own.
 */
#ifndef BARECOUNT_PMU_UNCORE_DISCOVERY_H
#define BARECOUNT_PMU_UNCORE_DISCOVERY_H

#include "pmu/uncore/models.h"

extern const struct package_units PACKAGE_DISCOVERED_CHA, PACKAGE_DISCOVERED_IIO,
    PACKAGE_DISCOVERED_IRP, PACKAGE_DISCOVERED_M2PCIE, PACKAGE_DISCOVERED_PCU,
    PACKAGE_DISCOVERED_IMC, PACKAGE_DISCOVERED_M2M, PACKAGE_DISCOVERED_UPI,
    PACKAGE_DISCOVERED_M3UPI;

#endif
