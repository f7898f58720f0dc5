/* SPDX-License-Identifier: BSD-2-Clause */
/* Core complexes, dies and the names of the cores of AMD's and Hygon's CPUs. */
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
 * Leaves are from InstLatx64's files of these products, with other APIC IDs. ID() takes an APIC ID,
 * and the number of its low bits that identify the CPU in the package.
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
    {"Genoa: a complex of 8 CPUs has 16 APIC IDs, as only leaf 26H tells",
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
    {"Naples, second socket: with four nodes in a package, node 6 is die 2",
     {AMD_LEAF_0, SIGNATURE(0x800f12), ID(0x6b, 6), EXTENSIONS, CACHE(0, 3, 8), NODE(0x306), END},
     {true, true, 5, 2}},
    {"family 17H, model 50H is a Zen 1",
     {AMD_LEAF_0, SIGNATURE(0x850f00), ID(3, 3), EXTENSIONS, CACHE(0, 3, 8), NODE(0), END},
     {true, true, 0, 0}},
    {"family 17H, model 60H is not a Zen 1",
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

/* Models: AMD's revision guides and PPRs. */
TEST(names_of_cores)
{
    static const struct {
        uint32_t family, model, type; /* 0: CPUID reports no core type */
        const char *core, *all;
    } NAMES[] = {
        {0x17, 0x01, 0, "Zen", "Zen"},                          /* Naples */
        {0x17, 0x18, 0, "Zen", "Zen"},                          /* Picasso */
        {0x17, 0x31, 0, "Zen 2", "Zen 2"},                      /* Rome */
        {0x17, 0x50, 0, "Zen", "Zen"},                          /* Dali */
        {0x17, 0xa0, 0, "Zen 2", "Zen 2"},                      /* Mendocino */
        {0x18, 0x00, 0, "", ""},                                /* not AMD's */
        {0x19, 0x01, 0, "Zen 3", "Zen 3"},                      /* Milan */
        {0x19, 0x11, 0, "Zen 4", "Zen 4"},                      /* Genoa */
        {0x19, 0x21, 0, "Zen 3", "Zen 3"},                      /* Vermeer */
        {0x19, 0x50, 0, "Zen 3", "Zen 3"},                      /* Cezanne */
        {0x19, 0x61, 0, "Zen 4", "Zen 4"},                      /* Raphael */
        {0x19, 0x75, 0, "Zen 4", "Zen 4"},                      /* Phoenix */
        {0x19, 0x78, 0, "Zen 4 or Zen 4c", "Zen 4 and Zen 4c"}, /* Phoenix 2 */
        {0x19, 0xa0, 0, "Zen 4c", "Zen 4c"},                    /* Bergamo, Siena */
        {0x1a, 0x02, 0, "Zen 5", "Zen 5"},                      /* Turin */
        {0x1a, 0x11, 0, "Zen 5c", "Zen 5c"},                    /* Turin Dense */
        {0x1a, 0x24, 0, "Zen 5 or Zen 5c", "Zen 5 and Zen 5c"}, /* Strix Point */
        {0x1a, 0x24, CORE_TYPE_PERFORMANCE, "Zen 5", "Zen 5 and Zen 5c"},
        {0x1a, 0x24, CORE_TYPE_EFFICIENCY, "Zen 5c", "Zen 5 and Zen 5c"},
        {0x1a, 0x44, 0, "Zen 5", "Zen 5"},                                /* Granite Ridge */
        {0x1a, 0x60, CORE_TYPE_EFFICIENCY, "Zen 5c", "Zen 5 and Zen 5c"}, /* Krackan Point */
        {0x1a, 0x70, 0, "Zen 5", "Zen 5"},                                /* Strix Halo */
        {0x1a, 0x50, 0, "", ""},                                          /* not known */
        {0x16, 0x00, 0, "", ""},
    };
    struct cpu_caps hygon = {.vendor = VENDOR_AMD, .vendor_id = VENDOR_ID_HYGON, .family = 0x18};

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        const struct cpu_caps caps = {.vendor = VENDOR_AMD,
                                      .family = NAMES[i].family,
                                      .model = NAMES[i].model,
                                      .core_type = (uint16_t)NAMES[i].type,
                                      .features = NAMES[i].type ? FEATURE_HYBRID : 0};

        assert_string_equal(zen_core_name(&caps), NAMES[i].core);
        assert_string_equal(zen_cores_name(&caps), NAMES[i].all);
    }
    assert_string_equal(zen_core_name(&hygon), "Zen");
    assert_string_equal(zen_core_name(&(struct cpu_caps){.family = 0x19}), "");
}
