/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MSRs that show or set the state of a CPU: Intel SDM volume 4, "Model-Specific Registers"; volume
 * 3B, "Power and Thermal Management"; AMD's Processor Programming References, "MSRs". Writing these
 * MSRs changes neither the core clock nor the power.
 */
#include "qemu/osdep.h"
#include "pmu_model_file.h"
#include "pmu_model_msr_state.h"

#define NEHALEM_AND_LATER (PMU_CPU_OTHER - 1)
#define SANDY_AND_LATER (NEHALEM_AND_LATER & ~PMU_CPU_NEHALEM)
#define SKYLAKE_AND_LATER (SANDY_AND_LATER & ~(PMU_CPU_SANDY_BRIDGE | PMU_CPU_HASWELLS))
#define CLIENTS (SANDY_AND_LATER & ~PMU_SERVERS)
#define INTEL (NEHALEM_AND_LATER | PMU_CPU_OTHER)
#define AMD (PMU_CPU_ZEN | PMU_CPU_ZEN_3 | PMU_CPU_ZEN_4)
#define ALL (INTEL | AMD)

#define MSR_TSC 0x010
#define MSR_PLATFORM_ID 0x017
#define MSR_BIOS_SIGN_ID 0x08b
#define MSR_MPERF 0x0e7
#define MSR_APERF 0x0e8
#define MSR_PLATFORM_INFO 0x0ce
#define MSR_PERF_STATUS 0x198
#define MSR_PERF_CTL 0x199
#define MSR_THERM_INTERRUPT 0x19b
#define MSR_THERM_STATUS 0x19c
#define MSR_MISC_ENABLE 0x1a0
#define MSR_TEMPERATURE_TARGET 0x1a2
#define MSR_MISC_FEATURE_CONTROL 0x1a4
#define MSR_MISC_PWR_MGMT 0x1aa
#define MSR_TURBO_RATIO_LIMIT 0x1ad
#define MSR_TURBO_RATIO_LIMIT_CORES 0x1ae
#define MSR_PACKAGE_THERM_STATUS 0x1b1
#define MSR_PACKAGE_THERM_INTERRUPT 0x1b2
#define MSR_DRAM_ENERGY_STATUS 0x619
#define MSR_PP0_ENERGY_STATUS 0x639
#define MSR_PP1_ENERGY_STATUS 0x641
#define MSR_UNCORE_PERF_STATUS 0x621
#define MSR_LIMIT_REASONS_SKYLAKE 0x64f
#define MSR_LIMIT_REASONS_HASWELL 0x690
#define MSR_PM_ENABLE 0x770
#define MSR_HWP_CAPABILITIES 0x771
#define MSR_HWP_REQUEST_PKG 0x772
#define MSR_HWP_INTERRUPT 0x773
#define MSR_HWP_REQUEST 0x774
#define MSR_HWP_STATUS 0x777
#define MSR_MPERF_READ_ONLY 0xc00000e7
#define MSR_APERF_READ_ONLY 0xc00000e8
#define MSR_IRPERF 0xc00000e9
#define MSR_PREFETCH_CONTROL 0xc0000108
#define MSR_HWCR 0xc0010015
#define MSR_DEBUGCTL 0x1d9
#define MSR_PSTATE_LIMIT 0xc0010061
#define MSR_PSTATE_CONTROL 0xc0010062
#define MSR_PSTATE_STATUS 0xc0010063
#define MSR_PSTATE_0 0xc0010064
#define MSR_AMD_POWER_UNIT 0xc0010299
#define MSR_AMD_CORE_ENERGY 0xc001029a
#define MSR_AMD_PACKAGE_ENERGY 0xc001029b
#define MSR_LS_CFG 0xc0011020
#define MSR_DE_CFG 0xc0011029

