/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU features that kernels may need: Intel SDM vol. 2A "CPUID—CPU Identification". */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/cpuid.h"
#include "kernels/kernel.h"
#include "pmu/cpu/features.h"

#define XSAVE     BIT(26) /* CPUID.1:ECX */
#define STATE_AVX 0x07u
#define STATE_ALL 0xe7u

#define MAX      0x0du
#define EXTENDED 0x80000001u

static const struct fake_leaf END_LEAF = {0};

/*
 * one: the leaf under test. xsave: bits of CPUID.1:ECX. state: CPUID.0DH:EAX. *enabled gets the
 * states that can be enabled, unless `enabled` is null.
 */
static uint64_t features_of(struct fake_leaf one, uint32_t xsave, uint32_t state, uint32_t *enabled)
{
    struct fake_leaf leaves[5];
    struct cpu_caps caps;

    leaves[0] = (struct fake_leaf)INTEL_LEAF_0;
    leaves[1] = (struct fake_leaf){1, 0, {0, 0, xsave, BIT(0)}};
    leaves[2] = one;
    if (one.leaf == 1) {
        one.regs.ecx |= xsave;
        leaves[1] = leaves[2] = one;
    }
    leaves[3] = (struct fake_leaf){0xd, 0, {state, 0, 0, BIT(31)}};
    leaves[4] = END_LEAF;
    if (one.leaf == 7 && one.subleaf == 1)
        leaves[0] = (struct fake_leaf){7, 0, {1, 0, 0, 0}};
    fake_caps(leaves, MAX, EXTENDED, &caps);
    if (enabled)
        *enabled = caps.vector_state;
    return caps.kernel_features;
}

enum { EAX, EBX, ECX, EDX };

static const struct {
    unsigned feature;
    uint32_t leaf, subleaf;
    unsigned reg, bit;
    uint32_t state;
} ROWS[] = {
    /* clang-format off */
    {KERNEL_FEATURE_SSE3, 1, 0, ECX, 0, 0},
    {KERNEL_FEATURE_PCLMULQDQ, 1, 0, ECX, 1, 0},
    {KERNEL_FEATURE_SSSE3, 1, 0, ECX, 9, 0},
    {KERNEL_FEATURE_FMA, 1, 0, ECX, 12, STATE_AVX},
    {KERNEL_FEATURE_CX16, 1, 0, ECX, 13, 0},
    {KERNEL_FEATURE_SSE4_1, 1, 0, ECX, 19, 0},
    {KERNEL_FEATURE_SSE4_2, 1, 0, ECX, 20, 0},
    {KERNEL_FEATURE_MOVBE, 1, 0, ECX, 22, 0},
    {KERNEL_FEATURE_POPCNT, 1, 0, ECX, 23, 0},
    {KERNEL_FEATURE_AES, 1, 0, ECX, 25, 0},
    {KERNEL_FEATURE_AVX, 1, 0, ECX, 28, STATE_AVX},
    {KERNEL_FEATURE_F16C, 1, 0, ECX, 29, STATE_AVX},
    {KERNEL_FEATURE_RDRAND, 1, 0, ECX, 30, 0},
    {KERNEL_FEATURE_BMI1, 7, 0, EBX, 3, 0},
    {KERNEL_FEATURE_AVX2, 7, 0, EBX, 5, STATE_AVX},
    {KERNEL_FEATURE_BMI2, 7, 0, EBX, 8, 0},
    {KERNEL_FEATURE_AVX512F, 7, 0, EBX, 16, STATE_ALL},
    {KERNEL_FEATURE_AVX512DQ, 7, 0, EBX, 17, STATE_ALL},
    {KERNEL_FEATURE_RDSEED, 7, 0, EBX, 18, 0},
    {KERNEL_FEATURE_ADX, 7, 0, EBX, 19, 0},
    {KERNEL_FEATURE_AVX512_IFMA, 7, 0, EBX, 21, STATE_ALL},
    {KERNEL_FEATURE_CLFLUSHOPT, 7, 0, EBX, 23, 0},
    {KERNEL_FEATURE_CLWB, 7, 0, EBX, 24, 0},
    {KERNEL_FEATURE_AVX512CD, 7, 0, EBX, 28, STATE_ALL},
    {KERNEL_FEATURE_SHA, 7, 0, EBX, 29, 0},
    {KERNEL_FEATURE_AVX512BW, 7, 0, EBX, 30, STATE_ALL},
    {KERNEL_FEATURE_AVX512VL, 7, 0, EBX, 31, STATE_ALL},
    {KERNEL_FEATURE_AVX512_VBMI, 7, 0, ECX, 1, STATE_ALL},
    {KERNEL_FEATURE_AVX512_VBMI2, 7, 0, ECX, 6, STATE_ALL},
    {KERNEL_FEATURE_GFNI, 7, 0, ECX, 8, 0},
    {KERNEL_FEATURE_VAES, 7, 0, ECX, 9, STATE_AVX},
    {KERNEL_FEATURE_VPCLMULQDQ, 7, 0, ECX, 10, STATE_AVX},
    {KERNEL_FEATURE_AVX512_VNNI, 7, 0, ECX, 11, STATE_ALL},
    {KERNEL_FEATURE_AVX512_BITALG, 7, 0, ECX, 12, STATE_ALL},
    {KERNEL_FEATURE_AVX512_VPOPCNTDQ, 7, 0, ECX, 14, STATE_ALL},
    {KERNEL_FEATURE_RDPID, 7, 0, ECX, 22, 0},
    {KERNEL_FEATURE_MOVDIRI, 7, 0, ECX, 27, 0},
    {KERNEL_FEATURE_MOVDIR64B, 7, 0, ECX, 28, 0},
    {KERNEL_FEATURE_SERIALIZE, 7, 0, EDX, 14, 0},
    {KERNEL_FEATURE_AVX_VNNI, 7, 1, EAX, 4, STATE_AVX},
    {KERNEL_FEATURE_LZCNT, 0x80000001u, 0, ECX, 5, 0},
    {KERNEL_FEATURE_PREFETCHW, 0x80000001u, 0, ECX, 8, 0},
    {KERNEL_FEATURE_RDTSCP, 0x80000001u, 0, EDX, 27, 0},
    /* clang-format on */
};
#define ROWS_COUNT (sizeof(ROWS) / sizeof(ROWS[0]))

