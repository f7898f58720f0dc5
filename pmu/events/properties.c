/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognizes the events that count a property. */
#include "pmu/events/properties.h"
#include "pmu/cpu/zen.h"

/* Cores with the same encodings. */
#define NEHALEM      (1u << 0) /* and Westmere */
#define SANDY_BRIDGE (1u << 1) /* and Ivy Bridge */
#define BROADWELL    (1u << 2)
#define SKYLAKE      (1u << 3) /* to Comet Lake */
#define ICE_LAKE     (1u << 4) /* to Rocket Lake */
#define LION_COVE    (1u << 5)
#define COUGAR_COVE  (1u << 6)
#define SILVERMONT   (1u << 7) /* and Knights Landing */
#define SKYMONT      (1u << 8)
#define DARKMONT     (1u << 9)
#define ARCTIC_WOLF  (1u << 10)
#define ZEN          (1u << 11)
#define COYOTE_COVE  (1u << 12)
#define GOLDEN_COVE  (1u << 13) /* and Redwood Cove */
#define GOLDMONT     (1u << 14) /* to Tremont */
#define GRACEMONT    (1u << 15) /* and Crestmont */
#define HASWELL      (1u << 16)

#define SANDY_BRIDGE_TO_SKYLAKE    (SANDY_BRIDGE | HASWELL | BROADWELL | SKYLAKE)
#define ICE_LAKES                  (ICE_LAKE | GOLDEN_COVE)
#define SANDY_BRIDGE_TO_LION_COVE  (SANDY_BRIDGE_TO_SKYLAKE | ICE_LAKES | LION_COVE)
#define COUGAR_COVES               (COUGAR_COVE | COYOTE_COVE)
#define SKYLAKE_TO_COYOTE_COVE     (SKYLAKE | ICE_LAKES | LION_COVE | COUGAR_COVES)
#define BROADWELL_TO_COYOTE_COVE   (BROADWELL | SKYLAKE_TO_COYOTE_COVE)
#define GOLDEN_COVE_TO_COYOTE_COVE (GOLDEN_COVE | LION_COVE | COUGAR_COVES)
#define ATOMS                      (SILVERMONT | GOLDMONT | GRACEMONT | SKYMONT)
#define GOLDMONT_TO_DARKMONT       (GOLDMONT | GRACEMONT | SKYMONT | DARKMONT)
#define SANDY_BRIDGE_TO_COYOTE_COVE                                                                \
    (SANDY_BRIDGE_TO_SKYLAKE | GOLDEN_COVE_TO_COYOTE_COVE | ICE_LAKE)

/*
 * Intel's cores by family and model, from Intel perfmon's mapfile.csv. perfmon lacks Lakefield
 * (8AH), NNP-I (9DH) and Bartlett Lake (D7H), which have cores of the other models in their row.
 */
static const struct models {
    uint32_t core, atom; /* `atom`: cores whose CPUID.1AH says that they are Atoms */
    uint8_t family;
    uint8_t model[15]; /* 0: end */
} MODELS[] = {
    {NEHALEM, 0, 6, {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f}},
    {SANDY_BRIDGE, 0, 6, {0x2a, 0x2d, 0x3a, 0x3e}},
    {HASWELL, 0, 6, {0x3c, 0x3f, 0x45, 0x46}},
    {BROADWELL, 0, 6, {0x3d, 0x47, 0x4f, 0x56}},
    {SKYLAKE, 0, 6, {0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6}},
    {ICE_LAKE, GOLDMONT, 6, {0x7d, 0x7e, 0x6a, 0x6c, 0x8a, 0x8c, 0x8d, 0x9d, 0xa7}},
    {GOLDEN_COVE, GRACEMONT, 6, {0x97, 0x9a, 0xb7, 0xba, 0xbf, 0x8f, 0xcf, 0xd7}},
    {GOLDEN_COVE, GRACEMONT, 6, {0xaa, 0xac, 0xb5, 0xad, 0xae}},
    {LION_COVE, SKYMONT, 6, {0xbd, 0xc6}},
    {LION_COVE, GRACEMONT, 6, {0xc5}}, /* has Skymonts and Crestmonts */
    {COUGAR_COVE, DARKMONT, 6, {0xcc, 0xd5, 0xe5}},
    {COYOTE_COVE, ARCTIC_WOLF, 18, {0x01, 0x03}},
    {SILVERMONT, SILVERMONT, 6, {0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x57, 0x85}},
    {GOLDMONT, GOLDMONT, 6, {0x5c, 0x5f, 0x7a, 0x86, 0x96, 0x9c}},
    {GRACEMONT, GRACEMONT, 6, {0xbe, 0xaf, 0xb6}},
    {DARKMONT, DARKMONT, 6, {0xdd}},
};

