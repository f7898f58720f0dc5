/* SPDX-License-Identifier: BSD-2-Clause */
/* Core complexes and dies of AMD's and Hygon's CPUs. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/cpuid.h"
#include "pmu/cpu/zen.h"

#define LEAVES_MAX 14

#define EXTENSIONS                                                                                 \
    {                                                                                              \
        0x80000001u, 0,                                                                            \
        {                                                                                          \
            0, 0, BIT(22), 0                                                                       \
        }                                                                                          \
    }
#define LEVEL26(i, shift, kind)                                                                    \
    {                                                                                              \
        0x80000026u, i,                                                                            \
        {                                                                                          \
            shift, 1, (kind) << 8 | (i), 0                                                         \
        }                                                                                          \
    }
#define CACHE(i, level, cpus)                                                                      \
    {                                                                                              \
        0x8000001du, i,                                                                            \
        {                                                                                          \
            ((cpus)-1) << 14 | (level) << 5 | 3, 0, 0, 0                                           \
        }                                                                                          \
    }
#define NODE(ecx)                                                                                  \
    {                                                                                              \
        0x8000001eu, 0,                                                                            \
        {                                                                                          \
            0, 1, ecx, 0                                                                           \
        }                                                                                          \
    }
#define ID(value, bits)                                                                            \
    {0xb, 0, {1, 2, 0x100, value}}, {0xb, 1, {bits, 9, 0x201, value}},                             \
    {                                                                                              \
        0xb, 2,                                                                                    \
        {                                                                                          \
            0, 0, 2, value                                                                         \
        }                                                                                          \
    }
#define SIGNATURE(value)                                                                           \
    {                                                                                              \
        1, 0,                                                                                      \
        {                                                                                          \
            value, 0, 0, 0                                                                         \
        }                                                                                          \
    }

/*
 * The leaves are as in InstLatx64's files of these CPUs, with the APIC IDs of their later CPUs. In
 * most rows the package has eight bits of the APIC ID, so 3xxH is in package 3.
 */
static const struct {
    const char *row;
    struct fake_leaf leaves[LEAVES_MAX];
    struct zen_place is;
} ROWS[] = {
    {"Bergamo: two complexes on a die",
     {AMD_LEAF_0, SIGNATURE(0xaa0f02), ID(0x372, 8), EXTENSIONS, CACHE(3, 3, 16), NODE(0),
      LEVEL26(0, 1, 1), LEVEL26(1, 4, 2), LEVEL26(2, 5, 3), LEVEL26(3, 8, 4), END},
     {true, true, 7, 3}},
    {"Genoa: IDs for 16 CPUs in a complex of 8, which the L3 does not tell",
     {AMD_LEAF_0, SIGNATURE(0xa10f11), ID(0x25, 6), EXTENSIONS, CACHE(3, 3, 8), NODE(0),
      LEVEL26(0, 1, 1), LEVEL26(1, 4, 2), LEVEL26(2, 4, 3), LEVEL26(3, 6, 4), END},
     {true, true, 2, 2}},
    {"a level that is not known, and no die",
     {AMD_LEAF_0, SIGNATURE(0xa10f11), ID(0x25, 6), LEVEL26(0, 3, 5), LEVEL26(1, 4, 2), END},
     {true, false, 2, 0}},
    {"reserved bits of the shift and of the level",
     {AMD_LEAF_0, SIGNATURE(0xa10f11), ID(0x25, 6), LEVEL26(0, 0xc0000004, 0xffff02u), END},
     {true, false, 2, 0}},
    {"Matisse: six CPUs share an L3",
     {AMD_LEAF_0, SIGNATURE(0x870f10), ID(0x1d, 7), EXTENSIONS, CACHE(0, 1, 2), CACHE(1, 1, 2),
      CACHE(2, 2, 2), CACHE(3, 3, 6), NODE(0), END},
     {true, false, 3, 0}},
    {"Milan: the node is the socket",
     {AMD_LEAF_0, SIGNATURE(0xa00f11), ID(0x1ff, 7), EXTENSIONS, CACHE(0, 3, 16), NODE(1), END},
     {true, false, 7, 0}},
    {"Naples, second socket: node 6 of four a package is die 2",
     {AMD_LEAF_0, SIGNATURE(0x800f12), ID(0x6b, 6), EXTENSIONS, CACHE(0, 3, 8), NODE(0x306), END},
     {true, true, 5, 2}},
    {"family 17H, model 50H is a Zen 1",
     {AMD_LEAF_0, SIGNATURE(0x850f00), ID(3, 3), EXTENSIONS, CACHE(0, 3, 8), NODE(0), END},
     {true, true, 0, 0}},
    {"family 17H, model 60H is not",
     {AMD_LEAF_0, SIGNATURE(0x860f01), ID(3, 3), EXTENSIONS, CACHE(0, 3, 8), NODE(0), END},
     {true, false, 0, 0}},
    {"Hygon",
     {HYGON_LEAF_0, SIGNATURE(0x900f02), ID(0xd, 4), EXTENSIONS, CACHE(0, 3, 8), NODE(0), END},
     {true, true, 1, 0}},
    {"no topology extensions",
     {AMD_LEAF_0, SIGNATURE(0x800f12), ID(5, 4), CACHE(0, 3, 4), NODE(0x101), END},
     {false, false, 0, 0}},
    {"no L3",
     {AMD_LEAF_0, SIGNATURE(0xa00f11), ID(5, 4), EXTENSIONS, CACHE(0, 2, 2), END},
     {false, false, 0, 0}},
    {"a family before Zen",
     {AMD_LEAF_0, SIGNATURE(0x730f01), ID(5, 4), EXTENSIONS, CACHE(0, 3, 4), NODE(0), END},
     {false, false, 0, 0}},
    {"Intel",
     {INTEL_LEAF_0, SIGNATURE(0x806f8), ID(5, 4), EXTENSIONS, CACHE(0, 3, 4), LEVEL26(0, 4, 2),
      END},
     {false, false, 0, 0}},
};

TEST(complexes_and_dies)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct zen_place *is = &ROWS[i].is;
        struct zen_place found;
        struct cpu_caps caps;

        fake_caps(ROWS[i].leaves, 0x1f, 0x80000026u, &caps);
        zen_place(fake_cpuid, &caps, &found);
        if (found.has_ccx != is->has_ccx || found.has_ccd != is->has_ccd || found.ccx != is->ccx ||
            found.ccd != is->ccd)
            fail_msg("%s: ccx %d %u, ccd %d %u", ROWS[i].row, found.has_ccx, found.ccx,
                     found.has_ccd, found.ccd);
    }
}
