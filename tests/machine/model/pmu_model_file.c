/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU as a machine file describes it (docs/machine-file.md, sections `cpu` and `msrs`). The
 * topology, and everything that depends on what TCG can do, come from QEMU.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "pmu_model_state.h"
#include "pmu_model_cpus.h"
#include "cpu-internal.h"
#include "pmu_model_file.h"

#define LEAF_FEATURES 1
#define LEAF_CACHES 4
#define LEAF_FEATURES_7 7
#define LEAF_PERFMON 0xa
#define LEAF_TOPOLOGY 0xb
#define LEAF_XSAVE 0xd
#define LEAF_FREQUENCY 0x16
#define LEAF_TLBS 0x18
#define LEAF_HYBRID 0x1a
#define LEAF_TOPOLOGY_2 0x1f
#define LEAF_EXTENDED 0x23
#define LEAF_HIGHEST 0x80000000u
#define LEAF_FEATURES_EXTENDED 0x80000001u
#define LEAF_FEATURES_8 0x80000008u
#define LEAF_AMD_CACHES 0x8000001du
#define LEAF_AMD_FEATURES_2 0x80000021u
#define LEAF_AMD_PERFMON 0x80000022u

#define GOLDEN_COVE 0x40000001u /* CPUID.1AH:EAX; also Raptor Cove */

#define FEATURES_1_EAX_EXTENDED (1u << 8) /* CPUID.07H, subleaf 1: leaf 23H exists */
#define FEATURES_EDX_HYBRID (1u << 15)    /* CPUID.07H */

#define MSR_BIOS_SIGN_ID 0x08b
#define MSR_PLATFORM_INFO 0x0ce
#define MSR_PSTATE_0 0xc0010064
#define PERF_CAPABILITIES_FULL_WIDTH 13
#define PERF_CAPABILITIES_METRICS 15

typedef struct Leaf {
    uint32_t leaf, subleaf;
    uint32_t regs[4];
} Leaf;

typedef struct Msr {
    uint32_t number;
    bool fault;
    uint64_t value;
} Msr;

/*
 * The lines of the imitated CPU, followed by those of the file's first CPU. A search for a leaf or
 * an MSR ends at the first match.
 */
typedef struct PMUFile {
    GArray *leaves;
    GArray *msrs;
} PMUFile;

static bool read_leaf(const char *line, Leaf *l)
{
    int end = 0;

    *l = (Leaf){ 0 };
    sscanf(line, "%x %x absent%n", &l->leaf, &l->subleaf, &end);
    if (end == 0) {
        sscanf(line, "%x %x %x %x %x %x%n", &l->leaf, &l->subleaf, &l->regs[R_EAX],
               &l->regs[R_EBX], &l->regs[R_ECX], &l->regs[R_EDX], &end);
    }
    return end != 0 && line[end] == 0;
}

static bool read_msr(const char *line, Msr *m)
{
    int end = 0;

    *m = (Msr){ 0 };
    sscanf(line, "%x fault%n", &m->number, &end);
    m->fault = end != 0;
    if (!m->fault) {
        sscanf(line, "%x %" SCNx64 "%n", &m->number, &m->value, &end);
    }
    return end != 0 && line[end] == 0;
}

static bool continues_section(const char *line)
{
    return line[strspn(line, "0123456789abcdef ")] == 0 || g_str_has_suffix(line, " fault") ||
           g_str_has_suffix(line, " absent");
}

/*
 * Appends the leaves and MSRs of CPU `number` to *file; returns false at a line that it cannot
 * read.
 */
static bool read_cpu(char **lines, uint32_t number, PMUFile *file, Error **errp)
{
    g_autofree char *cpu = g_strdup_printf("cpu %u", number);
    g_autofree char *msrs = g_strdup_printf("msrs %u", number);
    bool in_cpu = false, in_msrs = false, good = true;

    for (int i = 0; lines[i] && good; i++) {
        Leaf leaf;
        Msr msr;

        g_strchomp(lines[i]);
        if (lines[i][0] == '#') {
            continue;
        }
        if (!continues_section(lines[i])) {
            in_cpu = !strcmp(lines[i], cpu);
            in_msrs = !strcmp(lines[i], msrs);
        } else if (in_cpu && *lines[i]) {
            good = read_leaf(lines[i], &leaf);
            g_array_append_val(file->leaves, leaf);
        } else if (in_msrs && *lines[i]) {
            good = read_msr(lines[i], &msr);
            g_array_append_val(file->msrs, msr);
        }
        if (!good) {
            error_setg(errp, "line %d is not a leaf or an MSR: %s", i + 1, lines[i]);
        }
    }
    return good;
}

