/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the topology of AMD's CPUs from CPUID, and names their cores. */
#include "pmu/cpu/zen.h"

#define LEAF_CACHES 0x8000001du
#define LEAF_NODE   0x8000001eu
#define LEAF_LEVELS 0x80000026u
#define LEVELS_MAX  8u

enum { LEVEL_NONE, LEVEL_CORE, LEVEL_COMPLEX, LEVEL_DIE, LEVEL_SOCKET };

static bool is_zen_1(const struct cpu_caps *caps)
{
    return caps->family == FAMILY_HYGON ||
           (caps->family == 0x17 && (caps->model < 0x30 || (caps->model & 0xf0) == 0x50));
}

/*
 * CPUID.80000026H:
 * EAX: bits 4:0: shifting an extended APIC ID right by this number gives the number of the unit
 * ECX: bits 15:8: level of the unit
 */
static void read_levels(cpuid_read *cpuid, uint32_t in_package, struct zen_place *place)
{
    for (uint32_t i = 0; i < LEVELS_MAX; i++) {
        const struct cpuid_regs r = cpuid_leaf(cpuid, LEAF_LEVELS, i);
        const uint32_t number = in_package >> (r.eax & 0x1f);

        switch (r.ecx >> 8 & 0xff) {
        case LEVEL_NONE:
            return;
        case LEVEL_COMPLEX:
            place->has_ccx = true;
            place->ccx = number;
            break;
        case LEVEL_DIE:
            place->has_ccd = true;
            place->ccd = number;
            break;
        default:
            break;
        }
    }
}

/*
 * CPUID.8000001DH, EAX of an L3: bits 25:14 are the number of CPUs that share the L3, minus 1.
 * Rounding this number of CPUs up to a power of two gives 2^n. CPUs share an L3 if their APIC IDs
 * >> n are equal.
 */
static void read_l3(cpuid_read *cpuid, uint32_t in_package, struct zen_place *place)
{
    for (uint32_t i = 0; i < CPU_CACHES_MAX; i++) {
        const uint32_t eax = cpuid_leaf(cpuid, LEAF_CACHES, i).eax;
        const uint32_t sharing = (eax >> 14 & 0xfff) + 1;
        uint32_t shift = 0;

        if ((eax & 0x1f) == CACHE_NONE)
            return;
        if ((eax >> 5 & 7) != 3)
            continue;
        while (1u << shift < sharing)
            shift++;
        place->has_ccx = true;
        place->ccx = in_package >> shift;
    }
}

/*
 * CPUID.8000001EH, ECX: bits 7:0 are the node's number, counted across all packages. Bits 10:8 are
 * the number of nodes in a package, minus 1.
 */
static void read_node(cpuid_read *cpuid, struct zen_place *place)
{
    const uint32_t ecx = cpuid_leaf(cpuid, LEAF_NODE, 0).ecx;

    place->has_ccd = true;
    place->ccd = (ecx & 0xff) % ((ecx >> 8 & 7) + 1);
}

void zen_place(cpuid_read *cpuid, const struct cpu_caps *caps, struct zen_place *place)
{
    const uint32_t in_package = caps->core << caps->smt_shift | caps->thread;

    *place = (struct zen_place){0};
    if (!caps_is_zen(caps))
        return;
    read_levels(cpuid, in_package, place);
    if (!(cpuid_leaf(cpuid, 0x80000001u, 0).ecx >> 22 & 1)) /* topology extensions */
        return;
    if (!place->has_ccx)
        read_l3(cpuid, in_package, place);
    if (!place->has_ccd && is_zen_1(caps))
        read_node(cpuid, place);
}

/* The generations follow Linux's arch/x86/kernel/cpu/amd.c. */
static const struct name {
    uint8_t family, first, last;
    const char *core; /* name if CPUID does not give the kind of core */
    const char *big, *dense;
    const char *all;
} NAMES[] = {
#define ONE(name)        name, name, name, name
#define BOTH(big, dense) big " or " dense, big, dense, big " and " dense
    {0x17, 0x00, 0x2f, ONE("Zen")},         {0x17, 0x50, 0x5f, ONE("Zen")},
    {FAMILY_HYGON, 0x00, 0xff, ONE("Zen")}, {0x17, 0x30, 0x4f, ONE("Zen 2")},
    {0x17, 0x60, 0xff, ONE("Zen 2")},       {0x19, 0x00, 0x0f, ONE("Zen 3")},
    {0x19, 0x20, 0x5f, ONE("Zen 3")},       {0x19, 0x10, 0x1f, ONE("Zen 4")},
    {0x19, 0x60, 0x77, ONE("Zen 4")},       {0x19, 0x78, 0x7f, BOTH("Zen 4", "Zen 4c")},
    {0x19, 0xa0, 0xaf, ONE("Zen 4c")},      {0x1a, 0x00, 0x0f, ONE("Zen 5")},
    {0x1a, 0x10, 0x1f, ONE("Zen 5c")},      {0x1a, 0x20, 0x2f, BOTH("Zen 5", "Zen 5c")},
    {0x1a, 0x40, 0x4f, ONE("Zen 5")},       {0x1a, 0x60, 0x6f, BOTH("Zen 5", "Zen 5c")},
    {0x1a, 0x70, 0x7f, ONE("Zen 5")},
};

static const struct name *name_of(const struct cpu_caps *caps)
{
    static const struct name NONE = {0, 0, 0, ONE("")};

    for (unsigned i = 0; caps_is_zen(caps) && i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (NAMES[i].family == caps->family && caps->model >= NAMES[i].first &&
            caps->model <= NAMES[i].last)
            return &NAMES[i];
    return &NONE;
}

const char *zen_core_name(const struct cpu_caps *caps)
{
    const struct name *name = name_of(caps);

    if (caps_hybrid_type(caps) == CORE_TYPE_PERFORMANCE)
        return name->big;
    return caps_hybrid_type(caps) == CORE_TYPE_EFFICIENCY ? name->dense : name->core;
}

const char *zen_cores_name(const struct cpu_caps *caps)
{
    return name_of(caps)->all;
}
