/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU models: the default PMU of each, and its CPUID leaves. Intel SDM volume 2A, "CPUID",
 * leaves 04H, 06H, 07H, 0AH, 15H, 1AH and 23H; volume 3B, "Performance Monitoring". AMD64 manual
 * volume 3, appendix E, leaves 8000_0001H, 8000_0007H, 8000_0008H, 8000_001DH, 8000_0021H and
 * 8000_0022H.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "pmu_model_state.h"
#include "pmu_model_cpus.h"
#include "pmu_model_file.h"

#define WIDTH_MIN 32
#define WIDTH_MAX PMU_WIDTH_MAX

#define CORE_TYPE_ATOM 0x20
#define CORE_TYPE_CORE 0x40
#define NATIVE_MODEL_MAX 0xffffff
#define CACHE_SHIFT_MAX 5 /* QEMU's Intel CPUs then have an L2 of 128 KiB, more than L1D */

#define LEAF_CACHES 4
#define LEAF_POWER 6
#define LEAF_PERFMON 0xa
#define LEAF_CRYSTAL 0x15
#define LEAF_HYBRID 0x1a
#define LEAF_EXTENDED 0x23
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_AMD_FREQUENCY 0x80000007u
#define LEAF_AMD_SIZES 0x80000008u
#define LEAF_AMD_CACHES 0x8000001du
#define LEAF_AMD_FEATURES_2 0x80000021u
#define LEAF_AMD_PERFMON 0x80000022u

#define AMD_EDX_EFF_FREQ_RO (1u << 10)       /* 8000_0007 */
#define AMD_EAX_LFENCE_SERIALIZES (1u << 2)  /* 8000_0021 */
#define AMD_EAX_PREFETCH_CTL (1u << 13)      /* 8000_0021 */

/* CPUID.06H */
#define POWER_EAX_SENSOR (1u << 0)
#define POWER_EAX_TURBO (1u << 1)
#define POWER_EAX_PACKAGE (1u << 6)
#define POWER_EAX_HWP (0x1fu << 7) /* MSRs 770h to 774h and 777h */
#define POWER_ECX_APERF (1u << 0)

#define FEATURES_EDX_HYBRID (1u << 15)       /* CPUID.07H */
#define FEATURES_1_EAX_EXTENDED (1u << 8)    /* CPUID.07H, subleaf 1: leaf 23H exists */
#define EXTENDED_EAX 0xb                     /* CPUID.23H: subleaves 0, 1 and 3 */
#define EXTENDED_EBX 0x3                     /* bits 0 and 1: UMASK2, EQ */
#define PERFMON_EDX_NO_ANY_THREAD (1u << 15) /* CPUID.0AH */

#define POWER_TURBO (POWER_EAX_SENSOR | POWER_EAX_TURBO)
#define POWER_PACKAGE (POWER_TURBO | POWER_EAX_PACKAGE)
#define POWER_HWP (POWER_PACKAGE | POWER_EAX_HWP)

/*
 * Ratios, energy and power are chosen, not copied from one real CPU. If 3C/01 counts the bus clock,
 * the bus ratio is the base ratio. On Skylake and Ice Lake, the bus ratio is the rate of the TSC
 * divided by the rate of the crystal. CPUID.15H in InstLatx64's dumps gives 334/2 for the i7-6700K
 * and 168/2 for the Platinum 8160. InstLatx64 has no dump of an Ice Lake server, whose crystal is
 * assumed to run at 25 MHz, like the crystal of a Skylake server.
 */