static uint32_t number_of_first(char **lines)
{
    uint32_t number = PMU_NOBODY;

    for (int i = 0; lines[i] && sscanf(lines[i], "cpu %u", &number) != 1; i++) {
    }
    return number;
}

static PMUFile *read_file(const char *name, uint32_t number, Error **errp)
{
    PMUFile *file = g_new0(PMUFile, 1);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    uint32_t first;

    if (!g_file_get_contents(name, &text, NULL, NULL)) {
        error_setg(errp, "the file cannot be read");
        return NULL;
    }
    lines = g_strsplit(text, "\n", -1);
    file->leaves = g_array_new(false, false, sizeof(Leaf));
    file->msrs = g_array_new(false, false, sizeof(Msr));
    if (!read_cpu(lines, number, file, errp)) {
        return NULL;
    }
    if (file->leaves->len == 0) {
        error_setg(errp, "the file has no CPU %u", number);
        return NULL;
    }
    first = number_of_first(lines);
    if (number != first && !read_cpu(lines, first, file, errp)) {
        return NULL;
    }
    return file;
}

bool pmu_file_leaf(const CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const GArray *leaves = env->pmu.file->leaves;

    for (unsigned i = 0; i < leaves->len; i++) {
        const Leaf *l = &g_array_index(leaves, Leaf, i);

        if (l->leaf == leaf && l->subleaf == subleaf) {
            memcpy(regs, l->regs, sizeof(l->regs));
            return true;
        }
    }
    memset(regs, 0, sizeof(uint32_t) * 4);
    return false;
}

int pmu_file_msr(const CPUX86State *env, uint32_t msr, uint64_t *value)
{
    for (unsigned i = 0; env->pmu.file && i < env->pmu.file->msrs->len; i++) {
        const Msr *m = &g_array_index(env->pmu.file->msrs, Msr, i);

        if (m->number == msr) {
            *value = m->value;
            return m->fault ? PMU_FAULT : PMU_DONE;
        }
    }
    return PMU_NOT_MINE;
}

/*
 * Features that are not requested from QEMU: the model implements PDCM, EIST, hybrid and leaf 23H,
 * and QEMU itself sets HTT, OSXSAVE and OSPKE.
 */
static uint64_t not_asked(FeatureWord w)
{
    return w == FEAT_1_ECX ? CPUID_EXT_PDCM | CPUID_EXT_EST | CPUID_EXT_OSXSAVE
           : w == FEAT_1_EDX ? CPUID_HT
           : w == FEAT_7_0_ECX ? CPUID_7_0_ECX_OSPKE
           : w == FEAT_7_0_EDX ? FEATURES_EDX_HYBRID
           : w == FEAT_7_1_EAX ? FEATURES_1_EAX_EXTENDED : 0;
}

static bool is_asked(const FeatureWordInfo *info)
{
    switch (info->type == CPUID_FEATURE_WORD ? info->cpuid.eax : 0) {
    case LEAF_FEATURES:
    case LEAF_FEATURES_7:
    case LEAF_FEATURES_EXTENDED:
    case LEAF_FEATURES_8:
        return true;
    case LEAF_XSAVE: /* QEMU derives the other registers from the features */
        return info->cpuid.ecx == 1 && info->cpuid.reg == R_EAX;
    default:
        return false;
    }
}