#define SPECULATIVE 0x80u /* the event also counts on mispredicted paths */
_Static_assert(PROPERTY_NUMBERS <= SPECULATIVE, "a bit of its own");

/*
 * Sources: Intel perfmon's *_core.json; AMD's PPRs, "Core Performance Monitor Counters". Event C7H
 * counts a fused multiplication twice; Coyote Cove's event C8H, FP_ARITH_INST_RETIRED, is another.
 */
static const struct shown {
    uint32_t code; /* event, unit mask at bit 8; Intel: UMASK2 at bit 16 */
    uint32_t cores;
    uint8_t property; /* with SPECULATIVE or not */
} SHOWN[] = {
    {0x001c4, NEHALEM | SANDY_BRIDGE_TO_SKYLAKE, PROPERTY_CONDITIONAL_BRANCHES},
    {0x011c4, ICE_LAKES, PROPERTY_CONDITIONAL_BRANCHES},
    {0x111c4, LION_COVE, PROPERTY_CONDITIONAL_BRANCHES},
    {0x007c4, COUGAR_COVES | DARKMONT, PROPERTY_CONDITIONAL_BRANCHES},
    {0x07ec4, ATOMS, PROPERTY_CONDITIONAL_BRANCHES},
    {0x000d1, ZEN, PROPERTY_CONDITIONAL_BRANCHES},
    {0x001c4, ICE_LAKES, PROPERTY_CONDITIONAL_TAKEN},
    {0x101c4, LION_COVE, PROPERTY_CONDITIONAL_TAKEN},
    {0x003c4, COUGAR_COVES | DARKMONT | ARCTIC_WOLF, PROPERTY_CONDITIONAL_TAKEN},
    {0x0fec4, ATOMS, PROPERTY_CONDITIONAL_TAKEN},
    {0x010c4, SANDY_BRIDGE_TO_LION_COVE, PROPERTY_NOT_TAKEN},
    {0x07fc4, SKYMONT, PROPERTY_NOT_TAKEN},
    {0x004c4, COUGAR_COVES | DARKMONT | ARCTIC_WOLF, PROPERTY_NOT_TAKEN},
    {0x002c4, NEHALEM | SANDY_BRIDGE_TO_LION_COVE, PROPERTY_NEAR_CALLS},
    {0x030c4, COUGAR_COVES | DARKMONT, PROPERTY_NEAR_CALLS},
    {0x0f9c4, ATOMS, PROPERTY_NEAR_CALLS},
    {0x008c4, SANDY_BRIDGE_TO_LION_COVE | COUGAR_COVES | DARKMONT, PROPERTY_NEAR_RETURNS},
    {0x0f7c4, ATOMS, PROPERTY_NEAR_RETURNS},
    {0x000c8, ZEN, PROPERTY_NEAR_RETURNS},
    {0x080c4, ICE_LAKES | LION_COVE, PROPERTY_INDIRECT_BRANCHES},
    {0x050c4, COUGAR_COVES | DARKMONT, PROPERTY_INDIRECT_BRANCHES},
    {0x0ebc4, ATOMS, PROPERTY_INDIRECT_BRANCHES},
    {0x040c4, SANDY_BRIDGE_TO_LION_COVE, PROPERTY_FAR_BRANCHES},
    {0x100c4, COUGAR_COVES, PROPERTY_FAR_BRANCHES},
    {0x0bfc4, ATOMS, PROPERTY_FAR_BRANCHES},
    {0x000c6, ZEN, PROPERTY_FAR_BRANCHES},
    {0x002c0, SKYLAKE_TO_COYOTE_COVE, PROPERTY_NOPS},
    {0x021d0, SANDY_BRIDGE_TO_COYOTE_COVE | GOLDMONT_TO_DARKMONT, PROPERTY_LOCKED_LOADS},
    {0x001c7, BROADWELL_TO_COYOTE_COVE, PROPERTY_FP_SCALAR_DOUBLE},
    {0x002c7, BROADWELL_TO_COYOTE_COVE, PROPERTY_FP_SCALAR_SINGLE},
    {0x004c7, BROADWELL_TO_COYOTE_COVE, PROPERTY_FP_128_DOUBLE},
    {0x008c7, BROADWELL_TO_COYOTE_COVE, PROPERTY_FP_128_SINGLE},
    {0x010c7, BROADWELL_TO_COYOTE_COVE, PROPERTY_FP_256_DOUBLE},
    {0x020c7, BROADWELL_TO_COYOTE_COVE, PROPERTY_FP_256_SINGLE},
    {0x040c7, SKYLAKE | ICE_LAKES | COYOTE_COVE, PROPERTY_FP_512_DOUBLE},
    {0x080c7, SKYLAKE | ICE_LAKES | COYOTE_COVE, PROPERTY_FP_512_SINGLE},
    {0x003c7, BROADWELL_TO_COYOTE_COVE, PROPERTY_FP_SCALAR},
    {0x0fcc7, BROADWELL | SKYLAKE | ICE_LAKES, PROPERTY_FP_VECTOR},
    {0x03cc7, BROADWELL | LION_COVE | COUGAR_COVE, PROPERTY_FP_VECTOR_256},
    {0x00cc7, LION_COVE | COUGAR_COVE, PROPERTY_FP_128},
    {0x030c7, LION_COVE | COUGAR_COVE, PROPERTY_FP_256},
    {0x015c7, BROADWELL, PROPERTY_FP_DOUBLE},
    {0x02ac7, BROADWELL, PROPERTY_FP_SINGLE},
    {0x018c7, BROADWELL_TO_COYOTE_COVE, PROPERTY_FP_4_FLOPS},
    {0x060c7, SKYLAKE | ICE_LAKES, PROPERTY_FP_8_FLOPS},
    {0x043d0, GOLDMONT_TO_DARKMONT, PROPERTY_SPLITS},
    {0x041d0, SANDY_BRIDGE_TO_COYOTE_COVE | GOLDMONT_TO_DARKMONT, PROPERTY_SPLIT_LOADS},
    {0x042d0, SANDY_BRIDGE_TO_COYOTE_COVE | GOLDMONT_TO_DARKMONT, PROPERTY_SPLIT_STORES},
    {0x00132, SKYLAKE | ICE_LAKE, PROPERTY_PREFETCH_NTA | SPECULATIVE},
    {0x00140, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_PREFETCH_NTA | SPECULATIVE},
    {0x0044b, ZEN, PROPERTY_PREFETCH_NTA | SPECULATIVE},
    {0x00232, SKYLAKE | ICE_LAKE, PROPERTY_PREFETCH_T0 | SPECULATIVE},
    {0x00240, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_PREFETCH_T0 | SPECULATIVE},
    {0x00432, SKYLAKE | ICE_LAKE, PROPERTY_PREFETCH_T1_T2 | SPECULATIVE},
    {0x00440, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_PREFETCH_T1_T2 | SPECULATIVE},
    {0x0014b, ZEN, PROPERTY_PREFETCH_T | SPECULATIVE},
    {0x00832, SKYLAKE | ICE_LAKE, PROPERTY_PREFETCH_W | SPECULATIVE},
    {0x00840, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_PREFETCH_W | SPECULATIVE},
    {0x0024b, ZEN, PROPERTY_PREFETCH_W | SPECULATIVE},
    {0x00f32, SKYLAKE | ICE_LAKE, PROPERTY_PREFETCHES | SPECULATIVE},
    {0x00f40, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_PREFETCHES | SPECULATIVE},
    {0x084d0, LION_COVE | COUGAR_COVES, PROPERTY_PREFETCHES},
    {0x0074b, ZEN, PROPERTY_PREFETCHES | SPECULATIVE},
    {0x040cc, SKYLAKE | ICE_LAKE, PROPERTY_PAUSES},
    {0x020e0, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_LFENCES | SPECULATIVE},
    {0x002c0, NEHALEM | HASWELL | BROADWELL, PROPERTY_X87},
    {0x001cb, ZEN, PROPERTY_X87},
    {0x004c0, NEHALEM, PROPERTY_MMX},
    {0x002cb, ZEN, PROPERTY_MMX},
    {0x000d4, ZEN, PROPERTY_DIVISIONS | SPECULATIVE},
    {0x0fdc4, ATOMS, PROPERTY_DIRECT_CALLS},
    {0x020c4, COUGAR_COVES | DARKMONT, PROPERTY_DIRECT_CALLS},
    {0x0fbc4, ATOMS, PROPERTY_INDIRECT_CALLS},
    {0x010c4, COUGAR_COVES | DARKMONT, PROPERTY_INDIRECT_CALLS},
    {0x0dfc4, GRACEMONT | SKYMONT, PROPERTY_DIRECT_JUMPS},
    {0x080c4, COUGAR_COVES | DARKMONT, PROPERTY_DIRECT_JUMPS},
    {0x0efc4, GRACEMONT | SKYMONT, PROPERTY_INDIRECT_JUMPS},
    {0x040c4, COUGAR_COVES | DARKMONT, PROPERTY_INDIRECT_JUMPS},
    {0x003e7, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_VECTOR_ADD_128},
    {0x00ce7, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_VECTOR_ADD_256},
    {0x080e7, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_VECTOR_MULTIPLY_256},
    {0x0ace7, GOLDEN_COVE_TO_COYOTE_COVE, PROPERTY_VECTOR_256},
};