static const PMUCpuFigures figures[] = {
    { PMU_CPU_NEHALEM, 3, 4, 3, 0, false, false, POWER_TURBO, 20, 12, 20, 0, 0 },
    { PMU_CPU_SANDY_BRIDGE, 3, 4, 3, 0, true, false, POWER_PACKAGE, 34, 16, 34, 16, 64 },
    { PMU_CPU_HASWELL, 3, 4, 3, 0, true, false, POWER_PACKAGE, 35, 8, 35, 14, 64 },
    { PMU_CPU_BROADWELL, 3, 4, 3, 0, true, false, POWER_PACKAGE, 35, 8, 35, 14, 64 },
    { PMU_CPU_SKYLAKE_CLIENT, 4, 4, 3, 0, true, false, POWER_HWP, 40, 8, 167, 14, 64 },
    { PMU_CPU_SKYLAKE_SERVER, 4, 4, 3, 0, true, false, POWER_HWP, 21, 10, 84, 14, 128 },
    { PMU_CPU_ICE_LAKE_CLIENT, 5, 8, 4, 0, true, true, POWER_HWP, 13, 4, 39, 14, 32 },
    { PMU_CPU_ICE_LAKE_SERVER, 5, 8, 4, 0, true, true, POWER_HWP, 23, 8, 92, 14, 128 },
    { PMU_CPU_SAPPHIRE_RAPIDS, 5, 8, 4, 0, true, true, POWER_HWP, 23, 8, 92, 14, 128 },
    { PMU_CPU_HYBRID_CORE, 5, 8, 4, 0, true, true, POWER_HWP, 32, 8, 1, 14, 64 },
    { PMU_CPU_HYBRID_ATOM, 5, 6, 3, 0, true, false, POWER_HWP, 24, 8, 1, 14, 64 },
    { PMU_CPU_CRESTMONT, 5, 8, 3, 0, true, false, POWER_HWP, 25, 8, 1, 14, 64 },
    { PMU_CPU_LION_COVE, 6, 10, 4, 0, true, true, POWER_HWP, 37, 8, 1, 14, 64 },
    { PMU_CPU_SKYMONT, 6, 8, 7, 1 << 3, true, false, POWER_HWP, 33, 8, 1, 14, 64 },
    { PMU_CPU_COUGAR_COVE, 6, 10, 4, 0, true, true, POWER_HWP, 29, 8, 1, 14, 64 },
    { PMU_CPU_DARKMONT, 6, 8, 7, 1 << 3, true, false, POWER_HWP, 26, 8, 1, 14, 64 },
    { PMU_CPU_OTHER, 4, 4, 3, 0, true, false, POWER_EAX_SENSOR, 20, 10, 1, 14, 64 },
    { PMU_CPU_ZEN, 1, 6, 0, 0, true, false, 0, 22, 15, 1, 16, 128 },
    { PMU_CPU_ZEN_3, 1, 6, 0, 0, true, false, 0, 22, 15, 1, 16, 128 },
    { PMU_CPU_ZEN_4, 2, 6, 0, 0, true, false, 0, 24, 15, 1, 16, 128 },
};

/*
 * Models of family 6, grouped by microarchitecture as mapfile.csv in Intel's perfmon project says.
 * Model 86h is Snow Ridge, but QEMU's Icelake-Server-v1 to Icelake-Server-v3 have this number.
 */
static const struct {
    PMUCpu kind;
    uint8_t models[9]; /* padded with 0 */
    bool tsc_is_bus;   /* event 3C/01 counts the TSC's clock */
} kinds[] = {
    { PMU_CPU_NEHALEM, { 0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f } },
    { PMU_CPU_SANDY_BRIDGE, { 0x2a, 0x2d, 0x3a, 0x3e } },
    { PMU_CPU_HASWELL, { 0x3c, 0x3f, 0x45, 0x46 } },
    { PMU_CPU_BROADWELL, { 0x3d, 0x47, 0x4f, 0x56 } },
    { PMU_CPU_SKYLAKE_CLIENT, { 0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x66 } },
    { PMU_CPU_SKYLAKE_SERVER, { 0x55 } },
    { PMU_CPU_ICE_LAKE_CLIENT, { 0x7d, 0x7e, 0x8c, 0x8d, 0xa7 } },
    { PMU_CPU_ICE_LAKE_SERVER, { 0x6a, 0x6c } },
    { PMU_CPU_ICE_LAKE_SERVER, { 0x86 }, true },
    { PMU_CPU_SAPPHIRE_RAPIDS, { 0x8f, 0xcf, 0xad, 0xae }, true },
};

