/* SPDX-License-Identifier: BSD-2-Clause */
/* Topology, core types and features from CPUID. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/cpuid.h"

/*
 * Intel SDM vol. 3A, "Hierarchical Mapping of Shared Resources": the bits of the x2APIC ID below
 * the SMT shift identify the thread. The bits from there up to the last level's shift identify the
 * core. The bits above identify the package.
 */
static const struct {
    const char *row;
    struct fake_leaf leaves[7];
    struct {
        uint32_t id, smt_shift, thread, core, package;
    } is;
} TOPOLOGIES[] = {
    {"0BH, two threads a core",
     {INTEL_LEAF_0,
      {0xb, 0, {1, 2, LEVEL(0, LEVEL_SMT), 0x77}},
      {0xb, 1, {4, 8, LEVEL(1, LEVEL_CORE), 0x77}},
      END},
     {0x77, 1, 0x77 & 1, (0x77 & 15) >> 1, 0x77 >> 4}},
    {"0BH, one thread a core",
     {INTEL_LEAF_0,
      {0xb, 0, {0, 1, LEVEL(0, LEVEL_SMT), 0x25}},
      {0xb, 1, {3, 8, LEVEL(1, LEVEL_CORE), 0x25}},
      END},
     {0x25, 0, 0, 0x25 & 7, 0x25 >> 3}},
    {"0BH, packages of one CPU",
     {INTEL_LEAF_0,
      {0xb, 0, {0, 1, LEVEL(0, LEVEL_SMT), 3}},
      {0xb, 1, {0, 1, LEVEL(1, LEVEL_CORE), 3}},
      END},
     {3, 0, 0, 0, 3}},
    {"1FH goes before 0BH, which counts the die as a package",
     {INTEL_LEAF_0,
      {0xb, 0, {1, 2, LEVEL(0, LEVEL_SMT), 0x1d5}},
      {0xb, 1, {4, 16, LEVEL(1, LEVEL_CORE), 0x1d5}},
      {0x1f, 0, {1, 2, LEVEL(0, LEVEL_SMT), 0x1d5}},
      {0x1f, 1, {4, 16, LEVEL(1, LEVEL_CORE), 0x1d5}},
      {0x1f, 2, {6, 32, LEVEL(2, LEVEL_DIE), 0x1d5}},
      END},
     {0x1d5, 1, 1, (0x1d5 & 63) >> 1, 0x1d5 >> 6}},
    {"1FH exists but is empty: 0BH is used",
     {INTEL_LEAF_0,
      {0xb, 0, {1, 2, LEVEL(0, LEVEL_SMT), 0x77}},
      {0xb, 1, {4, 8, LEVEL(1, LEVEL_CORE), 0x77}},
      {0x1f, 0, {0, 0, 0, 0x77}},
      END},
     {0x77, 1, 1, (0x77 & 15) >> 1, 0x77 >> 4}},
    {"the ID's highest bit, and the widest shift",
     {INTEL_LEAF_0,
      {0xb, 0, {1, 2, LEVEL(0, LEVEL_SMT), 0xfffffffe}},
      {0xb, 1, {0xffffffff, 8, LEVEL(1, LEVEL_CORE), 0xfffffffe}},
      END},
     {0xfffffffe, 1, 0, (0xfffffffe & 0x7fffffff) >> 1, 1}},
    {"1FH of a single level",
     {INTEL_LEAF_0, {0x1f, 0, {1, 2, LEVEL(0, LEVEL_SMT), 5}}, END},
     {5, 1, 1, 0, 2}},
    {"reserved bits: EAX[31:5], ECX[31:16]",
     {INTEL_LEAF_0,
      {0xb, 0, {0xffffffe1, 2, 0xffff0000 | LEVEL(0, LEVEL_SMT), 5}},
      {0xb, 1, {0xffffffe2, 4, 0xffff0000 | LEVEL(1, LEVEL_CORE), 5}},
      {0xb, 2, {9, 9, 0xffff0000 | LEVEL(2, 0), 5}},
      END},
     {5, 1, 1, 0, 1}},
    {"neither: the APIC ID of leaf 1; without HTT, it is the package",
     {INTEL_LEAF_0, {1, 0, {0, 0x07ffffff, 0, 0}}, END},
     {7, 0, 0, 0, 7}},
    /*
     * Leaves of real CPUs, from InstLatx64's files GenuineIntel00006F4, 106C2, AuthenticAMD0800F11
     * and HygonGenuine0900F02. The Hygon's second package begins at ID 10H.
     */
    {"Woodcrest, the second package",
     {INTEL_LEAF_0,
      {1, 0, {0x6f4, 0x07020800, 0x4e3bd, 0xbfebfbff}},
      {4, 0, {0x04000121, 0x1c0003f, 0x3f, 1}},
      END},
     {7, 0, 0, 1, 3}},
    {"Diamondville, two threads a core",
     {INTEL_LEAF_0,
      {1, 0, {0x106c2, 0x03040800, 0x40e31d, 0xbfe9fbff}},
      {4, 0, {0x04004121, 0x140003f, 0x3f, 1}},
      END},
     {3, 1, 1, 1, 0}},
    {"Zen 1",
     {AMD_LEAF_0,
      {1, 0, {0x800f11, 0x0b080800, 0x7ed8320b, 0x178bfbff}},
      {0x80000001u, 0, {0x800f11, 0x20000000, 0x35c233ff, 0x2fd3fbff}},
      {0x80000008u, 0, {0x3030, 7, 0x4007, 0}},
      {0x8000001eu, 0, {0xb, 0x105, 0, 0}},
      END},
     {0xb, 1, 1, 5, 0}},
    {"Hygon, the second package",
     {HYGON_LEAF_0,
      {1, 0, {0x900f02, 0x15100800, 0x7cd83209, 0x178bfbff}},
      {0x80000001u, 0, {0x900f02, 0x60000000, 0x35c233ff, 0x2fd3fbff}},
      {0x80000008u, 0, {0x3030, 0x1007, 0x400f, 0}},
      {0x8000001eu, 0, {0x15, 0x102, 0, 0}},
      END},
     {0x15, 1, 1, 2, 1}},
    {"K10: four cores, none with threads",
     {AMD_LEAF_0,
      {1, 0, {0x100f42, 0x02040800, 0x802009, 0x178bfbff}},
      {0x80000008u, 0, {0x3030, 0, 0x2003, 0}},
      END},
     {2, 0, 0, 2, 0}},
};

