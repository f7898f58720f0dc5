/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What CPUID reports about the current CPU (Intel SDM vol. 2A "CPUID—CPU Identification", vol. 3B
 * "Performance Monitoring").
 */
#ifndef BARECOUNT_PMU_CPU_CAPS_H
#define BARECOUNT_PMU_CPU_CAPS_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

/* Executes CPUID. */
typedef void cpuid_read(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);

/* Returns zeros for a leaf that does not exist; CPUID itself may return another leaf's values. */
static inline struct cpuid_regs cpuid_leaf(cpuid_read *cpuid, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs top, regs = {0};

    cpuid(leaf & 0x80000000u, 0, &top);
    if (leaf <= top.eax && (top.eax & 0x80000000u) == (leaf & 0x80000000u))
        cpuid(leaf, subleaf, &regs);
    return regs;
}

/* Counts the set bits. */
static inline uint32_t bits_in(uint32_t map)
{
    uint32_t count = 0;

    for (; map; map &= map - 1)
        count++;
    return count;
}

#define COUNTERS_MAX       14u /* the maximum that is used; no known core has more */
#define GP_COUNTERS_MAX    10u
#define FIXED_COUNTERS_MAX 7u /* instructions, core cycles, reference cycles, slots, 3 top-down */

/* VENDOR_AMD includes Hygon; see caps_is_hygon(). */
enum cpu_vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD };
#define VENDOR_ID_HYGON "HygonGenuine"
#define FAMILY_HYGON    0x18u /* no AMD CPU has this family */

/* Values of CPUID.1AH:EAX[31:24]; the first two are this program's numbers for AMD. */
#define CORE_TYPE_EFFICIENCY  0x01u
#define CORE_TYPE_PERFORMANCE 0x02u
#define CORE_TYPE_ATOM        0x20u
#define CORE_TYPE_CORE        0x40u

/* True for a hybrid's smaller cores. */
static inline bool core_type_is_efficient(uint32_t core_type)
{
    return core_type == CORE_TYPE_ATOM || core_type == CORE_TYPE_EFFICIENCY;
}

/* Bits of cpu_caps.features. Kernels' features are in pmu/cpu/features.h. */
#define FEATURE_PDCM            (1u << 2) /* IA32_PERF_CAPABILITIES */
#define FEATURE_DS              (1u << 3) /* the debug store, and perhaps PEBS */
#define FEATURE_MSR             (1u << 4)
#define FEATURE_XSAVE           (1u << 5)
#define FEATURE_HYBRID          (1u << 6)
#define FEATURE_TSC_CONST       (1u << 7) /* invariant TSC: CPUID.80000007H:EDX[8] */
#define FEATURE_APIC            (1u << 8)
#define FEATURE_TSX_ABORT       (1u << 9)  /* microcode may use IA32_PMC3 */
#define FEATURE_THERMAL         (1u << 10) /* IA32_THERM_STATUS */
#define FEATURE_PACKAGE_THERMAL (1u << 11) /* IA32_PACKAGE_THERM_STATUS */
#define FEATURE_APERF           (1u << 12) /* IA32_MPERF and IA32_APERF */
#define FEATURE_MCA             (1u << 13) /* machine-check banks */
#define FEATURE_TURBO           (1u << 14) /* turbo exists, and IA32_MISC_ENABLE[38] is 0 */
#define FEATURE_HWP             (1u << 15) /* IA32_PM_ENABLE */
#define FEATURE_EIST            (1u << 16) /* IA32_PERF_CTL changes the ratio */
#define FEATURE_MONITOR         (1u << 17) /* MONITOR and MWAIT */
#define FEATURE_HYPERVISOR      (1u << 18)
#define FEATURE_AMD_BOOST       (1u << 19) /* HWCR[25] switches boost off */
#define FEATURE_AMD_PREFETCH    (1u << 20) /* prefetchers: MSR C000_0108H */
#define FEATURE_UMASK2          (1u << 21) /* CPUID.23H.0:EBX[0] */
#define FEATURE_EQ              (1u << 22) /* CPUID.23H.0:EBX[1] */
#define FEATURE_ACR             (1u << 23) /* auto counter reload; not used */
#define FEATURE_ARCH_PEBS       (1u << 24) /* PEBS without a debug store; not used */
#define FEATURE_AMD_CORE        (1u << 25) /* PerfCtrExtCore: counters at C001_0200H */
#define FEATURE_AMD_PREC_RET    (1u << 26) /* counter 2 can count precisely */

struct cpu_caps {
    char vendor_id[16];
    char brand[52];
    uint32_t vendor; /* enum cpu_vendor */
    uint32_t max_leaf;
    uint32_t signature; /* CPUID.1:EAX */
    uint32_t family;    /* display family and model */
    uint32_t model;
    uint32_t stepping;
    uint16_t core_type;    /* CORE_TYPE_*, not only on hybrids; 0: unknown */
    uint16_t native_model; /* distinguishes cores of one core_type */
    uint32_t features;

    uint32_t x2apic_id;
    uint32_t package;
    uint32_t core;
    uint32_t thread;
    uint32_t smt_shift; /* CPUs with equal x2apic_id >> smt_shift share a core */

