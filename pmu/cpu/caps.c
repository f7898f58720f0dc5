/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes CPUID. */
#include "pmu/cpu/caps.h"
#include "pmu/cpu/features.h"
#include "pmu/base/text.h"

#define TOPOLOGY_LEVEL_SMT  1u /* CPUID.0BH and 1FH:ECX[15:8] */
#define TOPOLOGY_LEVELS_MAX 8u
#define LEAF_CACHES         4u
#define LEAF_CACHES_AMD     0x8000001du /* with topology extensions */
#define LEAF_LEVELS_AMD     0x80000026u
#define FAMILY_ZEN          0x17u
#define FIXED_ALWAYS        3u /* the smallest number of fixed counters from PMU version 2 on */

struct feature_bit {
    uint32_t leaf;
    uint8_t reg; /* 0-3: EAX, EBX, ECX, EDX */
    uint8_t bit;
    uint32_t feature;
};

static const struct feature_bit FEATURE_BITS[] = {
    {0x1, 2, 15, FEATURE_PDCM},
    {0x1, 2, 26, FEATURE_XSAVE},
    {0x1, 3, 5, FEATURE_MSR},
    {0x1, 3, 9, FEATURE_APIC},
    {0x1, 3, 21, FEATURE_DS},
    {0x6, 0, 0, FEATURE_THERMAL},
    {0x6, 0, 6, FEATURE_PACKAGE_THERMAL},
    {0x7, 3, 13, FEATURE_TSX_ABORT},
    {0x7, 3, 15, FEATURE_HYBRID},
    {LEAF_LEVELS_AMD, 0, 30, FEATURE_HYBRID},
    {0x80000007u, 3, 8, FEATURE_TSC_CONST},
    {0x6, 2, 0, FEATURE_APERF},
    {0x1, 3, 14, FEATURE_MCA},
    {0x6, 0, 1, FEATURE_TURBO},
    {0x6, 0, 7, FEATURE_HWP},
    {0x1, 2, 7, FEATURE_EIST},
    {0x1, 2, 3, FEATURE_MONITOR},
    {0x1, 2, 31, FEATURE_HYPERVISOR},
    {0x80000007u, 3, 9, FEATURE_AMD_BOOST},
    {0x80000021u, 0, 12, FEATURE_AMD_PREC_RET},
    {0x80000021u, 0, 13, FEATURE_AMD_PREFETCH},
    {0x80000001u, 2, 23, FEATURE_AMD_CORE}, /* AMD only */
};

static const struct {
    const char *id, *name;
    uint32_t vendor;
} VENDORS[] = {
    {"GenuineIntel", "Intel", VENDOR_INTEL},
    {"AuthenticAMD", "AMD", VENDOR_AMD},
    {VENDOR_ID_HYGON, "Hygon", VENDOR_AMD},
};

static uint32_t field(uint32_t value, unsigned high, unsigned low)
{
    return (uint32_t)((value >> low) & ((2ull << (high - low)) - 1));
}

static void put_bytes(char *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (char)(value >> (8 * i));
}

static void read_identity(cpuid_read *cpuid, struct cpu_caps *caps)
{
    struct cpuid_regs r;
    uint32_t family, model;

    cpuid(0, 0, &r);
    caps->max_leaf = r.eax;
    put_bytes(caps->vendor_id, r.ebx);
    put_bytes(caps->vendor_id + 4, r.edx);
    put_bytes(caps->vendor_id + 8, r.ecx);
    for (unsigned i = 0; i < sizeof(VENDORS) / sizeof(VENDORS[0]); i++)
        if (text_same(caps->vendor_id, VENDORS[i].id))
            caps->vendor = VENDORS[i].vendor;

    r = cpuid_leaf(cpuid, 1, 0);
    caps->signature = r.eax;
    caps->stepping = field(r.eax, 3, 0);
    family = field(r.eax, 11, 8);
    model = field(r.eax, 7, 4);
    caps->family = family == 0xf ? family + field(r.eax, 27, 20) : family;
    caps->model = family == 0xf || family == 0x6 ? (field(r.eax, 19, 16) << 4) + model : model;
    caps->x2apic_id = field(r.ebx, 31, 24);

    for (unsigned i = 0; i < 3; i++) {
        r = cpuid_leaf(cpuid, 0x80000002u + i, 0);
        put_bytes(caps->brand + 16 * i, r.eax);
        put_bytes(caps->brand + 16 * i + 4, r.ebx);
        put_bytes(caps->brand + 16 * i + 8, r.ecx);
        put_bytes(caps->brand + 16 * i + 12, r.edx);
    }
}

