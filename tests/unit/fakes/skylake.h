/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities of a Skylake server. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_SKYLAKE_H
#define BARECOUNT_TESTS_UNIT_FAKES_SKYLAKE_H

#include "pmu/cpu/caps.h"

/* PMU version 4, four general and three fixed counters, ANY not deprecated. */
static const struct cpu_caps SKYLAKE = {
    .vendor_id = "GenuineIntel",
    .vendor = VENDOR_INTEL,
    .family = 6,
    .model = 0x55,
    .stepping = 4,
    .pmu_version = 4,
    .gp_count = 4,
    .arch_events = 7,
    .fixed_map = 7,
};

#endif