TEST(topologies)
{
    for (size_t i = 0; i < sizeof(TOPOLOGIES) / sizeof(TOPOLOGIES[0]); i++) {
        struct cpu_caps caps;

        fake_caps(TOPOLOGIES[i].leaves, 0x1f, 0x8000001eu, &caps);
        if (caps.x2apic_id != TOPOLOGIES[i].is.id || caps.smt_shift != TOPOLOGIES[i].is.smt_shift ||
            caps.thread != TOPOLOGIES[i].is.thread || caps.core != TOPOLOGIES[i].is.core ||
            caps.package != TOPOLOGIES[i].is.package)
            fail_msg("%s: id %x, shift %u, thread %u, core %u, package %u", TOPOLOGIES[i].row,
                     caps.x2apic_id, caps.smt_shift, caps.thread, caps.core, caps.package);
    }
}

TEST(endless_levels_end)
{
    struct fake_leaf leaves[40] = {INTEL_LEAF_0};
    struct cpu_caps caps;

    for (uint32_t level = 0; level < 31; level++)
        leaves[1 + level] =
            (struct fake_leaf){0xb, level, {level, 1, LEVEL(level, LEVEL_DIE), 0xabc}};
    fake_caps(leaves, 0xb, 0x80000000u, &caps);
    assert_int_equal(caps.package, 0xabc >> 7); /* the eighth level's shift */
}

/* Alder Lake-N has a core type, but is not a hybrid. */
TEST(core_types)
{
    static const struct {
        uint32_t leaf_7_edx, leaf_1a_eax, type, native;
        const char *name;
    } ROWS[] = {
        {BIT(15), 0x40000001, CORE_TYPE_CORE, 1, "core"},
        {BIT(15), 0x20000002, CORE_TYPE_ATOM, 2, "atom"},
        {BIT(15), 0x30000001, 0x30, 1, ""},
        {0, 0x20000001, CORE_TYPE_ATOM, 1, ""},
        {0, 0, 0, 0, ""},
    };
    struct fake_leaf leaves[] = {INTEL_LEAF_0, {7, 0, {0}}, {0x1a, 0, {0}}, END};
    struct cpu_caps caps;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        leaves[1].regs = (struct cpuid_regs){1, 0, 0, ROWS[i].leaf_7_edx};
        leaves[2].regs.eax = ROWS[i].leaf_1a_eax;
        fake_caps(leaves, 0x1a, 0x80000000u, &caps);
        assert_int_equal(caps.core_type, ROWS[i].type);
        assert_int_equal(caps.native_model, ROWS[i].native);
        assert_string_equal(caps_core_type_name(&caps), ROWS[i].name);
    }
}

