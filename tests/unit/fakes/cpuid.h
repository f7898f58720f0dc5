/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUID from a table. A leaf above the highest one returns junk, and a lower leaf that is not in
 * the table returns zeros.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_CPUID_H
#define BARECOUNT_TESTS_UNIT_FAKES_CPUID_H

#include "pmu/cpu/caps.h"

#define FAKE_EXTENDED 0x80000000u

struct fake_leaf {
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
};

static const struct fake_leaf *fake_leaves; /* ends with zeros */
static uint32_t fake_max_leaf, fake_max_extended;

static inline bool fake_is_end(const struct fake_leaf *leaf)
{
    return !(leaf->regs.eax | leaf->regs.ebx | leaf->regs.ecx | leaf->regs.edx);
}

static inline void fake_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    uint32_t max = leaf & FAKE_EXTENDED ? fake_max_extended : fake_max_leaf;

    *regs = (struct cpuid_regs){0};
    for (const struct fake_leaf *l = fake_leaves; !fake_is_end(l); l++)
        if (l->leaf == leaf && l->subleaf == subleaf)
            *regs = l->regs;
    if (leaf == 0 || leaf == FAKE_EXTENDED)
        regs->eax = max;
    else if (leaf > max)
        *regs = (struct cpuid_regs){0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu};
}

static inline void fake_caps(const struct fake_leaf *leaves, uint32_t max_leaf,
                             uint32_t max_extended, struct cpu_caps *caps)
{
    fake_leaves = leaves;
    fake_max_leaf = max_leaf;
    fake_max_extended = max_extended;
    caps_read(fake_cpuid, caps);
}

/* The names are those of the manuals' leaves and fields. */
/* clang-format off */
#define INTEL_LEAF_0 {0, 0, {0, 0x756e6547u, 0x6c65746eu, 0x49656e69u}} /* "GenuineIntel" */
#define AMD_LEAF_0   {0, 0, {0, 0x68747541u, 0x444d4163u, 0x69746e65u}} /* "AuthenticAMD" */
#define HYGON_LEAF_0 {0, 0, {0, 0x6f677948u, 0x656e6975u, 0x6e65476eu}} /* "HygonGenuine" */
#define END          {0, 0, {0}}
/* clang-format on */
#define BIT(n) (1u << (n))
#define PMU_EAX(version, count, width, events)                                                     \
    ((version) | (uint32_t)(count) << 8 | (uint32_t)(width) << 16 | (uint32_t)(events) << 24)
#define PMU_EDX(fixed, width) ((fixed) | (uint32_t)(width) << 5)
#define ANY_GONE              BIT(15)
#define LEVEL(number, type)   ((number) | (uint32_t)(type) << 8) /* ECX of leaves 0BH and 1FH */
#define LEVEL_SMT             1u
#define LEVEL_CORE            2u
#define LEVEL_DIE             5u
#define TEXT4(a, b, c, d)                                                                          \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

#endif