#define ANYTHING UINT64_MAX
#define PERF_CTL_BITS (1ull << 32 | 0xff00) /* bit 32: no turbo; bits 15:8: the ratio */
#define THERM_STATUS_BITS 0xf87fffffull     /* bits 31:27 and 22:0 */
#define THERM_INTERRUPT_BITS 0x00ffff1full
#define PACKAGE_THERM_BITS 0x007f0fffull
#define PACKAGE_INTERRUPT_BITS 0x00ffff17ull
#define LIMIT_LOG (1u << 17)
#define LIMIT_BITS UINT32_MAX
#define HWCR_BITS 0x46040010ull /* bits 30 (IRPerfEn), 26, 25 (CpbDis), 18 (McStatusWrEn), 4 */
#define HWCR_EFF_FREQ_LOCK (1ull << 27)
#define HWCR_MC_STATUS_WRITABLE (1ull << 18)
#define LS_CFG_NO_SPEC_LOCK_MAP (1ull << 54)
#define AMD_DEBUGCTL_BITS 3 /* LBR, BTF */
#define AMD_DEBUGCTL_IGNORED 0x780
#define AMD_PREFETCH_BITS 0x2f /* 1 disables a prefetcher */
#define PREFETCH_BITS 15 /* L2 stream, L2 adjacent line, DCU, DCU-IP: 1 disables */
#define POWER_LIMIT_LOCK (1ull << 63)
#define POWER_LIMIT_BITS (POWER_LIMIT_LOCK | 0x00ffffff00ffffffull)
#define HWP_ENABLE 1
#define HWP_REQUEST_BITS 0x7ffffffffffull   /* bit 42: use the package's request */
#define HWP_REQUEST_PKG_BITS 0x3ffffffffffull
#define HWP_INTERRUPT_BITS 3
#define HWP_STATUS_BITS 5

/* Writing 1 to a bit raises #GP unless the bit is in `writable`, `log` or `ignored`. */
typedef struct Row {
    uint32_t msr;
    uint32_t cpus;
    PMUFormula *formula;
    PMUWriter *writer;
    PMUFormula *at_reset;
    uint64_t writable;
    uint64_t log;     /* writing 0 clears the bit, writing 1 has no effect */
    uint64_t ignored; /* writable, but not stored */
    uint64_t must;    /* writing 0 to these bits raises #GP */
    uint64_t lock;    /* once this bit is 1, writes are ignored until reset */
    uint64_t sticky;  /* once one of these bits is 1, it remains 1 until reset */
    bool hwcr_locks;  /* writes raise #GP once HWCR's EffFreqReadOnlyLock is 1 */
    bool is_cfg;      /* pmu-cfg-ignored applies to this MSR */
    bool needs_hwp;   /* access raises #GP until IA32_PM_ENABLE[0] is set */
    bool only_written; /* the model handles writes, and QEMU handles reads */
    bool moves;       /* the value grows with time or with each instruction */
    bool constant;    /* a machine file that contains the MSR gives its value */
} Row;