#define UMASK2_SHIFT 40
#define CODE_MASK    0xffffu

static unsigned cores_of(const struct cpu_caps *caps)
{
    if (caps->vendor == VENDOR_AMD)
        return zen_core_name(caps)[0] ? ZEN : 0;
    for (unsigned i = 0; caps->vendor == VENDOR_INTEL && i < sizeof(MODELS) / sizeof(MODELS[0]);
         i++)
        for (const uint8_t *model = MODELS[i].model; *model != 0; model++)
            if (caps->family == MODELS[i].family && caps->model == *model)
                return caps->core_type == CORE_TYPE_ATOM ? MODELS[i].atom : MODELS[i].core;
    return 0;
}

/* A property, perhaps with SPECULATIVE, or PROPERTY_NONE. */
static unsigned shown_by(uint64_t select, const struct cpu_caps *caps)
{
    const bool intel = caps->vendor == VENDOR_INTEL;
    const uint64_t umask2 = intel ? select >> UMASK2_SHIFT : 0;
    const uint64_t code = umask2 << SELECT_FLAGS_SHIFT | (select & CODE_MASK);

    if ((umask2 << UMASK2_SHIFT | (select & CODE_MASK)) != select)
        return PROPERTY_NONE;
    for (unsigned i = 0; i < sizeof(SHOWN) / sizeof(SHOWN[0]); i++)
        if (SHOWN[i].code == code && SHOWN[i].cores & cores_of(caps))
            return SHOWN[i].property;
    return PROPERTY_NONE;
}

void event_set_property(uint64_t select, const struct cpu_caps *caps, struct event *event)
{
    const unsigned shown = shown_by(select, caps);

    event->kind = (uint8_t)(shown & ~SPECULATIVE);
    if (shown & SPECULATIVE)
        event->flags |= EVENT_AT_LEAST;
}