/*
 * CPUID.80000026H: EAX[30] is set on hybrids. EBX[31:28] is the core type, and EBX[27:24] the
 * native model ID.
 */
TEST(core_types_of_amd)
{
    static const struct {
        uint32_t eax, ebx, type, native;
        const char *name;
    } ROWS[] = {
        {BIT(30) | 1, 2, CORE_TYPE_PERFORMANCE, 0, "performance"},
        {BIT(30) | 1, 0x10000002, CORE_TYPE_EFFICIENCY, 0, "efficiency"},
        {BIT(30) | 1, 0x1b000002, CORE_TYPE_EFFICIENCY, 0xb, "efficiency"},
        {BIT(30) | 1, 0x20000002, 0, 0, ""},
        {~BIT(30), 0x10000002, 0, 0, ""},
    };
    struct fake_leaf leaves[] = {
        AMD_LEAF_0, {0x1a, 0, {0x40000001, 0, 0, 0}}, {0x80000026u, 0, {0}}, END};
    struct cpu_caps caps;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        leaves[2].regs = (struct cpuid_regs){ROWS[i].eax, ROWS[i].ebx, 0x100, 0};
        fake_caps(leaves, 0x1a, 0x80000028u, &caps);
        assert_int_equal(caps_has(&caps, FEATURE_HYBRID), ROWS[i].eax >> 30 & 1);
        assert_int_equal(caps.core_type, ROWS[i].type);
        assert_int_equal(caps.native_model, ROWS[i].native);
        assert_string_equal(caps_core_type_name(&caps), ROWS[i].name);
    }
}

/* clang-format off */
#define WITH_1(ecx, edx) {INTEL_LEAF_0, {1, 0, {1, 0, ecx, edx}}, END}
#define WITH_6(eax, ecx) {INTEL_LEAF_0, {6, 0, {eax, 0, ecx, 0}}, END}
#define WITH_7(ebx, edx) {INTEL_LEAF_0, {7, 0, {0, ebx, 0, edx}}, END}
/* clang-format on */

TEST(features_by_their_bits)
{
    static const struct {
        struct fake_leaf leaves[4];
        uint32_t features;
    } ROWS[] = {
        {WITH_1(BIT(15), 0), FEATURE_PDCM},
        {WITH_1(BIT(26), 0), FEATURE_XSAVE},
        {WITH_1(BIT(3), 0), FEATURE_MONITOR},
        {WITH_1(BIT(7), 0), FEATURE_EIST},
        {WITH_1(BIT(31), 0), FEATURE_HYPERVISOR},
        {WITH_1(~(BIT(3) | BIT(7) | BIT(15) | BIT(26) | BIT(31)), 0), 0},
        {WITH_1(0, BIT(5)), FEATURE_MSR},
        {WITH_1(0, BIT(9)), FEATURE_APIC},
        {WITH_1(0, BIT(21)), FEATURE_DS},
        {WITH_1(0, BIT(14)), FEATURE_MCA},
        {WITH_1(0, ~(BIT(5) | BIT(9) | BIT(14) | BIT(21))), 0},
        {WITH_6(BIT(0), 0), FEATURE_THERMAL},
        {WITH_6(BIT(1), 0), FEATURE_TURBO},
        {WITH_6(BIT(6), 0), FEATURE_PACKAGE_THERMAL},
        {WITH_6(BIT(7), 0), FEATURE_HWP},
        {WITH_6(~(BIT(0) | BIT(1) | BIT(6) | BIT(7)), ~BIT(0)), 0},
        {WITH_6(0, BIT(0)), FEATURE_APERF},
        {WITH_7(0, BIT(13)), FEATURE_TSX_ABORT},
        {WITH_7(0, BIT(12) | BIT(13)), FEATURE_TSX_ABORT},
        {WITH_7(0, BIT(11) | BIT(13)), 0}, /* RTM always aborts: IA32_PMC3 is not reserved */
        {WITH_7(0, BIT(15)), FEATURE_HYBRID},
        {WITH_7(0xffffffff, ~(BIT(13) | BIT(15))), 0},
        {{INTEL_LEAF_0, {0x80000007u, 0, {0, 0, 0, BIT(8)}}, END}, FEATURE_TSC_CONST},
        {{INTEL_LEAF_0, {0x80000007u, 0, {~0u, ~0u, ~0u, ~(BIT(8) | BIT(9))}}, END}, 0},
        {{INTEL_LEAF_0, {0x80000007u, 0, {0, 0, 0, BIT(9)}}, END}, FEATURE_AMD_BOOST},
        {{INTEL_LEAF_0, {0x80000021u, 0, {BIT(13), 0, 0, 0}}, END}, FEATURE_AMD_PREFETCH},
        {{INTEL_LEAF_0, {0x80000021u, 0, {BIT(12), 0, 0, 0}}, END}, FEATURE_AMD_PREC_RET},
        {{INTEL_LEAF_0, {0x80000021u, 0, {~(BIT(12) | BIT(13)), ~0u, ~0u, ~0u}}, END}, 0},
    };
    struct cpu_caps caps;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        fake_caps(ROWS[i].leaves, 0x1f, 0x80000021u, &caps);
        if (caps.features != ROWS[i].features)
            fail_msg("row %zu: features %x, expected %x", i, caps.features, ROWS[i].features);
    }
}