static uint8_t model_of(const CPUX86State *env)
{
    return (env->cpuid_version >> 12 & 0xf0) | (env->cpuid_version >> 4 & 15);
}

unsigned pmu_cpu_amd_family(const CPUX86State *env)
{
    return (env->cpuid_version >> 8 & 15) + (env->cpuid_version >> 20 & 0xff);
}

bool pmu_cpu_is_zen(const CPUX86State *env)
{
    uint32_t vendor[3] = { env->cpuid_vendor1, env->cpuid_vendor2, env->cpuid_vendor3 };

    return (IS_AMD_CPU(env) || !memcmp(vendor, "HygonGenuine", sizeof(vendor))) &&
           pmu_cpu_amd_family(env) >= 0x17;
}

/* Linux lists which models of family 19h are Zen 4 (arch/x86/kernel/cpu/amd.c). */
static PMUCpu zen_kind(const CPUX86State *env)
{
    unsigned family = pmu_cpu_amd_family(env), model = model_of(env);
    bool zen_4 = model >> 4 == 1 || (model >= 0x60 && model <= 0xaf);

    if (family < 0x19) {
        return PMU_CPU_ZEN;
    }
    return family == 0x19 && !zen_4 ? PMU_CPU_ZEN_3 : PMU_CPU_ZEN_4;
}

static int find_model(const CPUX86State *env)
{
    uint8_t model = model_of(env);
    int i = (env->cpuid_version >> 8 & 15) == 6 ? 0 : ARRAY_SIZE(kinds);

    while (i < ARRAY_SIZE(kinds) && !(model && memchr(kinds[i].models, model,
                                                      sizeof(kinds[i].models)))) {
        i++;
    }
    return i;
}

PMUCpu pmu_cpu_kind(const CPUX86State *env)
{
    return pmu_cpu_kind_of(env, env->pmu.core_type);
}

PMUCpu pmu_cpu_kind_of(const CPUX86State *env, uint8_t core_type)
{
    static const PMUCpu cores[] = { PMU_CPU_HYBRID_CORE, PMU_CPU_HYBRID_CORE, PMU_CPU_HYBRID_CORE,
                                    PMU_CPU_LION_COVE, PMU_CPU_COUGAR_COVE };
    static const PMUCpu atoms[] = { PMU_CPU_HYBRID_ATOM, PMU_CPU_HYBRID_ATOM, PMU_CPU_CRESTMONT,
                                    PMU_CPU_SKYMONT, PMU_CPU_DARKMONT };
    uint32_t native = env->pmu.native_model;
    int i = find_model(env);

    if (pmu_cpu_is_zen(env)) {
        return zen_kind(env);
    }
    if (env->pmu.file && core_type == CORE_TYPE_ATOM && native == 0) {
        return PMU_CPU_OTHER; /* Tremont */
    }
    if (core_type != 0) {
        return native >= ARRAY_SIZE(cores) ? PMU_CPU_OTHER
               : core_type == CORE_TYPE_ATOM ? atoms[native] : cores[native];
    }
    return i < ARRAY_SIZE(kinds) ? kinds[i].kind : PMU_CPU_OTHER;
}

const PMUCpuFigures *pmu_cpu_figures(const CPUX86State *env)
{
    PMUCpu kind = pmu_cpu_kind(env);
    const PMUCpuFigures *f = figures;

    while (f->kind != kind) {
        f++;
    }
    return f;
}

unsigned pmu_cpu_bus_ratio(const CPUX86State *env)
{
    unsigned ratio = pmu_cpu_figures(env)->bus_ratio;
    uint32_t crystal[4];
    int i = find_model(env);

    if (ratio == 1 || (i < ARRAY_SIZE(kinds) && kinds[i].tsc_is_bus)) {
        return 1;
    }
    if (env->pmu.file) {
        return pmu_file_leaf(env, LEAF_CRYSTAL, 0, crystal) && crystal[R_EAX] && crystal[R_EBX]
                   ? crystal[R_EBX] / crystal[R_EAX] : env->pmu.base_ratio;
    }
    return ratio;
}

