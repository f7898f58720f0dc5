/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State MSRs: their table, and the formulas of their values. */
#ifndef I386_TCG_PMU_MODEL_MSR_STATE_H
#define I386_TCG_PMU_MODEL_MSR_STATE_H

#include "pmu_model_state.h"
#include "pmu_model_cpus.h"

#define PMU_SERVERS                                                                                \
    (PMU_CPU_SKYLAKE_SERVER | PMU_CPU_ICE_LAKE_SERVER | PMU_CPU_SAPPHIRE_RAPIDS)

/* IA32_THERM_STATUS and IA32_PACKAGE_THERM_STATUS */
#define PMU_THERM_STATUS (1u << 0)
#define PMU_THERM_LOG (1u << 1)

#define PMU_HWCR_INVDWBINVD (1u << 4)
#define PMU_HWCR_IRPERF_EN (1u << 30)

/* IA32_MISC_ENABLE */
#define PMU_MISC_ENABLE_WRITABLE 0x4400450009ull
#define PMU_MISC_ENABLE_READ_ONLY 0x1880ull

#define PMU_STATE_ROWS 56

struct PMUStateMsrs {
    const PMUCpuFigures *figures;
    unsigned base;
    unsigned now;
    unsigned energy_unit; /* a unit is 2^-n J */
    bool hot;
    bool dithered; /* pmu-dither-us has changed `now` an odd number of times */
    uint64_t mperf_less; /* MPERF is base_ticks() minus this */
    uint64_t aperf;      /* APERF when base_ticks() was aperf_ticks */
    uint64_t aperf_ticks;
    bool irperf_on;
    uint64_t irperf; /* IRPERF when `irperf_retired` instructions had retired */
    uint64_t irperf_retired;
    uint64_t stored[PMU_STATE_ROWS]; /* each row's value: written, or from the machine file */
    bool constant[PMU_STATE_ROWS];
};

/* Computes bits of a register, which are ORed with its stored bits. */
typedef uint64_t PMUFormula(CPUX86State *env, const PMUStateMsrs *m);

PMUFormula pmu_tsc, pmu_mperf, pmu_aperf, pmu_platform_info, pmu_turbo_ratios, pmu_turbo_cores,
    pmu_perf_status, pmu_uncore_ratio, pmu_misc_enable, pmu_therm_core, pmu_therm_package,
    pmu_temperature_target, pmu_limit_reasons, pmu_power_units, pmu_package_energy,
    pmu_cores_energy, pmu_graphics_energy, pmu_dram_energy, pmu_package_power,
    pmu_hwp_capabilities, pmu_hwcr, pmu_irperf, pmu_pstate;

/* Changes the core clock if pmu-dither-us requires another ratio at this time. */
void pmu_state_dither(CPUX86State *env, PMUStateMsrs *m);

PMUFormula pmu_power_limit_at_reset, pmu_hwp_request_at_reset, pmu_pstate_at_reset,
    pmu_hwcr_at_reset;

typedef void PMUWriter(CPUX86State *env, PMUStateMsrs *m, uint64_t value);

PMUWriter pmu_write_tsc, pmu_write_mperf, pmu_write_aperf, pmu_write_misc_enable,
    pmu_write_therm_core, pmu_write_irperf, pmu_write_hwcr;

#endif
