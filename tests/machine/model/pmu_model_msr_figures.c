/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of the state MSRs: clock, temperature, power (PROPERTIES.md). Intel SDM volume 3B, "Power
 * and Thermal Management"; volume 4, "Model-Specific Registers". The thread of any CPU may read the
 * TSC and QEMU's virtual clock without a lock.
 */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "pmu_model_msr_state.h"

#define TURBO 2
#define UNCORE_LESS 4 /* ratio of the core minus ratio of the uncore */
#define TEMPERATURE_MAX 100
#define TEMPERATURE_IDLE 60

#define THERM_READOUT_SHIFT 16 /* degrees below the maximum */
#define THERM_RESOLUTION (1u << 27)
#define THERM_VALID (1u << 31)

#define LIMIT_THERMAL (1u << 1)
#define LIMIT_THERMAL_LOG (1u << 17)
#define LIMIT_POWER (1u << 10 | 1u << 26) /* PL1: status bit 10 and log bit 26 */

#define MISC_ENABLE_PERFMON (1u << 7)
#define MISC_ENABLE_NO_BTS (1u << 11)
#define MISC_ENABLE_NO_PEBS (1u << 12)

#define POWER_UNIT 3 /* a unit is 2^-3 W */
#define TIME_UNIT 10
#define DRAM_ENERGY_UNIT 16
#define POWER_LIMIT_ENABLE (1u << 15)

#define HWCR_TSC_FREQ_SEL (1u << 24)
#define IRPERF_BITS 48

#define HWP_PREFERENCE (128u << 24)

#define PPM 1000000
#define NS_PER_MS 1000000

#define EACH_BYTE 0x0101010101010101ull
#define CORES_PER_GROUP 4

static uint64_t slower(uint64_t ticks, uint32_t ppm)
{
    return ticks - ticks / PPM * ppm - ticks % PPM * ppm / PPM;
}

uint64_t pmu_model_ticks(CPUX86State *env)
{
    uint32_t khz = env->pmu.tsc_khz;
    uint64_t ticks = khz ? muldiv64(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), khz, NS_PER_MS)
                         : cpu_get_tsc(env);

    return slower(ticks, env->pmu.bus_slow);
}

uint64_t pmu_tsc(CPUX86State *env, const PMUStateMsrs *m)
{
    return pmu_model_ticks(env) + env->tsc_offset;
}

void pmu_write_tsc(CPUX86State *env, PMUStateMsrs *m, uint64_t value)
{
    env->tsc_offset = value - pmu_model_ticks(env);
}

static uint64_t base_ticks(CPUX86State *env)
{
    return slower(pmu_model_ticks(env), env->pmu.mperf_slow);
}

uint64_t pmu_mperf(CPUX86State *env, const PMUStateMsrs *m)
{
    return base_ticks(env) - m->mperf_less;
}

void pmu_write_mperf(CPUX86State *env, PMUStateMsrs *m, uint64_t value)
{
    m->mperf_less = base_ticks(env) - value;
}

uint64_t pmu_aperf(CPUX86State *env, const PMUStateMsrs *m)
{
    uint64_t ticks = base_ticks(env) - m->aperf_ticks;
    unsigned base = m->base;

    return m->aperf + ticks / base * m->now + ticks % base * m->now / base;
}

void pmu_write_aperf(CPUX86State *env, PMUStateMsrs *m, uint64_t value)
{
    m->aperf = value;
    m->aperf_ticks = base_ticks(env);
}

void pmu_state_change_clock(CPUX86State *env, PMUStateMsrs *m)
{
    unsigned base = m->base;

    pmu_write_aperf(env, m, pmu_aperf(env, m));
    m->now = m->now == base ? base + TURBO : base;
}

void pmu_state_dither(CPUX86State *env, PMUStateMsrs *m)
{
    uint32_t us = env->pmu.dither_us;
    bool odd = us && qemu_clock_get_us(QEMU_CLOCK_VIRTUAL) / us % 2;

    if (odd != m->dithered) {
        m->dithered = odd;
        pmu_state_change_clock(env, m);
    }
}

void pmu_state_ratios(const PMUStateMsrs *m, unsigned *now, unsigned *base)
{
    *now = m->now;
    *base = m->base;
}

uint64_t pmu_platform_info(CPUX86State *env, const PMUStateMsrs *m)
{
    return m->base << 8 | (uint64_t)m->figures->min << 40;
}

/*
 * On family 1Ah, bits 11:0 are the frequency in units of 5 MHz. On earlier families, the frequency
 * is bits 7:0 in units of 200 MHz, divided by bits 13:8.
 */
uint64_t pmu_pstate_at_reset(CPUX86State *env, const PMUStateMsrs *m)
{
    bool new_units = pmu_cpu_amd_family(env) >= 0x1a;

    return 1ull << 63 | (new_units ? m->base * 20 : m->base * 4 | 8 << 8);
}

/* IRPERF, including `more` instructions that are about to retire. */
static uint64_t irperf_with(const CPUX86State *env, const PMUStateMsrs *m, unsigned more)
{
    uint64_t since = pmu_total_retired(&env->pmu) + more - m->irperf_retired;

    return (m->irperf + (m->irperf_on ? since : 0)) & pmu_low_bits(IRPERF_BITS);
}

uint64_t pmu_irperf(CPUX86State *env, const PMUStateMsrs *m)
{
    return irperf_with(env, m, 0);
}

void pmu_write_irperf(CPUX86State *env, PMUStateMsrs *m, uint64_t value)
{
    m->irperf = value;
    m->irperf_retired = pmu_total_retired(&env->pmu) + 1;
}