static const Row rows[] = {
    { MSR_TSC, ALL, pmu_tsc, pmu_write_tsc, .ignored = ANYTHING, .moves = true },
    { MSR_PLATFORM_ID, INTEL, .constant = true },
    { MSR_BIOS_SIGN_ID, ALL, .ignored = ANYTHING, .only_written = true },
    { MSR_PLATFORM_INFO, NEHALEM_AND_LATER, pmu_platform_info, .constant = true },
    { MSR_MPERF, ALL, pmu_mperf, pmu_write_mperf, .ignored = ANYTHING, .moves = true },
    { MSR_APERF, ALL, pmu_aperf, pmu_write_aperf, .ignored = ANYTHING, .moves = true },
    { MSR_PERF_STATUS, INTEL, pmu_perf_status },
    { MSR_PERF_CTL, INTEL, .writable = PERF_CTL_BITS },
    { MSR_THERM_INTERRUPT, INTEL, .writable = THERM_INTERRUPT_BITS },
    { MSR_THERM_STATUS, INTEL, pmu_therm_core, pmu_write_therm_core, .log = PMU_THERM_LOG,
      .ignored = THERM_STATUS_BITS },
    { MSR_MISC_ENABLE, INTEL, pmu_misc_enable, pmu_write_misc_enable,
      .ignored = PMU_MISC_ENABLE_WRITABLE | PMU_MISC_ENABLE_READ_ONLY },
    { MSR_TEMPERATURE_TARGET, NEHALEM_AND_LATER, pmu_temperature_target, .constant = true },
    { MSR_MISC_FEATURE_CONTROL, NEHALEM_AND_LATER, .writable = PREFETCH_BITS },
    { MSR_MISC_PWR_MGMT, NEHALEM_AND_LATER, .writable = 1 },
    { MSR_TURBO_RATIO_LIMIT, NEHALEM_AND_LATER, pmu_turbo_ratios, .constant = true },
    { MSR_TURBO_RATIO_LIMIT_CORES, PMU_SERVERS, pmu_turbo_cores, .constant = true },
    { MSR_PACKAGE_THERM_STATUS, SANDY_AND_LATER, pmu_therm_package, .log = PMU_THERM_LOG,
      .ignored = PACKAGE_THERM_BITS },
    { MSR_PACKAGE_THERM_INTERRUPT, SANDY_AND_LATER, .writable = PACKAGE_INTERRUPT_BITS },
    { MSR_RAPL_POWER_UNIT, SANDY_AND_LATER, pmu_power_units, .constant = true },
    { MSR_PKG_POWER_LIMIT, SANDY_AND_LATER, .at_reset = pmu_power_limit_at_reset,
      .writable = POWER_LIMIT_BITS, .lock = POWER_LIMIT_LOCK },
    { MSR_PKG_ENERGY_STATUS, SANDY_AND_LATER, pmu_package_energy, .moves = true },
    { MSR_PKG_POWER_INFO, SANDY_AND_LATER, pmu_package_power, .constant = true },
    { MSR_DRAM_ENERGY_STATUS, PMU_SERVERS, pmu_dram_energy, .moves = true },
    { MSR_PP0_ENERGY_STATUS, CLIENTS, pmu_cores_energy, .moves = true },
    { MSR_PP1_ENERGY_STATUS, CLIENTS, pmu_graphics_energy, .moves = true },
    { MSR_UNCORE_PERF_STATUS, SKYLAKE_AND_LATER, pmu_uncore_ratio },
    { MSR_LIMIT_REASONS_SKYLAKE, SKYLAKE_AND_LATER, pmu_limit_reasons, .log = LIMIT_LOG,
      .ignored = LIMIT_BITS },
    { MSR_LIMIT_REASONS_HASWELL, PMU_CPU_HASWELLS, pmu_limit_reasons, .log = LIMIT_LOG,
      .ignored = LIMIT_BITS },
    { MSR_PM_ENABLE, SKYLAKE_AND_LATER, .writable = HWP_ENABLE, .lock = HWP_ENABLE },
    { MSR_HWP_CAPABILITIES, SKYLAKE_AND_LATER, pmu_hwp_capabilities, .needs_hwp = true,
      .constant = true },
    { MSR_HWP_REQUEST_PKG, SKYLAKE_AND_LATER, .at_reset = pmu_hwp_request_at_reset,
      .writable = HWP_REQUEST_PKG_BITS, .needs_hwp = true },
    { MSR_HWP_INTERRUPT, SKYLAKE_AND_LATER, .writable = HWP_INTERRUPT_BITS },
    { MSR_HWP_REQUEST, SKYLAKE_AND_LATER, .at_reset = pmu_hwp_request_at_reset,
      .writable = HWP_REQUEST_BITS, .needs_hwp = true },
    { MSR_HWP_STATUS, SKYLAKE_AND_LATER, .log = HWP_STATUS_BITS },
    { MSR_MPERF_READ_ONLY, AMD, pmu_mperf, .moves = true },
    { MSR_APERF_READ_ONLY, AMD, pmu_aperf, .moves = true },
    { MSR_PREFETCH_CONTROL, PMU_CPU_ZEN_3 | PMU_CPU_ZEN_4, .writable = AMD_PREFETCH_BITS },
    { MSR_IRPERF, AMD, pmu_irperf, pmu_write_irperf, .ignored = ANYTHING, .hwcr_locks = true,
      .moves = true },
    { MSR_HWCR, AMD, pmu_hwcr, pmu_write_hwcr, .at_reset = pmu_hwcr_at_reset,
      .writable = HWCR_BITS | HWCR_EFF_FREQ_LOCK, .sticky = HWCR_EFF_FREQ_LOCK,
      .ignored = ANYTHING, .must = PMU_HWCR_INVDWBINVD },
    { MSR_PSTATE_LIMIT, AMD, .constant = true }, /* reads 0: no limit */
    { MSR_PSTATE_CONTROL, AMD, .writable = 7 },
    { MSR_PSTATE_STATUS, AMD, pmu_pstate },
    { MSR_DEBUGCTL, AMD, .writable = AMD_DEBUGCTL_BITS, .ignored = AMD_DEBUGCTL_IGNORED },
    { MSR_PSTATE_0, AMD, .at_reset = pmu_pstate_at_reset, .writable = ANYTHING },
    { MSR_AMD_POWER_UNIT, AMD, pmu_power_units, .constant = true },
    { MSR_AMD_CORE_ENERGY, AMD, pmu_cores_energy, .moves = true },
    { MSR_AMD_PACKAGE_ENERGY, AMD, pmu_package_energy, .moves = true },
    { MSR_LS_CFG, AMD, .writable = ANYTHING, .is_cfg = true },
    { MSR_DE_CFG, AMD, .writable = ANYTHING, .is_cfg = true },
};