static struct fake_leaf leaf_with(uint32_t leaf, uint32_t subleaf, unsigned reg, uint32_t bits)
{
    uint32_t values[4] = {0};

    values[reg] = bits;
    return (struct fake_leaf){leaf, subleaf, {values[0], values[1], values[2], values[3]}};
}

TEST(each_feature_has_its_bit)
{
    uint64_t seen = 0;

    assert_int_equal(ROWS_COUNT, KERNEL_FEATURES);
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        uint64_t feature = 1ull << ROWS[i].feature;
        struct fake_leaf leaf =
            leaf_with(ROWS[i].leaf, ROWS[i].subleaf, ROWS[i].reg, BIT(ROWS[i].bit));

        if (features_of(leaf, XSAVE, STATE_ALL, NULL) != feature)
            fail_msg("%s", cpu_feature_name(ROWS[i].feature));
        seen |= feature;
    }
    assert_int_equal(seen, (1ull << KERNEL_FEATURES) - 1);
}

TEST(other_bits_are_no_features)
{
    static const uint32_t LEAVES[][2] = {{1, 0}, {7, 0}, {7, 1}, {0x80000001u, 0}};

    for (size_t l = 0; l < sizeof(LEAVES) / sizeof(LEAVES[0]); l++) {
        for (unsigned reg = LEAVES[l][0] == 7 ? EBX : EAX; reg <= EDX; reg++) {
            uint32_t others = ~0u;

            for (size_t i = 0; i < ROWS_COUNT; i++)
                if (ROWS[i].leaf == LEAVES[l][0] && ROWS[i].subleaf == LEAVES[l][1] &&
                    ROWS[i].reg == reg)
                    others &= ~BIT(ROWS[i].bit);
            assert_int_equal(features_of(leaf_with(LEAVES[l][0], LEAVES[l][1], reg, others), XSAVE,
                                         STATE_ALL, NULL),
                             0);
        }
    }
}

