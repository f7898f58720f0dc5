/* SPDX-License-Identifier: BSD-2-Clause */
/* Capabilities read from CPUID, for invented CPUs. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/cpuid.h"

/*
 * APIC ID 2BH, x2APIC ID 12BH, family 6, model 55H, stepping 4. A package has 32 CPUs, and a core
 * has two threads.
 */
static const struct fake_leaf SKYLAKE_SP[] = {
    INTEL_LEAF_0,
    {1,
     0,
     {0x00050654, 0x2b000000, BIT(15) | BIT(26) | BIT(27) | BIT(28), BIT(5) | BIT(9) | BIT(21)}},
    {7, 0, {0, BIT(5), 0, BIT(13)}},
    {0xa, 0, {PMU_EAX(4, 4, 48, 7), 0, 0, PMU_EDX(3, 48)}},
    {0xb, 0, {1, 2, LEVEL(0, LEVEL_SMT), 0x12b}},
    {0xb, 1, {5, 32, LEVEL(1, LEVEL_CORE), 0x12b}},
    {0xb, 2, {0, 0, LEVEL(2, 0), 0x12b}},
    {0x15, 0, {2, 168, 0, 0}},
    {0x16, 0, {0xffff0834, 0xffff, 0xffff, 0}},
    {0x80000002u,
     0,
     {TEXT4('T', 'h', 'e', ' '), TEXT4('n', 'a', 'm', 'e'), 0x20202020, 0x20202020}},
    {0x80000003u,
     0,
     {TEXT4('i', 's', ' ', 'o'), TEXT4('f', ' ', '4', '8'), 0x20202020, 0x20202020}},
    {0x80000004u,
     0,
     {TEXT4('b', 'y', 't', 'e'), TEXT4('s', ',', ' ', 'n'), TEXT4('o', ' ', 'z', 'e'),
      TEXT4('r', 'o', ' ', '!')}},
    {0x80000007u, 0, {0, 0, 0, BIT(8)}},
    END,
};

TEST(skylake_sp)
{
    struct cpu_caps caps;

    fake_caps(SKYLAKE_SP, 0x16, 0x80000008u, &caps);
    assert_string_equal(caps.vendor_id, "GenuineIntel");
    assert_string_equal(caps_vendor_name(&caps), "Intel");
    assert_string_equal(caps.brand, "The name        is of 48        bytes, no zero !");
    assert_int_equal(caps.vendor, VENDOR_INTEL);
    assert_int_equal(caps.max_leaf, 0x16);
    assert_int_equal(caps.signature, 0x50654);
    assert_int_equal(caps.family, 6);
    assert_int_equal(caps.model, 0x55);
    assert_int_equal(caps.stepping, 4);
    assert_int_equal(caps.core_type, 0);
    assert_string_equal(caps_core_type_name(&caps), "");
    assert_int_equal(caps.features, FEATURE_PDCM | FEATURE_XSAVE | FEATURE_MSR | FEATURE_APIC |
                                        FEATURE_DS | FEATURE_TSX_ABORT | FEATURE_TSC_CONST);

    assert_int_equal(caps.x2apic_id, 0x12b);
    assert_int_equal(caps.smt_shift, 1);
    assert_int_equal(caps.thread, 0x12b % 2);
    assert_int_equal(caps.core, 0x12b % 32 / 2);
    assert_int_equal(caps.package, 0x12b / 32);

    assert_int_equal(caps.pmu_version, 4);
    assert_int_equal(caps.gp_count, 4);
    assert_int_equal(caps.gp_width_bits, 48);
    assert_int_equal(caps.arch_events, 7);
    assert_int_equal(caps.arch_events_absent, 0);
    assert_int_equal(caps.fixed_map, 7);
    assert_int_equal(caps.fixed_width_bits, 48);
    assert_int_equal(caps.pmu_leaf[0], PMU_EAX(4, 4, 48, 7));
    assert_int_equal(caps.pmu_leaf[3], PMU_EDX(3, 48));

    assert_int_equal(caps.tsc_ratio_denominator, 2);
    assert_int_equal(caps.tsc_ratio_numerator, 168);
    assert_int_equal(caps.crystal_hz, 0);
    assert_int_equal(caps.base_mhz, 2100);
}