TEST(vendors)
{
    static const struct fake_leaf AMD[] = {
        AMD_LEAF_0, {0xa, 0, {PMU_EAX(4, 4, 48, 7), 0, 0, PMU_EDX(3, 48)}}, END};
    static const struct fake_leaf HYGON[] = {HYGON_LEAF_0,
                                             {1, 0, {0x900f02, 0, 0, 0}},
                                             {0xa, 0, {PMU_EAX(4, 4, 48, 7), 0, 0, PMU_EDX(3, 48)}},
                                             {0x80000001u, 0, {0, 0, BIT(23), 0}},
                                             END};
    static const struct fake_leaf OTHER[] = {
        {0,
         0,
         {0, TEXT4('C', 'e', 'n', 't'), TEXT4('a', 'u', 'l', 's'), TEXT4('a', 'u', 'r', 'H')}},
        {1, 0, {0x900f02, 0, 0, 0}},
        {0xa, 0, {PMU_EAX(4, 4, 48, 7), 0, 0, PMU_EDX(3, 48)}},
        {0x80000001u, 0, {0, 0, BIT(23), 0}},
        END};
    static const struct fake_leaf LONGER[] = {
        {0, 0, {0, 0x756e6547u, TEXT4('n', 't', 'e', 'L'), 0x49656e69u}}, END};
    struct cpu_caps caps;

    fake_caps(AMD, 0x10, 0x80000008u, &caps);
    assert_int_equal(caps.vendor, VENDOR_AMD);
    assert_string_equal(caps_vendor_name(&caps), "AMD");
    assert_int_equal(caps.pmu_version | caps.gp_count | caps.fixed_map | caps.pmu_leaf[0], 0);
    assert_false(caps_is_hygon(&caps));
    fake_caps(HYGON, 0x10, 0x80000008u, &caps);
    assert_int_equal(caps.vendor, VENDOR_AMD);
    assert_true(caps_is_hygon(&caps));
    assert_string_equal(caps_vendor_name(&caps), "Hygon");
    assert_int_equal(caps.pmu_version, 1);
    assert_int_equal(caps_general_count(&caps), 6);
    fake_caps(OTHER, 0x10, 0x80000008u, &caps);
    assert_int_equal(caps.vendor, VENDOR_OTHER);
    assert_string_equal(caps_vendor_name(&caps), "CentaurHauls");
    assert_int_equal(caps.pmu_version, 0);
    fake_caps(LONGER, 0x10, 0x80000008u, &caps);
    assert_int_equal(caps.vendor, VENDOR_OTHER);
    assert_string_equal(caps_vendor_name(&caps), "GenuineInteL");
}