bool pmu_model_load(CPUX86State *env, Error **errp)
{
    ERRP_GUARD();
    PMUModel *p = &env->pmu;
    uint32_t regs[4];
    uint64_t microcode;

    if (!p->machine || !env_archcpu(env)->enable_pmu) {
        return true;
    }
    p->file = read_file(p->machine, p->machine_cpu, errp);
    if (!p->file) {
        error_prepend(errp, "pmu-machine=%s: ", p->machine);
        return false;
    }
    if (p->version != PMU_AUTO || p->gp_count != PMU_AUTO || p->gp_width != PMU_AUTO ||
        p->gp_absent || p->fixed_count != PMU_AUTO || p->fixed_width != PMU_AUTO ||
        p->fixed_absent != PMU_AUTO || p->full_width != PMU_AUTO || p->metrics != PMU_AUTO ||
        p->core_type || p->native_model || p->crystal) {
        error_setg(errp, "pmu-machine sets the PMU: remove the properties that set its version, "
                         "counters, widths, capabilities, core type or crystal");
        return false;
    }
    pmu_file_leaf(env, 0, 0, regs);
    env->cpuid_vendor1 = regs[R_EBX];
    env->cpuid_vendor2 = regs[R_EDX];
    env->cpuid_vendor3 = regs[R_ECX];
    pmu_file_leaf(env, LEAF_FEATURES, 0, regs);
    env->cpuid_version = regs[R_EAX];
    for (FeatureWord w = 0; w < FEATURE_WORDS; w++) {
        const FeatureWordInfo *info = &feature_word_info[w];
        uint64_t users = env->user_features[w] | (w == FEAT_1_ECX ? CPUID_EXT_HYPERVISOR : 0);

        if (is_asked(info)) {
            pmu_file_leaf(env, info->cpuid.eax, info->cpuid.ecx, regs);
            env->features[w] = (regs[info->cpuid.reg] & ~not_asked(w) & ~users) |
                               (env->features[w] & users);
        }
    }
    if (env->features[FEAT_8000_0001_EDX] & CPUID_EXT2_LM) {
        /* Intel's CPUs report SYSCALL in 64-bit mode only. */
        env->features[FEAT_8000_0001_EDX] |= CPUID_EXT2_SYSCALL;
    }
    if (env->features[FEAT_1_ECX] & CPUID_EXT_XSAVE) {
        /* QEMU refuses CR4.OSXSAVE while FEAT_XSAVE is 0. */
        env->features[FEAT_XSAVE] |= CPUID_XSAVE_XSAVEOPT;
    }
    if (env_archcpu(env)->ucode_rev == 0 &&
        pmu_file_msr(env, MSR_BIOS_SIGN_ID, &microcode) == PMU_DONE) {
        env_archcpu(env)->ucode_rev = microcode;
    }
    return true;
}

void pmu_file_features(CPUX86State *env)
{
    uint32_t regs[4];

    pmu_file_leaf(env, LEAF_FEATURES, 0, regs);
    env->features[FEAT_1_ECX] |= regs[R_ECX] & (CPUID_EXT_PDCM | CPUID_EXT_EST);
    if (env->pmu.amd) {
        pmu_file_leaf(env, LEAF_FEATURES_EXTENDED, 0, regs);
        env->features[FEAT_8000_0001_ECX] |= regs[R_ECX] & PMU_AMD_ECX_PERF_CTR_EXT_CORE;
    }
    pmu_file_leaf(env, 0, 0, regs);
    env->cpuid_level = regs[R_EAX];
    if (pmu_file_leaf(env, LEAF_HIGHEST, 0, regs)) {
        env->cpuid_xlevel = regs[R_EAX];
    }
}

/*
 * On a hybrid, leaf 0AH lists the counters that are common to all cores, and leaf 23H lists those
 * of this core. Leaf 0AH omits some counters (Linux, arch/x86/events/intel/core.c, intel_pmu_init):
 * up to version 4 there are always three fixed counters, and Golden Cove and Raptor Cove have eight
 * general and four fixed counters.
 */