static void expect_cache(const struct cpu_cache *cache, enum cache_type type, unsigned level,
                         uint32_t kib)
{
    assert_int_equal(cache->type, type);
    assert_int_equal(cache->level, level);
    assert_int_equal(cache->kib, kib);
}

/* L1 of 32 KiB for data and for code, L2 of 1 MiB, L3 of 11 ways and 2^15 sets. */
TEST(caches)
{
    static const struct fake_leaf CACHES[] = {
        INTEL_LEAF_0,
        {4, 0, {1 | 1 << 5, 7u << 22 | 63, 63, 0}},
        {4, 1, {2 | 1 << 5, 7u << 22 | 63, 63, 0}},
        {4, 2, {3 | 2 << 5, 15u << 22 | 63, 1023, 0}},
        {4, 3, {3 | 3 << 5, 10u << 22 | 1 << 12 | 31, (1 << 15) - 1, 0}},
        {4, 5, {3, 7u << 22 | 63, 63, 0}},
        END,
    };
    struct cpu_caps caps;
    struct cpu_cache cache[CPU_CACHES_MAX];

    fake_caps(CACHES, 4, 0x80000000u, &caps);
    caps_caches(fake_cpuid, &caps, cache);
    expect_cache(&cache[0], CACHE_DATA, 1, 32);
    expect_cache(&cache[1], CACHE_CODE, 1, 32);
    expect_cache(&cache[2], CACHE_UNIFIED, 2, 1024);
    expect_cache(&cache[3], CACHE_UNIFIED, 3, 11 * 2 * 32 * (1 << 15) / 1024);
    expect_cache(&cache[4], CACHE_NONE, 0, 0);
    assert_int_equal(caps_caches_bytes(cache), (32 << 10) + (1 << 20) + 11 * 2 * 32 * (1 << 15));
    fake_max_leaf = 3;
    caps_caches(fake_cpuid, &caps, cache);
    assert_int_equal(caps_caches_bytes(cache), 0);
    fake_max_leaf = 4;
    caps.vendor = VENDOR_OTHER;
    caps_caches(fake_cpuid, &caps, cache);
    assert_int_equal(caps_caches_bytes(cache), 0);
}

/* Leaf 8000001DH exists if the CPU has topology extensions. */
TEST(caches_of_amd)
{
    static const struct fake_leaf CACHES[] = {
        INTEL_LEAF_0,
        {0x80000001u, 0, {0, 0, 1u << 22, 0}},
        {0x8000001du, 0, {1 | 1 << 5, 11u << 22 | 63, 63, 0}},
        {0x8000001du, 1, {4 | 1 << 5, 7u << 22 | 63, 63, 0}}, /* a reserved type */
        END,
    };
    static const struct fake_leaf WITHOUT_EXTENSIONS[] = {
        INTEL_LEAF_0,
        {0x80000001u, 0, {0, 0, ~(1u << 22), 0}},
        {0x8000001du, 0, {1 | 1 << 5, 11u << 22 | 63, 63, 0}},
        END,
    };
    struct cpu_caps caps;
    struct cpu_cache cache[CPU_CACHES_MAX];

    fake_caps(CACHES, 4, 0x8000001du, &caps);
    caps.vendor = VENDOR_AMD;
    caps_caches(fake_cpuid, &caps, cache);
    expect_cache(&cache[0], CACHE_DATA, 1, 48);
    expect_cache(&cache[1], CACHE_NONE, 0, 0);
    fake_leaves = WITHOUT_EXTENSIONS;
    caps_caches(fake_cpuid, &caps, cache);
    expect_cache(&cache[0], CACHE_NONE, 0, 0);
}