QEMU_BUILD_BUG_ON(ARRAY_SIZE(rows) > PMU_STATE_ROWS);

static int find_row(uint32_t msr)
{
    int i = 0;

    while (i < ARRAY_SIZE(rows) && rows[i].msr != msr) {
        i++;
    }
    return i;
}

static bool has_bit(const PMUStateMsrs *m, uint32_t msr, uint64_t bit)
{
    return m->stored[find_row(msr)] & bit;
}

bool pmu_state_speculates_locks(const PMUStateMsrs *m)
{
    return m->figures->kind & AMD && !has_bit(m, MSR_LS_CFG, LS_CFG_NO_SPEC_LOCK_MAP);
}

bool pmu_state_mca_writable(const PMUStateMsrs *m)
{
    return has_bit(m, MSR_HWCR, HWCR_MC_STATUS_WRITABLE);
}

PMUStateMsrs *pmu_state_msrs_new(void)
{
    return g_new0(PMUStateMsrs, 1);
}

void pmu_state_msrs_reset(CPUX86State *env, PMUStateMsrs *m)
{
    uint64_t in_file;

    *m = (PMUStateMsrs){ .figures = pmu_cpu_figures(env) };
    m->base = m->now = env->pmu.base_ratio;
    m->energy_unit = m->figures->energy_unit;
    if (pmu_file_msr(env, env->pmu.amd ? MSR_AMD_POWER_UNIT : MSR_RAPL_POWER_UNIT,
                     &in_file) == PMU_DONE) {
        m->energy_unit = in_file >> 8 & 31;
    }
    pmu_write_mperf(env, m, 0);
    pmu_write_aperf(env, m, 0);
    for (int i = 0; i < ARRAY_SIZE(rows); i++) {
        m->stored[i] = rows[i].at_reset ? rows[i].at_reset(env, m) : 0;
        if (pmu_file_msr(env, rows[i].msr, &in_file) == PMU_DONE) {
            m->constant[i] = rows[i].constant;
            m->stored[i] = rows[i].constant ? in_file : in_file & rows[i].writable;
        }
    }
    pmu_write_irperf(env, m, 0);
    m->irperf_on = has_bit(m, MSR_HWCR, PMU_HWCR_IRPERF_EN);
}