static void read_features(cpuid_read *cpuid, struct cpu_caps *caps)
{
    for (unsigned i = 0; i < sizeof(FEATURE_BITS) / sizeof(FEATURE_BITS[0]); i++) {
        const struct feature_bit *f = &FEATURE_BITS[i];
        struct cpuid_regs r = cpuid_leaf(cpuid, f->leaf, 0);
        const uint32_t regs[4] = {r.eax, r.ebx, r.ecx, r.edx};

        if (regs[f->reg] >> f->bit & 1)
            caps->features |= f->feature;
    }
    /* If CPUID.7:EDX[11] is set, RTM always aborts, and microcode does not need IA32_PMC3. */
    if (field(cpuid_leaf(cpuid, 7, 0).edx, 11, 11))
        caps->features &= ~FEATURE_TSX_ABORT;
}

/* CPUID.80000026H:EBX: bits 31:28 core type (0 performance, 1 efficiency), 27:24 native model. */
static void read_amd_core(cpuid_read *cpuid, struct cpu_caps *caps)
{
    const uint32_t ebx = cpuid_leaf(cpuid, LEAF_LEVELS_AMD, 0).ebx;

    if (!caps_has(caps, FEATURE_HYBRID) || field(ebx, 31, 28) > 1)
        return;
    caps->core_type = field(ebx, 31, 28) ? CORE_TYPE_EFFICIENCY : CORE_TYPE_PERFORMANCE;
    caps->native_model = (uint16_t)field(ebx, 27, 24);
}

/* SDM vol. 2A "Native Model ID Enumeration Leaf". Only Intel's CPUs have leaf 1AH. */
static void read_core(cpuid_read *cpuid, struct cpu_caps *caps)
{
    struct cpuid_regs r = cpuid_leaf(cpuid, 0x1a, 0);

    if (caps->vendor == VENDOR_AMD)
        read_amd_core(cpuid, caps);
    if (caps->vendor != VENDOR_INTEL)
        return;
    caps->core_type = (uint16_t)field(r.eax, 31, 24);
    caps->native_model = (uint16_t)field(r.eax, 15, 0); /* EAX[23:16] is 0 on all known cores */
}

/* The number of bits that can represent all numbers from 0 to count - 1. */
static uint32_t bits_for(uint32_t count)
{
    uint32_t bits = 0;

    while (bits < 31 && 1u << bits < count)
        bits++;
    return bits;
}

/*
 * Without leaf 0BH: returns the shift from APIC ID to package. Intel: leaf 1 gives the number of
 * IDs in a package, and leaf 4 the number of cores (SDM vol. 3A "Hierarchical Mapping of CPUID
 * Extended Topology Leaf"). AMD: 8000_0008H gives the number of ID bits in a package. From Zen on,
 * 8000_001EH gives the number of threads in a core (APM vol. 3).
 */
static uint32_t old_shifts(cpuid_read *cpuid, struct cpu_caps *caps)
{
    struct cpuid_regs first = cpuid_leaf(cpuid, 1, 0);
    uint32_t sizes = cpuid_leaf(cpuid, 0x80000008u, 0).ecx;
    uint32_t package_shift = bits_for(field(first.ebx, 23, 16));

    if (!field(first.edx, 28, 28)) /* HTT: several CPUs in a package */
        return 0;
    if (caps->vendor == VENDOR_INTEL) {
        uint32_t cores = bits_for(field(cpuid_leaf(cpuid, 4, 0).eax, 31, 26) + 1);

        caps->smt_shift = cores < package_shift ? package_shift - cores : 0;
        return package_shift;
    }
    if (field(sizes, 15, 12) != 0)
        package_shift = field(sizes, 15, 12);
    if (caps->family >= FAMILY_ZEN && field(cpuid_leaf(cpuid, 0x80000001u, 0).ecx, 22, 22))
        caps->smt_shift = bits_for(field(cpuid_leaf(cpuid, 0x8000001eu, 0).ebx, 15, 8) + 1);
    return package_shift;
}

