/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel did outside the cores, in few lines for people. */
#ifndef BARECOUNT_PMU_FILES_UNCORE_LINE_H
#define BARECOUNT_PMU_FILES_UNCORE_LINE_H

#include "pmu/verdicts/rows.h"

/*
 * The means of a result's events outside the cores, and their rates: "  dram_read_bytes 268M,
 * 12.345 GB/s; package_energy_uJ 40000, 12.5 W". "-" stands for what has no value here, "off" for a
 * counter that is wrong; events that the package cannot count at all are left out. Lines of
 * `columns` begin two columns in and end with '\n'; no event is torn unless a line cannot hold it.
 * Nothing at all is put when there are no such events. Uses view->scratch.
 */
void package_line(const struct view *view, const struct result *result, size_t columns,
                  struct out *out);

#endif