    /* From CPUID.15H and 16H, or zero. */
    uint32_t tsc_ratio_denominator;
    uint32_t tsc_ratio_numerator;
    uint32_t crystal_hz;
    uint32_t base_mhz;

    uint32_t pmu_version; /* 0: none; AMD: 1, or 2 with PerfMonV2 */
    uint32_t gp_count;    /* number of the last used general counter, plus 1 */
    uint16_t gp_width_bits;
    uint16_t gp_absent;          /* bit i: no general counter i */
    uint32_t arch_events;        /* number of bits in arch_events_absent */
    uint32_t arch_events_absent; /* bit i: event i is absent */
    uint32_t fixed_map;          /* bit i: fixed counter i exists */
    uint32_t fixed_width_bits;
    uint32_t fixed_refused;   /* bit i: fixed counter i raises #GP and is not in fixed_map */
    uint32_t gp_refused;      /* number of general counters that pmu_probe() removed */
    uint32_t pmu_leaf[4];     /* Intel's CPUID.0AH: EAX, EBX, ECX, EDX */
    uint32_t vector_state;    /* XCR0 bits for kernels: 7 with AVX, E7H with AVX-512, else 0 */
    uint64_t kernel_features; /* bits of pmu/cpu/features.h */
};
_Static_assert(sizeof(struct cpu_caps) == 200, "written to the journal as it is");

void caps_read(cpuid_read *cpuid, struct cpu_caps *caps);

/* Nehalem or Westmere. */
bool caps_is_nehalem(const struct cpu_caps *caps);

bool caps_is_hygon(const struct cpu_caps *caps);

#define FAMILY_ZEN_3 0x19u /* Zen 3 and Zen 4 */
#define FAMILY_ZEN_5 0x1au

/* AMD family 17H, 19H or 1AH, or Hygon family 18H. */
bool caps_is_zen(const struct cpu_caps *caps);

/* Zen 4 or later. */
bool caps_is_zen_4(const struct cpu_caps *caps);

/*
 * Decodes Intel's CPUID.0AH. The fields of *caps up to `features` must be set, and the PMU fields
 * must be zero.
 */
void caps_take_pmu(struct cpuid_regs leaf, struct cpu_caps *caps);

/*
 * Called after caps_take_pmu(). Decodes CPUID.23H, subleaves 0 (`main`) and 1 (`counters`, or zeros
 * if absent). On hybrids, leaf 0AH may report only what all CPUs have in common.
 */
void caps_take_extended(struct cpuid_regs main, struct cpuid_regs counters, struct cpu_caps *caps);

/* Decodes AMD's CPUID.8000_0022H. The fields of *caps up to `features` must be set. */
void caps_take_amd_pmu(struct cpuid_regs extended, struct cpu_caps *caps);

enum cache_type { CACHE_NONE, CACHE_DATA, CACHE_CODE, CACHE_UNIFIED, CACHE_TYPES };

struct cpu_cache {
    uint8_t type; /* CACHE_NONE: no more caches */
    uint8_t level;
    uint16_t reserved;
    uint32_t kib;
};
_Static_assert(sizeof(struct cpu_cache) == 8, "written to the journal as it is");

#define CPU_CACHES_MAX 8u /* further caches are ignored */

/* Lists the caches in CPUID's order. cache[0].type is CACHE_NONE if CPUID lists no caches. */
void caps_caches(cpuid_read *cpuid, const struct cpu_caps *caps,
                 struct cpu_cache cache[CPU_CACHES_MAX]);

/* The total size of the data and unified caches in bytes; 0: unknown. */
uint64_t caps_caches_bytes(const struct cpu_cache cache[CPU_CACHES_MAX]);

/* The used general counters: bit i for IA32_PMCi. */
static inline uint32_t caps_general(const struct cpu_caps *caps)
{
    return ((1u << caps->gp_count) - 1) & ~(uint32_t)caps->gp_absent;
}

/* Counts used general counters. */
static inline uint32_t caps_general_count(const struct cpu_caps *caps)
{
    return bits_in(caps_general(caps));
}

/* Keeps the general counters below `count`. */
static inline void caps_keep_general(struct cpu_caps *caps, uint32_t count)
{
    while (count > 0 && caps->gp_absent >> (count - 1) & 1)
        count--;
    caps->gp_count = count;
}

/* The name of a known vendor, else CPUID's vendor identification string. */
const char *caps_vendor_name(const struct cpu_caps *caps);

/* The core type on a hybrid, else 0. */
uint32_t caps_hybrid_type(const struct cpu_caps *caps);

/* "core" or "atom"; AMD: "performance" or "efficiency"; "": unknown or not hybrid. */
const char *caps_core_type_name(const struct cpu_caps *caps);

/* A number for the kind of core. Within a machine, equal numbers mean the same kind of core. */
static inline uint32_t caps_core(const struct cpu_caps *caps)
{
    return (uint32_t)caps->core_type << 16 | caps->native_model;
}

/* The features that a kernel needs but the CPU lacks; 0: the CPU can run the kernel. */
static inline uint64_t caps_lacks(const struct cpu_caps *caps, uint64_t cpu_features)
{
    return cpu_features & ~caps->kernel_features;
}

static inline bool caps_has(const struct cpu_caps *caps, uint32_t feature)
{
    return (caps->features & feature) == feature;
}

#endif