TEST(nothing_is_read_above_the_highest_leaf)
{
    struct cpu_caps caps;

    fake_caps(SKYLAKE_SP, 0x15, 0x80000008u, &caps);
    assert_int_equal(caps.base_mhz, 0);
    assert_int_equal(caps.tsc_ratio_numerator, 168);
    fake_caps(SKYLAKE_SP, 0x14, 0x80000008u, &caps);
    assert_int_equal(caps.tsc_ratio_numerator, 0);
    assert_int_equal(caps.pmu_version, 4);
    fake_caps(SKYLAKE_SP, 0xa, 0x80000008u, &caps);
    assert_int_equal(caps.pmu_version, 4);
    assert_int_equal(caps.x2apic_id, 0x2b);
    assert_int_equal(caps.package, 0x2b); /* CPUID.01H:EDX.HTT is 0 */
    assert_int_equal(caps.thread | caps.core | caps.smt_shift, 0);
    fake_caps(SKYLAKE_SP, 0x9, 0x80000008u, &caps);
    assert_int_equal(caps.pmu_version, 0);
    assert_int_equal(caps.gp_count | caps.fixed_map | caps.arch_events | caps.pmu_leaf[0], 0);
    fake_caps(SKYLAKE_SP, 0x6, 0x80000006u, &caps);
    assert_false(caps_has(&caps, FEATURE_HYBRID));
    assert_false(caps_has(&caps, FEATURE_TSC_CONST));
    assert_int_equal(caps.model, 0x55);
    fake_caps(SKYLAKE_SP, 0x1, 0x80000003u, &caps);
    assert_string_equal(caps.brand, "The name        is of 48        ");
    fake_caps(SKYLAKE_SP, 0x1, 0x00000001u, &caps);
    assert_string_equal(caps.brand, "");
    fake_caps(SKYLAKE_SP, 0x0, 0x80000008u, &caps);
    assert_int_equal(caps.signature | caps.family | caps.model | caps.x2apic_id, 0);
    assert_int_equal(caps.features, FEATURE_TSC_CONST);
}

/* Intel SDM vol. 2A, "CPUID", figure of leaf 1's EAX. */
TEST(display_family_and_model)
{
    static const struct {
        uint32_t signature, family, model, stepping;
    } ROWS[] = {
        {0x000106a5, 6, 0x1a, 5},     /* Nehalem-EP */
        {0x000906ea, 6, 0x9e, 10},    /* Coffee Lake */
        {0x000006fb, 6, 0x0f, 11},    /* Merom */
        {0x00000f4a, 0xf, 0x04, 10},  /* Pentium 4 */
        {0x00100f42, 0x10, 0x04, 2},  /* AMD family 10h: Fh + 1 */
        {0xf0a2cf12, 0x19, 0x21, 2},  /* AMD family 19h: Fh + Ah */
        {0x0fff0f00, 0x10e, 0xf0, 0}, /* both extended fields */
        {0x0ffff5ff, 5, 0x0f, 15},    /* only families 6 and Fh use the extended model */
        {0x0ff006f0, 6, 0x0f, 0},     /* family 6 does not use the extended family */
    };
    struct fake_leaf leaves[] = {INTEL_LEAF_0, {1, 0, {0}}, END};
    struct cpu_caps caps;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        leaves[1].regs.eax = ROWS[i].signature;
        fake_caps(leaves, 1, 0x80000000u, &caps);
        assert_int_equal(caps.family, ROWS[i].family);
        assert_int_equal(caps.model, ROWS[i].model);
        assert_int_equal(caps.stepping, ROWS[i].stepping);
    }
}

