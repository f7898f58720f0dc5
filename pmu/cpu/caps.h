/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Identity, topology and performance monitor of a CPU, as CPUID reports them on that CPU. See the
 * Intel SDM, vol. 2A "CPUID—CPU Identification" and vol. 3B "Performance Monitoring".
 */
#ifndef BARECOUNT_PMU_CPU_CAPS_H
#define BARECOUNT_PMU_CPU_CAPS_H

#include <stdbool.h>
#include <stdint.h>

/* The registers that CPUID returns: Intel SDM vol. 2A. */
struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

/* Executes CPUID on the current CPU. */
typedef void cpuid_read(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);

/*
 * Reads a CPUID leaf. Returns zeros if the leaf does not exist; the CPUID instruction may then
 * return the data of another leaf.
 */
static inline struct cpuid_regs cpuid_leaf(cpuid_read *cpuid, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs top, regs = {0};

    cpuid(leaf & 0x80000000u, 0, &top);
    if (leaf <= top.eax && (top.eax & 0x80000000u) == (leaf & 0x80000000u))
        cpuid(leaf, subleaf, &regs);
    return regs;
}

/* The number of bits that are set. */
static inline uint32_t bits_in(uint32_t map)
{
    uint32_t count = 0;

    for (; map; map &= map - 1)
        count++;
    return count;
}

#define COUNTERS_MAX       14u /* the most counters that are used; no known core has more */
#define GP_COUNTERS_MAX    10u
#define FIXED_COUNTERS_MAX 7u /* instructions, core cycles, reference cycles, slots, 3 top-down */

/*
 * VENDOR_AMD includes Hygon, whose CPUs are Zen 1; caps_is_hygon() distinguishes the two vendors.
 */
enum cpu_vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD };
#define VENDOR_ID_HYGON "HygonGenuine"
#define FAMILY_HYGON    0x18u /* no AMD CPU has this family */

/*
 * Core types: the last two are values of CPUID.1AH:EAX[31:24], the first two are this program's
 * numbers for the values of AMD's CPUID.80000026H:EBX[31:28].
 */
#define CORE_TYPE_EFFICIENCY  0x01u
#define CORE_TYPE_PERFORMANCE 0x02u
#define CORE_TYPE_ATOM        0x20u
#define CORE_TYPE_CORE        0x40u

/* Whether a core type is that of a hybrid's smaller cores. */
static inline bool core_type_is_efficient(uint32_t core_type)
{
    return core_type == CORE_TYPE_ATOM || core_type == CORE_TYPE_EFFICIENCY;
}

/* Bits of cpu_caps.features. The features that kernels need are in pmu/cpu/features.h. */
#define FEATURE_PDCM            (1u << 2) /* IA32_PERF_CAPABILITIES exists */
#define FEATURE_DS              (1u << 3) /* the debug store exists, and PEBS may exist */
#define FEATURE_MSR             (1u << 4)
#define FEATURE_XSAVE           (1u << 5)
#define FEATURE_HYBRID          (1u << 6)
#define FEATURE_TSC_CONST       (1u << 7) /* invariant TSC, CPUID.80000007H:EDX[8] */
#define FEATURE_APIC            (1u << 8)
#define FEATURE_TSX_ABORT       (1u << 9)  /* microcode may use IA32_PMC3 for TSX force abort */
#define FEATURE_THERMAL         (1u << 10) /* IA32_THERM_STATUS exists */
#define FEATURE_PACKAGE_THERMAL (1u << 11) /* IA32_PACKAGE_THERM_STATUS exists */
#define FEATURE_APERF           (1u << 12) /* IA32_MPERF and IA32_APERF exist */
#define FEATURE_MCA             (1u << 13) /* machine-check banks exist */
#define FEATURE_TURBO           (1u << 14) /* turbo exists, and IA32_MISC_ENABLE[38] is 0 */
#define FEATURE_HWP             (1u << 15) /* IA32_PM_ENABLE exists */
#define FEATURE_EIST            (1u << 16) /* IA32_PERF_CTL changes the ratio */
#define FEATURE_MONITOR         (1u << 17) /* MONITOR and MWAIT */
#define FEATURE_HYPERVISOR      (1u << 18) /* CPUID reports a hypervisor */
#define FEATURE_AMD_BOOST       (1u << 19) /* HWCR[25] switches boost off */
#define FEATURE_AMD_PREFETCH    (1u << 20) /* MSR C000_0108H controls the prefetchers */
#define FEATURE_UMASK2          (1u << 21) /* selects have UMASK2: CPUID.23H.0:EBX[0] */
#define FEATURE_EQ              (1u << 22) /* selects have EQ: CPUID.23H.0:EBX[1] */
#define FEATURE_ACR             (1u << 23) /* counters can reload other counters; never used */
#define FEATURE_ARCH_PEBS       (1u << 24) /* PEBS without a debug store; never used */
#define FEATURE_AMD_CORE        (1u << 25) /* PerfCtrExtCore: the counters are at C001_0200H */
#define FEATURE_AMD_PREC_RET    (1u << 26) /* counter 2 can count precisely at retirement */