/* A feature with registers of its own needs XSAVE, and the registers' state must be enabled. */
TEST(registers_need_their_state)
{
    static const struct {
        uint32_t xsave, possible, enabled;
    } STATES[] = {
        {0, STATE_ALL, 0},        {XSAVE, 0, 0},
        {XSAVE, 0x03, 0},         {XSAVE, 0x05, 0},
        {XSAVE, 0xe3, 0},         {XSAVE, STATE_AVX, STATE_AVX},
        {XSAVE, 0xff, STATE_ALL}, {XSAVE, 0x67, STATE_AVX},
        {XSAVE, 0xa7, STATE_AVX}, {XSAVE, 0xc7, STATE_AVX},
        {XSAVE, 0x1f, STATE_AVX}, {XSAVE, STATE_ALL, STATE_ALL},
    };

    for (size_t s = 0; s < sizeof(STATES) / sizeof(STATES[0]); s++) {
        for (size_t i = 0; i < ROWS_COUNT; i++) {
            struct fake_leaf leaf =
                leaf_with(ROWS[i].leaf, ROWS[i].subleaf, ROWS[i].reg, BIT(ROWS[i].bit));
            bool can = (ROWS[i].state & ~STATES[s].enabled) == 0;
            uint32_t enabled;
            uint64_t got = features_of(leaf, STATES[s].xsave, STATES[s].possible, &enabled);

            assert_int_equal(enabled, STATES[s].enabled);
            if (got != (can ? 1ull << ROWS[i].feature : 0))
                fail_msg("%s with state %x", cpu_feature_name(ROWS[i].feature), STATES[s].possible);
        }
    }
}

/* CPUs return junk for absent subleaves. */
TEST(a_subleaf_that_is_not_there)
{
    struct fake_leaf leaves[] = {INTEL_LEAF_0,
                                 {1, 0, {0, 0, XSAVE, 0}},
                                 {7, 0, {0, 0, 0, BIT(31)}},
                                 {7, 1, {BIT(4), 0, 0, 0}},
                                 {0xd, 0, {STATE_ALL, 0, 0, 0}},
                                 END_LEAF};
    struct cpu_caps caps;

    fake_caps(leaves, MAX, EXTENDED, &caps);
    assert_int_equal(caps.kernel_features, 0);
    leaves[2].regs.eax = 1;
    fake_caps(leaves, MAX, EXTENDED, &caps);
    assert_int_equal(caps.kernel_features, KERNEL_NEEDS(AVX_VNNI));
}

/* pmu/ includes no headers of kernels/, so both folders list the names of the features. */
TEST(names_are_those_of_the_kernels)
{
    static const char *const NAMES[] = {
#define FEATURE_NAME(bit, name, text) [bit] = text,
        KERNEL_FEATURE_LIST(FEATURE_NAME)
#undef FEATURE_NAME
    };

    assert_int_equal(CPU_FEATURES_COUNT, KERNEL_FEATURES);
    for (unsigned i = 0; i < KERNEL_FEATURES; i++)
        assert_string_equal(cpu_feature_name(i), NAMES[i]);
    assert_null(cpu_feature_name(KERNEL_FEATURES));
}

TEST(words)
{
    assert_written(cpu_features_words(0, &out), "");
    assert_written(
        cpu_features_words(KERNEL_NEEDS(RDPID) | KERNEL_NEEDS(SHA) | KERNEL_NEEDS(AVX), &out),
        "avx, sha, rdpid");
}

TEST(lacks)
{
    const struct cpu_caps caps = {.kernel_features = KERNEL_NEEDS(AVX) | KERNEL_NEEDS(SHA)};

    assert_int_equal(caps_lacks(&caps, 0), 0);
    assert_int_equal(caps_lacks(&caps, KERNEL_NEEDS(SHA)), 0);
    assert_int_equal(caps_lacks(&caps, KERNEL_NEEDS(SHA) | KERNEL_NEEDS(RDPID)),
                     KERNEL_NEEDS(RDPID));
}