static const struct {
    const char *row;
    struct cpuid_regs leaf;
    struct {
        uint32_t version, gp, fixed_map, fixed_width, absent;
    } is;
} MONITORS[] = {
    {"Nehalem", {PMU_EAX(3, 4, 48, 7), BIT(6), 0, PMU_EDX(3, 48)}, {3, 4, 7, 48, BIT(6)}},
    {"version 1 has no fixed counters, whatever EDX says",
     {PMU_EAX(1, 2, 40, 7), 0, 0xffffffff, PMU_EDX(3, 40)},
     {1, 2, 0, 0, 0}},
    {"version 2", {PMU_EAX(2, 2, 40, 7), 0, 0, PMU_EDX(3, 40)}, {2, 2, 7, 40, 0}},
    {"version 4 has no bitmap in ECX",
     {PMU_EAX(4, 8, 48, 8), 0, 0xffffffff, PMU_EDX(3, 48)},
     {4, 8, 7, 48, 0}},
    {"Conroe lists no fixed counters (InstLatx64, GenuineIntel00006F2)",
     {0x07280202, 0, 0, 0},
     {2, 2, 7, 40, 0}},
    {"Diamondville lists one (InstLatx64, GenuineIntel00106C2)",
     {0x07280203, 0, 0, 0x2501},
     {3, 2, 7, 40, 0}},
    {"version 5: bitmap and count together",
     {PMU_EAX(5, 8, 48, 8), 0, BIT(2), PMU_EDX(1, 48) | ANY_GONE},
     {5, 8, 5, 48, 0}},
    {"version 5: by the bitmap alone",
     {PMU_EAX(5, 6, 48, 8), 0, BIT(1), PMU_EDX(0, 48) | ANY_GONE},
     {5, 6, 2, 48, 0}},
    {"the fourth fixed counter",
     {PMU_EAX(5, 8, 48, 8), 0, 0, PMU_EDX(4, 48) | ANY_GONE},
     {5, 8, 15, 48, 0}},
    {"an eighth fixed counter is not supported, and there are at most 14 counters",
     {PMU_EAX(5, 8, 48, 8), 0, 0xff, PMU_EDX(8, 48) | ANY_GONE},
     {5, 7, 0x7f, 48, 0}},
    {"reserved bits, and an odd width",
     {PMU_EAX(2, 4, 33, 7), 0, 0, PMU_EDX(3, 48) | BIT(13) | BIT(14) | BIT(16)},
     {2, 4, 7, 48, 0}},
    {"as many fixed counters as the field holds",
     {PMU_EAX(2, 4, 48, 8), 0, 0, PMU_EDX(31, 255)},
     {2, 4, 0x7f, 255, 0}},
    {"general counters beyond those supported",
     {PMU_EAX(5, 11, 48, 8), 0x1fff, 0, PMU_EDX(3, 48)},
     {5, 10, 7, 48, 0x1fff}},
    {"no PMU: the rest of the leaf is ignored",
     {PMU_EAX(0, 4, 48, 7), 1, 7, PMU_EDX(3, 48) | ANY_GONE},
     {0, 0, 0, 0, 0}},
};

/* Under a hypervisor, leaf 0AH gives the number and the width of fixed counters. */
TEST(fixed_counters_of_a_hypervisor)
{
    static const struct fake_leaf LEAVES[] = {
        INTEL_LEAF_0,
        {1, 0, {0, 0, BIT(31), 0}},
        {0xa, 0, {PMU_EAX(2, 2, 40, 7), 0, 0, PMU_EDX(1, 32)}},
        END,
    };
    struct cpu_caps caps;

    fake_caps(LEAVES, 0xa, 0x80000000u, &caps);
    assert_int_equal(caps.fixed_map, 1);
    assert_int_equal(caps.fixed_width_bits, 32);
}

TEST(performance_monitors)
{
    struct fake_leaf leaves[] = {INTEL_LEAF_0, {0xa, 0, {0}}, END};

    for (size_t i = 0; i < sizeof(MONITORS) / sizeof(MONITORS[0]); i++) {
        struct cpu_caps caps;
        leaves[1].regs = MONITORS[i].leaf;
        fake_caps(leaves, 0xa, 0x80000000u, &caps);
        if (caps.pmu_version != MONITORS[i].is.version || caps.gp_count != MONITORS[i].is.gp ||
            caps.fixed_map != MONITORS[i].is.fixed_map ||
            caps.fixed_width_bits != MONITORS[i].is.fixed_width ||
            caps.arch_events_absent != MONITORS[i].is.absent)
            fail_msg("%s", MONITORS[i].row);
        assert_int_equal(caps.pmu_leaf[1], MONITORS[i].leaf.ebx);
        assert_int_equal(caps.pmu_leaf[2], MONITORS[i].leaf.ecx);
    }
}