/* SDM vol. 3A "Hierarchical Mapping of Shared Resources". */
static void read_topology(cpuid_read *cpuid, struct cpu_caps *caps)
{
    uint32_t leaf = cpuid_leaf(cpuid, 0x1f, 0).ebx ? 0x1f : 0x0b;
    uint32_t package_shift = 0;
    bool found = false;

    for (unsigned level = 0; level < TOPOLOGY_LEVELS_MAX; level++) {
        struct cpuid_regs r = cpuid_leaf(cpuid, leaf, level);

        if (field(r.ecx, 15, 8) == 0)
            break;
        found = true;
        caps->x2apic_id = r.edx;
        package_shift = field(r.eax, 4, 0);
        if (field(r.ecx, 15, 8) == TOPOLOGY_LEVEL_SMT)
            caps->smt_shift = package_shift;
    }
    if (!found)
        package_shift = old_shifts(cpuid, caps);
    caps->thread = caps->x2apic_id & ((1u << caps->smt_shift) - 1);
    caps->core = (caps->x2apic_id & (uint32_t)((1ull << package_shift) - 1)) >> caps->smt_shift;
    caps->package = (uint32_t)((uint64_t)caps->x2apic_id >> package_shift);
}

/*
 * From PMU version 2 on, CPUs have at least three fixed counters, but CPUID.0AH of Conroe to
 * Diamondville lists none or one. Under a hypervisor, a CPU may really have fewer than three. Linux
 * also assumes three (arch/x86/events/intel/core.c).
 */
static bool is_short_of_fixed(const struct cpu_caps *caps)
{
    return caps->pmu_version >= 2 && caps->pmu_version < 5 &&
           caps->fixed_map < (1u << FIXED_ALWAYS) - 1 && !caps_has(caps, FEATURE_HYPERVISOR);
}

static void limit_counters(struct cpu_caps *caps)
{
    while (caps_general_count(caps) + bits_in(caps->fixed_map) > COUNTERS_MAX)
        caps_keep_general(caps, caps->gp_count - 1u);
}

/*
 * On hybrids with Golden or Raptor Cove, leaf 0AH describes only the efficiency cores (Linux,
 * arch/x86/events/intel/core.c). Performance cores have eight general and four fixed counters.
 */
static bool is_short_of_p_core(const struct cpu_caps *caps)
{
    static const uint8_t MODELS[] = {0x97, 0x9a, 0xb7, 0xba, 0xbf};

    if (caps->family != 6 || caps_hybrid_type(caps) != CORE_TYPE_CORE ||
        caps_has(caps, FEATURE_HYPERVISOR))
        return false;
    for (unsigned i = 0; i < sizeof(MODELS); i++)
        if (caps->model == MODELS[i])
            return true;
    return false;
}

/*
 * CPUID.0AH:
 *  EAX: bits 31:24 length of EBX, 23:16 width, 15:8 number of general counters, 7:0 version
 *  EBX: bit i: architectural event i is absent
 *  ECX: bitmap of fixed counters (version 5 and later)
 *  EDX: bit 15 AnyThread deprecated, bits 12:5 width of fixed counters, 4:0 number of contiguous
 *       fixed counters
 */
void caps_take_pmu(struct cpuid_regs r, struct cpu_caps *caps)
{
    caps->pmu_leaf[0] = r.eax;
    caps->pmu_leaf[1] = r.ebx;
    caps->pmu_leaf[2] = r.ecx;
    caps->pmu_leaf[3] = r.edx;
    caps->pmu_version = field(r.eax, 7, 0);
    if (caps->pmu_version == 0)
        return;
    caps->gp_count = field(r.eax, 15, 8);
    if (caps->gp_count > GP_COUNTERS_MAX)
        caps->gp_count = GP_COUNTERS_MAX;
    caps->gp_width_bits = (uint16_t)field(r.eax, 23, 16);
    caps->arch_events = field(r.eax, 31, 24);
    caps->arch_events_absent = r.ebx;
    if (caps->pmu_version >= 2) {
        caps->fixed_map = (1u << field(r.edx, 4, 0)) - 1;
        caps->fixed_width_bits = field(r.edx, 12, 5);
    }
    if (is_short_of_fixed(caps)) {
        caps->fixed_map = (1u << FIXED_ALWAYS) - 1;
        if (caps->fixed_width_bits == 0)
            caps->fixed_width_bits = caps->gp_width_bits;
    }
    if (caps->pmu_version >= 5)
        caps->fixed_map |= r.ecx;
    if (is_short_of_p_core(caps)) {
        caps->gp_count = 8;
        caps->fixed_map |= 0xf;
    }
    caps->fixed_map &= (1u << FIXED_COUNTERS_MAX) - 1;
    limit_counters(caps);
}