static void set_default(uint8_t *property, uint8_t value)
{
    if (*property == PMU_AUTO) {
        *property = value;
    }
}

static void pmu_cpu_defaults(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    const PMUCpuFigures *f = pmu_cpu_figures(env);

    if (p->file) {
        pmu_file_defaults(env);
    }
    set_default(&p->version, f->version);
    set_default(&p->base_ratio, f->base);
    set_default(&p->gp_count, f->gp_count);
    set_default(&p->gp_width, WIDTH_MAX);
    if (p->fixed_absent == PMU_AUTO) {
        p->fixed_absent = p->fixed_count == PMU_AUTO ? f->fixed_absent : 0;
    }
    set_default(&p->fixed_count, f->fixed_count);
    set_default(&p->fixed_width, WIDTH_MAX);
    set_default(&p->full_width, f->full_width);
    if (p->version == 1 && !p->amd) {
        p->fixed_count = 0;
        p->full_width = 0;
    }
    set_default(&p->metrics, f->metrics && p->version >= 5 && p->fixed_count >= 4);
}

static bool in_bounds(const PMUModel *p, Error **errp)
{
    if (p->version > 6 || p->gp_count > PMU_GP_MAX || p->fixed_count > PMU_FIXED_MAX ||
        p->gp_width < WIDTH_MIN || p->gp_width > WIDTH_MAX || p->fixed_width < WIDTH_MIN ||
        p->fixed_width > WIDTH_MAX) {
        error_setg(errp, "pmu-version is 0 to 6, pmu-gp 0 to %d, pmu-fixed 0 to %d, "
                         "pmu-width and pmu-fixed-width %d to %d",
                   PMU_GP_MAX, PMU_FIXED_MAX, WIDTH_MIN, WIDTH_MAX);
        return false;
    }
    if (p->amd && (p->version > 2 || p->fixed_count || p->gp_width != WIDTH_MAX ||
                   !p->full_width ||
                   (p->gp_count != PMU_AMD_COUNTERS && p->gp_count != AMD_LEGACY))) {
        error_setg(errp, "on AMD pmu-version is 0 to 2, pmu-gp %d or %d, pmu-fixed 0, pmu-width "
                         "%d, and pmu-full-width 1", AMD_LEGACY, PMU_AMD_COUNTERS, WIDTH_MAX);
        return false;
    }
    if ((p->gp_absent || p->fixed_absent) && p->version < 6 && !p->file) {
        error_setg(errp, "pmu-absent and pmu-fixed-absent need pmu-version=6");
        return false;
    }
    if (p->full_width > 1 || p->metrics > 1) {
        error_setg(errp, "pmu-full-width and pmu-metrics are 0, 1 or %d (the CPU's default)",
                   PMU_AUTO);
        return false;
    }
    if (p->metrics && (p->version < 5 || p->fixed_count < 4)) {
        error_setg(errp, "pmu-metrics=1 needs pmu-version of 5 or more and pmu-fixed of 4 or more");
        return false;
    }
    if (p->promised > PMU_GP_MAX - p->gp_count) {
        error_setg(errp, "pmu-gp plus pmu-promised is at most %d", PMU_GP_MAX);
        return false;
    }
    if (p->core_type != 0 && p->core_type != CORE_TYPE_ATOM && p->core_type != CORE_TYPE_CORE) {
        error_setg(errp, "pmu-core-type is 0x%x, 0x%x, or 0 (not a hybrid)", CORE_TYPE_ATOM,
                   CORE_TYPE_CORE);
        return false;
    }
    if (p->native_model > NATIVE_MODEL_MAX) {
        error_setg(errp, "pmu-native-model is 0 to 0xffffff");
        return false;
    }
    if (p->cache_shift > CACHE_SHIFT_MAX) {
        error_setg(errp, "pmu-cache-shift is 0 to %d", CACHE_SHIFT_MAX);
        return false;
    }
    return true;
}