/* PMU_DONE if the register can be accessed, else the outcome of any access to the register. */
static int find_outcome(CPUX86State *env, const PMUStateMsrs *m, int i)
{
    int in_file;
    uint64_t value;

    if (i == ARRAY_SIZE(rows)) {
        return PMU_NOT_MINE;
    }
    in_file = pmu_file_msr(env, rows[i].msr, &value);
    if (in_file == PMU_FAULT) {
        return PMU_FAULT;
    }
    if (in_file == PMU_NOT_MINE && !(rows[i].cpus & m->figures->kind)) {
        return env->pmu.strict_msr ? PMU_FAULT : PMU_NOT_MINE;
    }
    if (rows[i].needs_hwp && !(m->stored[find_row(MSR_PM_ENABLE)] & HWP_ENABLE)) {
        return PMU_FAULT;
    }
    return PMU_DONE;
}

int pmu_state_rdmsr(CPUX86State *env, PMUStateMsrs *m, uint32_t msr, uint64_t *value)
{
    int i = find_row(msr);
    int outcome = find_outcome(env, m, i);

    if (outcome != PMU_DONE) {
        return outcome;
    }
    if (rows[i].only_written) {
        return PMU_NOT_MINE;
    }
    pmu_state_dither(env, m);
    *value = m->stored[i];
    if (rows[i].formula && !m->constant[i]) {
        *value |= rows[i].formula(env, m);
    }
    return PMU_DONE;
}

int pmu_state_wrmsr(CPUX86State *env, PMUStateMsrs *m, uint32_t msr, uint64_t value)
{
    int i = find_row(msr);
    int outcome = find_outcome(env, m, i);
    uint64_t allowed;

    if (outcome != PMU_DONE) {
        return outcome;
    }
    allowed = rows[i].writable | rows[i].log | rows[i].ignored;
    if (allowed == 0 || value & ~allowed || ~value & rows[i].must ||
        (rows[i].hwcr_locks && has_bit(m, MSR_HWCR, HWCR_EFF_FREQ_LOCK))) {
        return PMU_FAULT;
    }
    if (m->stored[i] & rows[i].lock || (rows[i].is_cfg && env->pmu.cfg_ignored)) {
        return PMU_DONE;
    }
    m->stored[i] = (value & rows[i].writable) | (m->stored[i] & value & rows[i].log) |
                   (m->stored[i] & rows[i].sticky);
    if (rows[i].writer) {
        rows[i].writer(env, m, value);
    }
    return PMU_DONE;
}

bool pmu_state_moves(uint32_t msr)
{
    int i = find_row(msr);

    return i != ARRAY_SIZE(rows) && rows[i].moves;
}

void pmu_state_limit(PMUStateMsrs *m)
{
    m->stored[find_row(MSR_LIMIT_REASONS_SKYLAKE)] |= LIMIT_LOG;
    m->stored[find_row(MSR_LIMIT_REASONS_HASWELL)] |= LIMIT_LOG;
}

void pmu_state_heat(PMUStateMsrs *m)
{
    m->hot = true;
    m->stored[find_row(MSR_THERM_STATUS)] |= PMU_THERM_LOG;
    m->stored[find_row(MSR_PACKAGE_THERM_STATUS)] |= PMU_THERM_LOG;
    pmu_state_limit(m);
}

bool pmu_model_unknown_msr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
    int in_file = env->pmu.on ? pmu_file_msr(env, msr, value) : PMU_NOT_MINE;

    if (in_file == PMU_NOT_MINE) {
        *value = 0;
        return !(env->pmu.on && env->pmu.strict_msr);
    }
    return in_file == PMU_DONE;
}