TEST(counters_of_leaf_23h)
{
    static const struct {
        uint32_t flags, main, general, fixed; /* 7.1:EAX, 23H.0:EAX, 23H.1:EAX and EBX */
        uint32_t gp_count, absent, fixed_map;
    } ROWS[] = {
        {BIT(8), 0x2, 0x3ff, 0xf, 10, 0, 0xf},  {BIT(8), 0x2, 0xff, 0x77, 8, 0, 0x77},
        {BIT(8), 0x2, 0xb5, 0x5, 8, 0x4a, 0x5}, {BIT(8), 0x2, 0xfff, 0xff, 7, 0, 0x7f},
        {BIT(8), 0x1, 0x3, 0x1, 8, 0, 7}, /* subleaf 1 is not listed */
        {BIT(8), 0x2, 0, 0x1, 8, 0, 7},         {0, 0x2, 0x3, 0x1, 8, 0, 7}, /* no leaf 23H */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct fake_leaf leaves[] = {
            INTEL_LEAF_0,
            {7, 0, {1, 0, 0, 0}},
            {7, 1, {ROWS[i].flags, 1, 0, 0}},
            {0xa, 0, {PMU_EAX(6, 8, 48, 8), 0, 7, PMU_EDX(3, 48) | ANY_GONE}},
            {0x23, 0, {ROWS[i].main, 3, 0, 0}},
            {0x23, 1, {ROWS[i].general, ROWS[i].fixed, 0, 0}},
            END,
        };
        struct cpu_caps caps;

        fake_caps(leaves, 0x23, 0x80000000u, &caps);
        assert_int_equal(caps.gp_count, ROWS[i].gp_count);
        assert_int_equal(caps.gp_absent, ROWS[i].absent);
        assert_int_equal(caps.fixed_map, ROWS[i].fixed_map);
        assert_int_equal(caps_has(&caps, FEATURE_UMASK2 | FEATURE_EQ), ROWS[i].flags != 0);
        assert_int_equal(caps_general_count(&caps),
                         bits_in(((1u << ROWS[i].gp_count) - 1) & ~ROWS[i].absent));
    }
}

/* In hybrid CPUs, Golden Cove has more counters than leaf 0AH reports. */
TEST(counters_of_performance_cores)
{
    static const struct {
        uint32_t signature, type, hybrid, hypervisor, gp_count;
    } ROWS[] = {
        {0x90672, 0x40000001, BIT(15), 0, 8},
        {0x90672, 0x20000001, BIT(15), 0, 6},
        {0x90672, 0x40000001, 0, 0, 6},
        {0xa06a4, 0x40000002, BIT(15), 0, 6},
        {0x90672, 0x40000001, BIT(15), BIT(31), 6},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct fake_leaf leaves[] = {
            INTEL_LEAF_0,
            {1, 0, {ROWS[i].signature, 0, ROWS[i].hypervisor, 0}},
            {7, 0, {0, 1, 0, ROWS[i].hybrid}},
            {0xa, 0, {PMU_EAX(5, 6, 48, 8), 0, 7, PMU_EDX(3, 48) | ANY_GONE}},
            {0x1a, 0, {ROWS[i].type, 0, 0, 0}},
            END,
        };
        struct cpu_caps caps;

        fake_caps(leaves, 0x1a, 0x80000000u, &caps);
        assert_int_equal(caps.gp_count, ROWS[i].gp_count);
        assert_int_equal(caps.fixed_map, ROWS[i].gp_count == 8 ? 0xf : 7);
    }
}

TEST(crystal)
{
    static const struct fake_leaf LEAVES[] = {INTEL_LEAF_0, {0x15, 0, {1, 78, 38400000, 0}}, END};
    struct cpu_caps caps;

    fake_caps(LEAVES, 0x15, 0x80000000u, &caps);
    assert_int_equal(caps.tsc_ratio_denominator, 1);
    assert_int_equal(caps.tsc_ratio_numerator, 78);
    assert_int_equal(caps.crystal_hz, 38400000);
}