struct cpu_caps {
    char vendor_id[16];
    char brand[52];
    uint32_t vendor; /* enum cpu_vendor */
    uint32_t max_leaf;
    uint32_t signature; /* CPUID.1:EAX */
    uint32_t family;    /* display family and model */
    uint32_t model;
    uint32_t stepping;
    uint16_t core_type;    /* CORE_TYPE_*, even on a CPU that is not hybrid; 0: CPUID gives none */
    uint16_t native_model; /* the native model ID, which distinguishes cores of one core_type */
    uint32_t features;

    uint32_t x2apic_id;
    uint32_t package;
    uint32_t core;
    uint32_t thread;
    uint32_t smt_shift; /* CPUs share a core if their x2apic_id >> smt_shift are equal */

    /* CPUID.15H and 16H; zero if the leaf does not exist. */
    uint32_t tsc_ratio_denominator;
    uint32_t tsc_ratio_numerator;
    uint32_t crystal_hz;
    uint32_t base_mhz;

    uint32_t pmu_version; /* 0: none; on AMD 1, or 2 with PerfMonV2 */
    uint32_t gp_count;    /* one more than the number of the last general counter that is used */
    uint16_t gp_width_bits;
    uint16_t gp_absent;          /* bit i: general counter i, below gp_count, does not exist */
    uint32_t arch_events;        /* length of the bitmap of architectural events */
    uint32_t arch_events_absent; /* bit i: architectural event i does not exist */
    uint32_t fixed_map;          /* bit i: fixed counter i exists */
    uint32_t fixed_width_bits;
    uint32_t fixed_refused;   /* bit i: fixed counter i raises #GP, so it is not in fixed_map */
    uint32_t gp_refused;      /* number of general counters that pmu_probe() removed */
    uint32_t pmu_leaf[4];     /* CPUID.0AH on Intel: EAX, EBX, ECX, EDX */
    uint32_t vector_state;    /* ORed into XCR0 for kernels: 7 with AVX, E7H with AVX-512, else 0 */
    uint64_t kernel_features; /* which features of pmu/cpu/features.h the CPU has */
};
_Static_assert(sizeof(struct cpu_caps) == 200, "written to the journal as it is");

void caps_read(cpuid_read *cpuid, struct cpu_caps *caps);

/* Whether the CPU is a Nehalem or a Westmere. */
bool caps_is_nehalem(const struct cpu_caps *caps);

bool caps_is_hygon(const struct cpu_caps *caps);

#define FAMILY_ZEN_3 0x19u /* Zen 3 and Zen 4 */
#define FAMILY_ZEN_5 0x1au

/* Whether the CPU is a Zen: an AMD CPU of family 17H, 19H or 1AH, or a Hygon CPU of family 18H. */
bool caps_is_zen(const struct cpu_caps *caps);