static void set_amd_features(CPUX86State *env)
{
    bool has_features_2 = pmu_cpu_kind(env) != PMU_CPU_ZEN;

    if (env->pmu.gp_count > AMD_LEGACY) {
        env->features[FEAT_8000_0001_ECX] |= PMU_AMD_ECX_PERF_CTR_EXT_CORE;
    }
    env->features[FEAT_8000_0007_EDX] |= AMD_EDX_EFF_FREQ_RO;
    env->cpuid_level = MAX(env->cpuid_level, LEAF_POWER);
    env->cpuid_xlevel = MAX(env->cpuid_xlevel, env->pmu.version >= 2 ? LEAF_AMD_PERFMON
                                               : has_features_2 ? LEAF_AMD_FEATURES_2
                                                                : LEAF_AMD_CACHES);
}

static void set_features(CPUX86State *env)
{
    const PMUModel *p = &env->pmu;

    if (p->amd) {
        set_amd_features(env);
        return;
    }
    if (p->version >= 2) {
        env->features[FEAT_1_ECX] |= CPUID_EXT_PDCM;
    } else {
        env->features[FEAT_1_ECX] &= ~CPUID_EXT_PDCM;
    }
    if (pmu_cpu_figures(env)->power & POWER_EAX_TURBO) {
        env->features[FEAT_1_ECX] |= CPUID_EXT_EST;
    }
    env->cpuid_level = MAX(env->cpuid_level, p->core_type ? LEAF_HYBRID : LEAF_PERFMON);
    if (p->crystal) {
        env->cpuid_level = MAX(env->cpuid_level, LEAF_CRYSTAL);
    }
    if (p->version >= 6) {
        env->cpuid_level = MAX(env->cpuid_level, LEAF_EXTENDED);
    }
}

bool pmu_model_realize(CPUX86State *env, Error **errp)
{
    PMUModel *p = &env->pmu;

    p->amd = pmu_cpu_is_zen(env);
    if (!env_archcpu(env)->enable_pmu || !(IS_INTEL_CPU(env) || p->amd)) {
        return true;
    }
    pmu_cpu_defaults(env);
    if (p->version == 0) {
        return true;
    }
    p->prec_ret = p->amd && (p->file ? pmu_file_prec_ret(env) : pmu_cpu_amd_family(env) >= 0x1a);
    if (!in_bounds(p, errp) || !pmu_lies_realize(p, errp) || !pmu_uncore_realize(env, errp)) {
        return false;
    }
    if (p->file) {
        pmu_file_features(env);
    } else {
        set_features(env);
    }
    if (p->left_running && !p->amd) {
        env->features[FEAT_1_EDX] |= CPUID_DTS; /* without this bit software ignores PEBS */
    }
    p->on = true;
    pmu_dump_realize(env);
    return true;
}

static unsigned contiguous_fixed(const PMUModel *p)
{
    return MIN(p->fixed_count, ctz32(p->fixed_absent | 1u << PMU_FIXED_MAX));
}

/* CPUID.23H: subleaf 1 lists the counters, and subleaf 3 the architectural events. */
static void extended_leaf(const CPUX86State *env, uint32_t subleaf, uint32_t *eax, uint32_t *ebx)
{
    const PMUModel *p = &env->pmu;

    if (subleaf == 0) {
        *eax = EXTENDED_EAX;
        *ebx = EXTENDED_EBX;
    } else if (subleaf == 1) {
        *eax = pmu_counter_bits(p);
        *ebx = pmu_counter_bits(p) >> 32;
    } else if (subleaf == 3) {
        *eax = pmu_arch_events(env);
    }
}