/*
 * CPUID.23H:
 *  subleaf 0: EAX: bit i: subleaf i exists (1 counters, 2 ACR, 4 and 5 PEBS); EBX: bit 0 UMASK2,
 *             bit 1 EQ
 *  subleaf 1: EAX: bitmap of general counters; EBX: bitmap of fixed counters
 * Intel SDM vol. 2A, "Architectural Performance Monitoring Extended Leaf".
 */
void caps_take_extended(struct cpuid_regs main, struct cpuid_regs counters, struct cpu_caps *caps)
{
    caps->features |= (field(main.ebx, 0, 0) ? FEATURE_UMASK2 : 0) |
                      (field(main.ebx, 1, 1) ? FEATURE_EQ : 0) |
                      (field(main.eax, 2, 2) ? FEATURE_ACR : 0) |
                      (field(main.eax, 5, 4) == 3 ? FEATURE_ARCH_PEBS : 0);
    if (counters.eax == 0)
        return;
    counters.eax &= (1u << GP_COUNTERS_MAX) - 1;
    caps->gp_count = bits_for(counters.eax + 1);
    caps->gp_absent = (uint16_t)(((1u << caps->gp_count) - 1) & ~counters.eax);
    caps->fixed_map = counters.ebx & ((1u << FIXED_COUNTERS_MAX) - 1);
    limit_counters(caps);
}

/* CPUID.7.1:EAX[8] announces leaf 23H, and CPUID.23H.0:EAX[1] announces its subleaf 1. */
static void read_extended_pmu(cpuid_read *cpuid, struct cpu_caps *caps)
{
    struct cpuid_regs main, counters = {0};

    if (caps->pmu_version == 0 || cpuid_leaf(cpuid, 7, 0).eax < 1 ||
        !field(cpuid_leaf(cpuid, 7, 1).eax, 8, 8))
        return;
    main = cpuid_leaf(cpuid, 0x23, 0);
    if (field(main.eax, 1, 1))
        counters = cpuid_leaf(cpuid, 0x23, 1);
    caps_take_extended(main, counters, caps);
}

/*
 * AMD's leaf 0AH is zero. AMD APM vol. 2 "Performance Counter MSRs" and vol. 3, "Extended
 * Performance Monitoring and Debug":
 *  8000_0001H: ECX bit 23: 1: the CPU has six core counters; 0: four, as in older families
 *  8000_0022H: EAX bit 0: PerfMonV2; EBX bits 3:0: number of core counters, with PerfMonV2
 * The counters have 48 bits. At most six are used, because RDPMC with 6 and above reads counters of
 * other units. CPUID does not report PREC_RET on Zen 3 servers (revision guide 56683, erratum
 * 1292). KVM ignores PREC_RET in a guest's PERF_CTL.
 */
#define AMD_COUNTERS 6u
void caps_take_amd_pmu(struct cpuid_regs extended, struct cpu_caps *caps)
{
    if (!caps_is_zen(caps))
        return;
    caps->pmu_version = 1;
    caps->gp_count = 4;
    caps->gp_width_bits = 48;
    if (!caps_has(caps, FEATURE_AMD_CORE))
        return;
    caps->gp_count = AMD_COUNTERS;
    if (caps->family == FAMILY_ZEN_3 && caps->model < 0x10 && !caps_has(caps, FEATURE_HYPERVISOR))
        caps->features |= FEATURE_AMD_PREC_RET;
    if (field(extended.eax, 0, 0)) {
        caps->pmu_version = 2;
        if (field(extended.ebx, 3, 0) < AMD_COUNTERS)
            caps->gp_count = field(extended.ebx, 3, 0);
    }
}

static void read_clock(cpuid_read *cpuid, struct cpu_caps *caps)
{
    struct cpuid_regs r = cpuid_leaf(cpuid, 0x15, 0);

    caps->tsc_ratio_denominator = r.eax;
    caps->tsc_ratio_numerator = r.ebx;
    caps->crystal_hz = r.ecx;
    caps->base_mhz = field(cpuid_leaf(cpuid, 0x16, 0).eax, 15, 0);
}

/* 0: none. */
static uint32_t leaf_of_caches(cpuid_read *cpuid, const struct cpu_caps *caps)
{
    if (caps->vendor == VENDOR_INTEL)
        return LEAF_CACHES;
    if (caps->vendor == VENDOR_AMD && field(cpuid_leaf(cpuid, 0x80000001u, 0).ecx, 22, 22))
        return LEAF_CACHES_AMD;
    return 0;
}