static void set_counters(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    uint32_t regs[4], general, fixed;

    pmu_file_leaf(env, LEAF_PERFMON, 0, regs);
    p->version = regs[R_EAX];
    p->gp_width = regs[R_EAX] >> 16;
    p->fixed_width = regs[R_EDX] >> 5;
    if (p->fixed_width == 0) {
        p->fixed_width = p->gp_width;
    }
    general = pmu_low_bits(regs[R_EAX] >> 8 & 0xff);
    fixed = p->version < 5 ? 7 : pmu_low_bits(regs[R_EDX] & 31) | regs[R_ECX];
    if (pmu_file_leaf(env, LEAF_EXTENDED, 1, regs) && regs[R_EAX]) {
        general = regs[R_EAX];
        fixed = regs[R_EBX];
    }
    p->gp_count = 32 - clz32(general);
    p->gp_absent = pmu_low_bits(p->gp_count) & ~general;
    p->fixed_count = 32 - clz32(fixed);
    p->fixed_absent = pmu_low_bits(p->fixed_count) & ~fixed;
    if ((p->core_type << 24 | p->native_model) == GOLDEN_COVE) {
        p->gp_count = MAX(p->gp_count, 8);
        p->fixed_count = MAX(p->fixed_count, 4);
    }
}

/*
 * Without PerfMonV2, PerfCtrExtCore decides whether there are six or four counters (AMD64 manual
 * volume 3, appendix E).
 */
static void set_amd_counters(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    uint32_t regs[4];
    bool v2 = pmu_file_leaf(env, LEAF_AMD_PERFMON, 0, regs) &&
              regs[R_EAX] & PMU_AMD_EAX_PERFMON_V2;

    p->version = v2 ? 2 : 1;
    p->gp_count = regs[R_EBX] & 15;
    if (!v2) {
        pmu_file_leaf(env, LEAF_FEATURES_EXTENDED, 0, regs);
        p->gp_count = regs[R_ECX] & PMU_AMD_ECX_PERF_CTR_EXT_CORE ? PMU_AMD_COUNTERS : AMD_LEGACY;
    }
}

bool pmu_file_prec_ret(const CPUX86State *env)
{
    uint32_t regs[4];

    pmu_file_leaf(env, LEAF_AMD_FEATURES_2, 0, regs);
    return regs[R_EAX] & PMU_AMD_EAX_PREC_RET;
}

/* The frequency of P-state 0 and of the TSC in kHz; 0 if the file does not give it. */
static uint32_t amd_khz(const CPUX86State *env)
{
    uint64_t state = 0;
    uint32_t divisor;

    pmu_file_msr(env, MSR_PSTATE_0, &state);
    if (pmu_cpu_amd_family(env) >= 0x1a) {
        return (state & 0xfff) * 5000;
    }
    divisor = state >> 8 & 0x3f;
    return divisor ? (state & 0xff) * 200000 / divisor : 0;
}

static uint8_t base_ratio(const CPUX86State *env)
{
    uint32_t regs[4];
    uint64_t msr;

    if (env->pmu.amd && amd_khz(env)) {
        return (amd_khz(env) + 50000) / 100000;
    }
    if (pmu_file_msr(env, MSR_PLATFORM_INFO, &msr) == PMU_DONE && (uint8_t)(msr >> 8)) {
        return msr >> 8;
    }
    if (pmu_file_leaf(env, LEAF_FREQUENCY, 0, regs) && regs[R_EAX] >= 100) {
        return regs[R_EAX] / 100;
    }
    return pmu_cpu_figures(env)->base;
}

void pmu_file_defaults(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    uint32_t regs[4];
    uint64_t msr;

    pmu_file_leaf(env, LEAF_HYBRID, 0, regs);
    p->core_type = regs[R_EAX] >> 24;
    p->native_model = regs[R_EAX] & 0xffffff;
    if (p->amd) {
        set_amd_counters(env);
    } else {
        set_counters(env);
    }
    if (pmu_file_msr(env, MSR_IA32_PERF_CAPABILITIES, &msr) == PMU_DONE) {
        p->full_width = msr >> PERF_CAPABILITIES_FULL_WIDTH & 1;
        p->metrics = msr >> PERF_CAPABILITIES_METRICS & 1;
    }
    if (p->base_ratio == PMU_AUTO) {
        p->base_ratio = base_ratio(env);
    }
    if (p->tsc_khz == 0 && p->amd) {
        p->tsc_khz = amd_khz(env);
    }
    if (p->tsc_khz == 0) {
        p->tsc_khz = p->base_ratio * (pmu_cpu_kind(env) == PMU_CPU_NEHALEM ? 133333 : 100000);
    }
}