/* Whether the CPU is a Zen 4 or later. */
bool caps_is_zen_4(const struct cpu_caps *caps);

/*
 * Decodes CPUID.0AH of an Intel CPU into `caps`, whose identity and features must already be set,
 * and whose PMU fields must be zero.
 */
void caps_take_pmu(struct cpuid_regs leaf, struct cpu_caps *caps);

/*
 * Decodes subleaf 0 (`main`) and subleaf 1 (`counters`; zeros if it does not exist) of CPUID.23H.
 * Must follow caps_take_pmu(). Each CPU of a hybrid has its own leaf 23H, while leaf 0AH may report
 * only what all CPUs have in common.
 */
void caps_take_extended(struct cpuid_regs main, struct cpuid_regs counters, struct cpu_caps *caps);

/*
 * Decodes CPUID.8000_0022H of an AMD or Hygon CPU, whose identity and features must already be in
 * `caps`.
 */
void caps_take_amd_pmu(struct cpuid_regs extended, struct cpu_caps *caps);

/* A cache, as CPUID describes it. */
enum cache_type { CACHE_NONE, CACHE_DATA, CACHE_CODE, CACHE_UNIFIED, CACHE_TYPES };

struct cpu_cache {
    uint8_t type; /* enum cache_type; CACHE_NONE: no more caches */
    uint8_t level;
    uint16_t reserved;
    uint32_t kib;
};
_Static_assert(sizeof(struct cpu_cache) == 8, "written to the journal as it is");

#define CPU_CACHES_MAX 8u /* further caches are ignored */

/* The caches of an Intel, AMD or Hygon CPU in CPUID's order; none if CPUID does not list them. */
void caps_caches(cpuid_read *cpuid, const struct cpu_caps *caps,
                 struct cpu_cache cache[CPU_CACHES_MAX]);

/* The total size in bytes of the caches that hold data; 0: not known. */
uint64_t caps_caches_bytes(const struct cpu_cache cache[CPU_CACHES_MAX]);

/* The general counters that exist and are used: bit i for IA32_PMCi. */
static inline uint32_t caps_general(const struct cpu_caps *caps)
{
    return ((1u << caps->gp_count) - 1) & ~(uint32_t)caps->gp_absent;
}

/* The number of general counters that exist and are used. */
static inline uint32_t caps_general_count(const struct cpu_caps *caps)
{
    return bits_in(caps_general(caps));
}

/*
 * Drops the general counters with number `count` and above. Also drops absent counters directly
 * before number `count`.
 */
static inline void caps_keep_general(struct cpu_caps *caps, uint32_t count)
{
    while (count > 0 && caps->gp_absent >> (count - 1) & 1)
        count--;
    caps->gp_count = count;
}

/* "Intel", "AMD", "Hygon", or the identification string of another vendor. */
const char *caps_vendor_name(const struct cpu_caps *caps);

/* The core type of a hybrid's CPU; 0 on a CPU that is not hybrid. */
uint32_t caps_hybrid_type(const struct cpu_caps *caps);

/*
 * "core" or "atom" on Intel, "performance" or "efficiency" on AMD; "" if the CPU is not hybrid or
 * its core type is not known.
 */
const char *caps_core_type_name(const struct cpu_caps *caps);

/*
 * A number for the CPU's kind of core. CPUs of one machine have the same number if they have the
 * same kind of core.
 */
static inline uint32_t caps_core(const struct cpu_caps *caps)
{
    return (uint32_t)caps->core_type << 16 | caps->native_model;
}

/*
 * The features that a kernel needs (cpu_features) but the CPU lacks. 0: the CPU can run the kernel.
 */
static inline uint64_t caps_lacks(const struct cpu_caps *caps, uint64_t cpu_features)
{
    return cpu_features & ~caps->kernel_features;
}

static inline bool caps_has(const struct cpu_caps *caps, uint32_t feature)
{
    return (caps->features & feature) == feature;
}

#endif