/* Like other counters, IRPERF counts the WRMSR that stops it, but not the one that starts it. */
void pmu_write_hwcr(CPUX86State *env, PMUStateMsrs *m, uint64_t value)
{
    pmu_write_irperf(env, m, irperf_with(env, m, 1));
    m->irperf_on = value & PMU_HWCR_IRPERF_EN;
}

uint64_t pmu_hwcr(CPUX86State *env, const PMUStateMsrs *m)
{
    return HWCR_TSC_FREQ_SEL;
}

uint64_t pmu_hwcr_at_reset(CPUX86State *env, const PMUStateMsrs *m)
{
    return PMU_HWCR_INVDWBINVD;
}

uint64_t pmu_turbo_ratios(CPUX86State *env, const PMUStateMsrs *m)
{
    uint64_t groups = m->figures->kind & PMU_SERVERS ? EACH_BYTE : (uint32_t)EACH_BYTE;

    return groups * (m->base + TURBO);
}

/*
 * Each byte is the number of cores that may run at the ratio in the same byte of
 * MSR_TURBO_RATIO_LIMIT.
 */
uint64_t pmu_turbo_cores(CPUX86State *env, const PMUStateMsrs *m)
{
    return EACH_BYTE * EACH_BYTE * CORES_PER_GROUP;
}

uint64_t pmu_perf_status(CPUX86State *env, const PMUStateMsrs *m)
{
    return m->figures->kind & PMU_CPU_NEHALEM ? m->now : m->now << 8;
}

uint64_t pmu_pstate(CPUX86State *env, const PMUStateMsrs *m)
{
    return m->now != m->base;
}

uint64_t pmu_uncore_ratio(CPUX86State *env, const PMUStateMsrs *m)
{
    return m->now - UNCORE_LESS;
}

uint64_t pmu_misc_enable(CPUX86State *env, const PMUStateMsrs *m)
{
    return env->msr_ia32_misc_enable | MISC_ENABLE_PERFMON | MISC_ENABLE_NO_BTS |
           (env->pmu.left_running ? 0 : MISC_ENABLE_NO_PEBS);
}

void pmu_write_misc_enable(CPUX86State *env, PMUStateMsrs *m, uint64_t value)
{
    env->msr_ia32_misc_enable = value & PMU_MISC_ENABLE_WRITABLE;
}

uint64_t pmu_therm_package(CPUX86State *env, const PMUStateMsrs *m)
{
    if (env->pmu.hot) {
        return PMU_THERM_STATUS | PMU_THERM_LOG;
    }
    return m->hot ? PMU_THERM_STATUS : (TEMPERATURE_MAX - TEMPERATURE_IDLE) << THERM_READOUT_SHIFT;
}

uint64_t pmu_therm_core(CPUX86State *env, const PMUStateMsrs *m)
{
    return pmu_therm_package(env, m) | THERM_RESOLUTION | THERM_VALID;
}

/* The core cools only when software clears the log bit. */
void pmu_write_therm_core(CPUX86State *env, PMUStateMsrs *m, uint64_t value)
{
    m->hot = m->hot && (value & PMU_THERM_LOG);
}

uint64_t pmu_temperature_target(CPUX86State *env, const PMUStateMsrs *m)
{
    return TEMPERATURE_MAX << 16;
}

uint64_t pmu_limit_reasons(CPUX86State *env, const PMUStateMsrs *m)
{
    return (m->hot || env->pmu.hot ? LIMIT_THERMAL : 0) |
           (env->pmu.hot ? LIMIT_THERMAL_LOG : 0) | (env->pmu.dither_us ? LIMIT_POWER : 0);
}

uint64_t pmu_power_units(CPUX86State *env, const PMUStateMsrs *m)
{
    return POWER_UNIT | m->energy_unit << 8 | TIME_UNIT << 16;
}

/* Packages differ in power. */
static unsigned watts_of(CPUX86State *env, const PMUStateMsrs *m)
{
    return m->figures->watts / (1 + env_archcpu(env)->socket_id);
}

/* pmu-energy-start plus the energy since the start of the machine, in units of 2^-unit J. */
static uint64_t energy(const CPUX86State *env, unsigned watts, unsigned unit)
{
    uint64_t ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    return (uint32_t)(env->pmu.energy_start +
                      muldiv64(ns, watts << unit, NANOSECONDS_PER_SECOND));
}

uint64_t pmu_package_energy(CPUX86State *env, const PMUStateMsrs *m)
{
    return energy(env, watts_of(env, m), m->energy_unit);
}

uint64_t pmu_cores_energy(CPUX86State *env, const PMUStateMsrs *m)
{
    return energy(env, watts_of(env, m) / 2, m->energy_unit);
}

uint64_t pmu_graphics_energy(CPUX86State *env, const PMUStateMsrs *m)
{
    return energy(env, watts_of(env, m) / 8, m->energy_unit);
}

uint64_t pmu_dram_energy(CPUX86State *env, const PMUStateMsrs *m)
{
    return energy(env, watts_of(env, m) / 8, DRAM_ENERGY_UNIT);
}

uint64_t pmu_package_power(CPUX86State *env, const PMUStateMsrs *m)
{
    return watts_of(env, m) << POWER_UNIT;
}

uint64_t pmu_power_limit_at_reset(CPUX86State *env, const PMUStateMsrs *m)
{
    return pmu_package_power(env, m) | POWER_LIMIT_ENABLE;
}

uint64_t pmu_hwp_capabilities(CPUX86State *env, const PMUStateMsrs *m)
{
    uint32_t min = m->figures->min, base = m->base;

    return (base + TURBO) | base << 8 | min << 16 | min << 24;
}

uint64_t pmu_hwp_request_at_reset(CPUX86State *env, const PMUStateMsrs *m)
{
    return m->figures->min | (m->base + TURBO) << 8 | HWP_PREFERENCE;
}