uint32_t pmu_file_arch_events(const CPUX86State *env)
{
    uint32_t regs[4];

    if (pmu_file_leaf(env, LEAF_EXTENDED, 3, regs) && regs[R_EAX]) {
        return regs[R_EAX];
    }
    pmu_file_leaf(env, LEAF_PERFMON, 0, regs);
    return pmu_low_bits(regs[R_EAX] >> 24) & ~regs[R_EBX];
}

/* Copies a leaf from the file, or returns false if QEMU provides at least part of the leaf. */
static bool files_leaf(const CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    switch (leaf) {
    case LEAF_CACHES:
    case LEAF_AMD_CACHES:
    case LEAF_TLBS:
    case LEAF_HYBRID:
    case LEAF_EXTENDED:
        pmu_file_leaf(env, leaf, subleaf, regs);
        return true;
    case 2: /* these leaves ignore ECX */
    case 5:
    case 6:
    case LEAF_PERFMON:
    case 0x15:
    case LEAF_FREQUENCY:
    case 0x80000002 ... 0x80000007:
    case LEAF_AMD_FEATURES_2:
    case LEAF_AMD_PERFMON:
        pmu_file_leaf(env, leaf, 0, regs);
        return true;
    default:
        return false;
    }
}

/*
 * In EAX of CPUID.04H or 8000_001DH, bits 25:14 (APIC IDs that share a cache) and bits 31:26
 * (cores) may not exceed the number of CPUs in the package (CPUID.1:EBX[23:16], where 0 means 1).
 */
static uint32_t fit_to_topology(CPUX86State *env, uint32_t eax)
{
    uint32_t regs[4], last;

    cpu_x86_cpuid(env, LEAF_FEATURES, 0, &regs[0], &regs[1], &regs[2], &regs[3]);
    last = MAX(regs[1] >> 16 & 0xff, 1) - 1;
    return (eax & 0x3fff) | MIN(eax >> 14 & 0xfff, last) << 14 | MIN(eax >> 26, last) << 26;
}

void pmu_file_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                    uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
    uint32_t regs[4];

    if (files_leaf(env, leaf, subleaf, regs)) {
        *eax = regs[R_EAX];
        *ebx = regs[R_EBX];
        *ecx = regs[R_ECX];
        *edx = regs[R_EDX];
    }
    switch (leaf) {
    case LEAF_CACHES:
    case LEAF_AMD_CACHES:
        *eax = *eax & 31 ? fit_to_topology(env, *eax) : 0;
        break;
    case LEAF_FEATURES_7:
        pmu_file_leaf(env, leaf, subleaf, regs);
        *eax |= subleaf == 1 ? regs[R_EAX] & FEATURES_1_EAX_EXTENDED : 0;
        *eax = subleaf == 0 ? regs[R_EAX] : *eax;
        *edx |= subleaf == 0 ? regs[R_EDX] & FEATURES_EDX_HYBRID : 0;
        break;
    case LEAF_PERFMON:
        *eax += env->pmu.amd ? 0 : pmu_promised(env) << 8;
        break;
    case LEAF_FEATURES_8:
        pmu_file_leaf(env, leaf, 0, regs);
        *ebx |= env->pmu.amd ? regs[R_EBX] & PMU_AMD_EBX_IRPERF : 0;
        break;
    case LEAF_AMD_PERFMON: /* on AMD, the model has no LBR stack, and freezes nothing */
        *eax &= PMU_AMD_EAX_PERFMON_V2;
        *ebx += env->pmu.amd ? pmu_promised(env) : 0;
        break;
    case LEAF_TOPOLOGY: /* an E-core has one thread, even if its APIC ID has room for two */
        if (subleaf == 0 && pmu_file_leaf(env, leaf, 0, regs)) {
            *ebx = MIN(*ebx, regs[R_EBX]);
        }
        break;
    case LEAF_TOPOLOGY_2:
        if (pmu_file_leaf(env, leaf, 0, regs)) {
            cpu_x86_cpuid(env, LEAF_TOPOLOGY, subleaf, eax, ebx, ecx, edx);
        }
        break;
    }
}