static void own_amd_leaf(const CPUX86State *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
                         uint32_t *ecx, uint32_t *edx)
{
    const PMUModel *p = &env->pmu;

    switch (leaf) {
    case LEAF_CACHES: /* Hygon's CPUs lack this leaf, but QEMU sets it */
        *eax = *ebx = *ecx = *edx = 0;
        break;
    case LEAF_POWER:
        *ecx |= POWER_ECX_APERF;
        break;
    case LEAF_AMD_FEATURES_2:
        if (pmu_cpu_kind(env) != PMU_CPU_ZEN) {
            *eax |= AMD_EAX_LFENCE_SERIALIZES | AMD_EAX_PREFETCH_CTL;
            *eax |= p->prec_ret ? PMU_AMD_EAX_PREC_RET : 0;
        }
        break;
    case LEAF_AMD_FREQUENCY:
        *ebx |= PMU_AMD_EBX_SCALABLE_MCA;
        break;
    case LEAF_AMD_SIZES:
        *ebx |= PMU_AMD_EBX_IRPERF;
        break;
    case LEAF_AMD_PERFMON:
        if (p->version >= 2) {
            *eax = PMU_AMD_EAX_PERFMON_V2;
            *ebx = p->gp_count + pmu_promised(env);
            *ecx = *edx = 0;
        }
        break;
    }
}

static void own_leaf(const CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                     uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
    const PMUModel *p = &env->pmu;

    switch (leaf) {
    case LEAF_POWER:
        *eax |= pmu_cpu_figures(env)->power;
        *ecx |= POWER_ECX_APERF;
        break;
    case 7:
        if (subleaf == 0) {
            *edx |= p->core_type ? FEATURES_EDX_HYBRID : 0;
            *eax = p->version >= 6 ? MAX(*eax, 1) : *eax;
        } else if (subleaf == 1 && p->version >= 6) {
            *eax |= FEATURES_1_EAX_EXTENDED;
        }
        break;
    case LEAF_EXTENDED:
        if (p->version >= 6) {
            *eax = *ebx = *ecx = *edx = 0;
            extended_leaf(env, subleaf, eax, ebx);
        }
        break;
    case LEAF_PERFMON:
        *eax = p->version | (p->gp_count + pmu_promised(env)) << 8 | p->gp_width << 16 |
               (32 - clz32(pmu_arch_events(env))) << 24;
        *ebx = 0;
        *ecx = p->version >= 5 ? pmu_counter_bits(p) >> 32 : 0;
        *edx = p->fixed_count ? contiguous_fixed(p) | p->fixed_width << 5 : 0;
        *edx |= p->version >= 5 ? PERFMON_EDX_NO_ANY_THREAD : 0;
        break;
    case LEAF_CRYSTAL: /* 24 MHz * 125 / 3 is the rate of QEMU's TSC with -icount */
        if (p->crystal) {
            *eax = 3;
            *ebx = 125;
        }
        break;
    case LEAF_HYBRID:
        *eax = p->core_type ? (uint32_t)p->core_type << 24 | p->native_model : 0;
        *ebx = *ecx = *edx = 0;
        break;
    }
}

void pmu_model_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                     uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
    const PMUModel *p = &env->pmu;

    if (!p->on) {
        return;
    }
    if (p->file) {
        pmu_file_cpuid(env, leaf, subleaf, eax, ebx, ecx, edx);
    } else if (p->amd) {
        own_amd_leaf(env, leaf, eax, ebx, ecx, edx);
    } else {
        own_leaf(env, leaf, subleaf, eax, ebx, ecx, edx);
    }
    if ((leaf == LEAF_CACHES || leaf == LEAF_AMD_CACHES) &&
        (*eax >> 5 & 7) >= 2) {
        /* ECX is the number of sets minus 1. */
        *ecx = ((*ecx + 1) >> p->cache_shift) - 1;
    }
    if (leaf == LEAF_HYPERVISOR && p->hypervisor) {
        char name[12] = { 0 };

        memcpy(name, p->hypervisor, MIN(strlen(p->hypervisor), sizeof(name)));
        *ebx = ldl_le_p(name);
        *ecx = ldl_le_p(name + 4);
        *edx = ldl_le_p(name + 8);
    }
}