/*
 * CPUID.04H, or 8000001DH on AMD, has a subleaf for each cache:
 *  EAX: bits 7:5 level, 4:0 type (0 after the last cache)
 *  EBX: bits 31:22 ways - 1, 21:12 partitions - 1, 11:0 line size - 1
 *  ECX: sets - 1
 */
void caps_caches(cpuid_read *cpuid, const struct cpu_caps *caps,
                 struct cpu_cache cache[CPU_CACHES_MAX])
{
    uint32_t leaf = leaf_of_caches(cpuid, caps);

    __builtin_memset(cache, 0, CPU_CACHES_MAX * sizeof(*cache));
    for (uint32_t i = 0; leaf > 0 && i < CPU_CACHES_MAX; i++) {
        struct cpuid_regs r = cpuid_leaf(cpuid, leaf, i);
        uint64_t bytes = (field(r.ebx, 31, 22) + 1ull) * (field(r.ebx, 21, 12) + 1) *
                         (field(r.ebx, 11, 0) + 1) * (r.ecx + 1ull);

        if (field(r.eax, 4, 0) == CACHE_NONE || field(r.eax, 4, 0) >= CACHE_TYPES)
            return;
        cache[i].type = (uint8_t)field(r.eax, 4, 0);
        cache[i].level = (uint8_t)field(r.eax, 7, 5);
        cache[i].kib = (uint32_t)(bytes >> 10);
    }
}

uint64_t caps_caches_bytes(const struct cpu_cache cache[CPU_CACHES_MAX])
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < CPU_CACHES_MAX; i++)
        if (cache[i].type != CACHE_CODE)
            bytes += (uint64_t)cache[i].kib << 10;
    return bytes;
}

bool caps_is_nehalem(const struct cpu_caps *caps)
{
    static const uint8_t MODELS[] = {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f};

    for (unsigned i = 0; i < sizeof(MODELS); i++)
        if (caps->vendor == VENDOR_INTEL && caps->family == 6 && caps->model == MODELS[i])
            return true;
    return false;
}

bool caps_is_zen(const struct cpu_caps *caps)
{
    return caps->vendor == VENDOR_AMD && caps->family >= FAMILY_ZEN &&
           caps->family <= FAMILY_ZEN_5 && caps_is_hygon(caps) == (caps->family == FAMILY_HYGON);
}

bool caps_is_zen_4(const struct cpu_caps *caps)
{
    return caps->vendor == VENDOR_AMD &&
           (caps->family >= FAMILY_ZEN_5 ||
            (caps->family == FAMILY_ZEN_3 && ((caps->model >= 0x10 && caps->model < 0x20) ||
                                              (caps->model >= 0x60 && caps->model < 0xb0))));
}

void caps_read(cpuid_read *cpuid, struct cpu_caps *caps)
{
    *caps = (struct cpu_caps){0};
    read_identity(cpuid, caps);
    read_features(cpuid, caps);
    read_core(cpuid, caps);
    cpu_features_read(cpuid, caps);
    read_topology(cpuid, caps);
    if (caps->vendor == VENDOR_INTEL)
        caps_take_pmu(cpuid_leaf(cpuid, 0xa, 0), caps);
    if (caps->vendor == VENDOR_AMD)
        caps_take_amd_pmu(cpuid_leaf(cpuid, 0x80000022u, 0), caps);
    else
        read_extended_pmu(cpuid, caps);
    read_clock(cpuid, caps);
}

const char *caps_vendor_name(const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < sizeof(VENDORS) / sizeof(VENDORS[0]); i++)
        if (text_same(caps->vendor_id, VENDORS[i].id))
            return VENDORS[i].name;
    return caps->vendor_id;
}

bool caps_is_hygon(const struct cpu_caps *caps)
{
    return text_same(caps->vendor_id, VENDOR_ID_HYGON);
}

uint32_t caps_hybrid_type(const struct cpu_caps *caps)
{
    return caps_has(caps, FEATURE_HYBRID) ? caps->core_type : 0;
}

const char *caps_core_type_name(const struct cpu_caps *caps)
{
    static const struct {
        uint32_t type;
        const char *name;
    } NAMES[] = {{CORE_TYPE_CORE, "core"},
                 {CORE_TYPE_ATOM, "atom"},
                 {CORE_TYPE_PERFORMANCE, "performance"},
                 {CORE_TYPE_EFFICIENCY, "efficiency"}};

    for (unsigned i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (caps_hybrid_type(caps) == NAMES[i].type)
            return NAMES[i].name;
    return "";
}
