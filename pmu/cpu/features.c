/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects CPU features. */
#include "pmu/cpu/features.h"

#define XCR0_AVX    0x07u /* x87, SSE, YMM */
#define XCR0_AVX512 0xe7u /* also opmask and ZMM registers */
#define XSAVE_BIT   26    /* CPUID.1:ECX */

#define AVX    XCR0_AVX
#define AVX512 XCR0_AVX512

enum { EAX, EBX, ECX, EDX };

static const struct cpu_feature {
    const char *name;
    uint32_t leaf;
    uint8_t subleaf;
    uint8_t reg;
    uint8_t bit;
    uint8_t state; /* needed bits of XCR0 */
} FEATURES[] = {
    /* clang-format off */
    {"avx", 0x1, 0, ECX, 28, AVX},
    {"avx2", 0x7, 0, EBX, 5, AVX},
    {"sse3", 0x1, 0, ECX, 0, 0},
    {"ssse3", 0x1, 0, ECX, 9, 0},
    {"sse4_1", 0x1, 0, ECX, 19, 0},
    {"sse4_2", 0x1, 0, ECX, 20, 0},
    {"popcnt", 0x1, 0, ECX, 23, 0},
    {"lzcnt", 0x80000001u, 0, ECX, 5, 0},
    {"bmi1", 0x7, 0, EBX, 3, 0},
    {"bmi2", 0x7, 0, EBX, 8, 0},
    {"adx", 0x7, 0, EBX, 19, 0},
    {"movbe", 0x1, 0, ECX, 22, 0},
    {"aes", 0x1, 0, ECX, 25, 0},
    {"pclmulqdq", 0x1, 0, ECX, 1, 0},
    {"sha", 0x7, 0, EBX, 29, 0},
    {"fma", 0x1, 0, ECX, 12, AVX},
    {"f16c", 0x1, 0, ECX, 29, AVX},
    {"gfni", 0x7, 0, ECX, 8, 0},
    {"vaes", 0x7, 0, ECX, 9, AVX},
    {"vpclmulqdq", 0x7, 0, ECX, 10, AVX},
    {"avx512f", 0x7, 0, EBX, 16, AVX512},
    {"avx512bw", 0x7, 0, EBX, 30, AVX512},
    {"avx512dq", 0x7, 0, EBX, 17, AVX512},
    {"avx512vl", 0x7, 0, EBX, 31, AVX512},
    {"avx512cd", 0x7, 0, EBX, 28, AVX512},
    {"avx512_ifma", 0x7, 0, EBX, 21, AVX512},
    {"avx512_vbmi", 0x7, 0, ECX, 1, AVX512},
    {"avx512_vbmi2", 0x7, 0, ECX, 6, AVX512},
    {"avx512_vnni", 0x7, 0, ECX, 11, AVX512},
    {"avx512_bitalg", 0x7, 0, ECX, 12, AVX512},
    {"avx512_vpopcntdq", 0x7, 0, ECX, 14, AVX512},
    {"avx_vnni", 0x7, 1, EAX, 4, AVX},
    {"cx16", 0x1, 0, ECX, 13, 0},
    {"rdrand", 0x1, 0, ECX, 30, 0},
    {"rdseed", 0x7, 0, EBX, 18, 0},
    {"clflushopt", 0x7, 0, EBX, 23, 0},
    {"clwb", 0x7, 0, EBX, 24, 0},
    {"prefetchw", 0x80000001u, 0, ECX, 8, 0},
    {"serialize", 0x7, 0, EDX, 14, 0},
    {"movdiri", 0x7, 0, ECX, 27, 0},
    {"movdir64b", 0x7, 0, ECX, 28, 0},
    {"rdtscp", 0x80000001u, 0, EDX, 27, 0},
    {"rdpid", 0x7, 0, ECX, 22, 0},
    /* clang-format on */
};
_Static_assert(sizeof(FEATURES) / sizeof(FEATURES[0]) == CPU_FEATURES_COUNT, "bits of the mask");

static uint32_t register_of(cpuid_read *cpuid, uint32_t leaf, uint32_t subleaf, unsigned reg)
{
    struct cpuid_regs regs = cpuid_leaf(cpuid, leaf, subleaf);
    const uint32_t values[4] = {regs.eax, regs.ebx, regs.ecx, regs.edx};

    /* CPUID.7.0:EAX gives the highest subleaf of leaf 7 */
    if (subleaf > cpuid_leaf(cpuid, leaf, 0).eax)
        return 0;
    return values[reg];
}

/* CPUID.0DH:EAX gives the supported bits of XCR0. ZMM state requires YMM state. */
static uint32_t vector_state(cpuid_read *cpuid)
{
    uint32_t possible = cpuid_leaf(cpuid, 0xd, 0).eax;

    if (!(cpuid_leaf(cpuid, 1, 0).ecx >> XSAVE_BIT & 1) || (possible & XCR0_AVX) != XCR0_AVX)
        return 0;
    return (possible & XCR0_AVX512) == XCR0_AVX512 ? XCR0_AVX512 : XCR0_AVX;
}

void cpu_features_read(cpuid_read *cpuid, struct cpu_caps *caps)
{
    caps->vector_state = vector_state(cpuid);
    for (unsigned i = 0; i < CPU_FEATURES_COUNT; i++) {
        const struct cpu_feature *f = &FEATURES[i];
        bool promised = register_of(cpuid, f->leaf, f->subleaf, f->reg) >> f->bit & 1;

        if (promised && (f->state & ~caps->vector_state) == 0)
            caps->kernel_features |= 1ull << i;
    }
}

const char *cpu_feature_name(unsigned bit)
{
    return bit < CPU_FEATURES_COUNT ? FEATURES[bit].name : 0;
}

void cpu_features_words(uint64_t mask, struct out *out)
{
    bool first = true;

    for (unsigned i = 0; i < CPU_FEATURES_COUNT; i++) {
        if (!(mask >> i & 1))
            continue;
        out_printf(out, "%s%s", first ? "" : ", ", FEATURES[i].name);
        first = false;
    }
}
