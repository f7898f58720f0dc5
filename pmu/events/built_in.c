/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the built-in events, and recognizes them by their encoding. */
#include "pmu/events/can.h"
#include "pmu/events/find.h"
#include "pmu/cpu/zen.h"
#include "pmu/events/built_in.h"
#include "pmu/events/properties.h"
#include "pmu/events/text.h"

#include <stddef.h>

#define ANY_COUNTER     0x00
#define COUNTERS_0_TO_3 0x0f

#define EVENT(event_name, code, umask, arch_index, fixed_counter, declares, event_unit, on)        \
    {                                                                                              \
        .name = event_name, .select = (code) | (umask) << 8, .counters = on, .arch = arch_index,   \
        .fixed = fixed_counter, .declared = declares, .unit = event_unit,                          \
        .fixed_only = (fixed_counter) != EVENT_NOT_FIXED                                           \
    }
#define ARCH(index, name, code, umask, declares, unit)                                             \
    EVENT(name, code, umask, index, EVENT_NOT_FIXED, declares, unit, ANY_COUNTER)
#define FIXED(counter, name, code, umask, declares, unit)                                          \
    EVENT(name, code, umask, EVENT_NOT_ARCH, counter, declares, unit, ANY_COUNTER)
#define CORE(name, code, umask, declares, on_counters)                                             \
    EVENT(name, code, umask, EVENT_NOT_ARCH, EVENT_NOT_FIXED, declares, UNIT_COUNT, on_counters)

/*
 * FIXED and ARCH events: Intel SDM vol. 3B, "Fixed-Function Performance Counters" and "Pre-defined
 * Architectural Performance Events". CORE events: Intel perfmon's lists for Skylake and later.
 * select_on() gives the selects of CORE events on other cores. perf defines the encodings of fixed
 * counters (event 00H, unit masks 01H to 03H).
 */
const struct event EVENTS[] = {
    FIXED(0, "INST_RETIRED.ANY", 0x00, 0x01, DECLARED_INSTRUCTIONS, UNIT_COUNT),
    FIXED(1, "CPU_CLK_UNHALTED.THREAD", 0x00, 0x02, EVENT_UNDECLARED, UNIT_CYCLES),
    FIXED(2, "CPU_CLK_UNHALTED.REF_TSC", 0x00, 0x03, EVENT_UNDECLARED, UNIT_REFERENCE_CYCLES),
    ARCH(1, "INST_RETIRED.ANY_P", 0xc0, 0x00, DECLARED_INSTRUCTIONS, UNIT_COUNT),
    ARCH(5, "BR_INST_RETIRED.ALL_BRANCHES", 0xc4, 0x00, DECLARED_BRANCHES, UNIT_COUNT),
    CORE("BR_INST_RETIRED.NEAR_TAKEN", 0xc4, 0x20, DECLARED_TAKEN_BRANCHES, ANY_COUNTER),
    CORE("MEM_INST_RETIRED.ALL_LOADS", 0xd0, 0x81, DECLARED_LOADS, COUNTERS_0_TO_3),
    CORE("MEM_INST_RETIRED.ALL_STORES", 0xd0, 0x82, DECLARED_STORES, COUNTERS_0_TO_3),
    ARCH(0, "CPU_CLK_UNHALTED.THREAD_P", 0x3c, 0x00, EVENT_UNDECLARED, UNIT_CYCLES),
    ARCH(2, "CPU_CLK_UNHALTED.REF_TSC_P", 0x3c, 0x01, EVENT_UNDECLARED, UNIT_REFERENCE_CYCLES),
    ARCH(6, "BR_MISP_RETIRED.ALL_BRANCHES", 0xc5, 0x00, EVENT_UNDECLARED, UNIT_COUNT),
    ARCH(3, "LONGEST_LAT_CACHE.REFERENCE", 0x2e, 0x4f, EVENT_UNDECLARED, UNIT_COUNT),
    ARCH(4, "LONGEST_LAT_CACHE.MISS", 0x2e, 0x41, EVENT_UNDECLARED, UNIT_COUNT),
};
const unsigned EVENTS_COUNT = sizeof(EVENTS) / sizeof(EVENTS[0]);
_Static_assert(sizeof(EVENTS) / sizeof(EVENTS[0]) <= EVENTS_BUILTIN_MAX, "EVENTS_BUILTIN_MAX");

#define AMD(event_name, encoding, declares, event_unit)                                            \
    {                                                                                              \
        .name = event_name, .select = encoding, .arch = EVENT_NOT_ARCH, .fixed = EVENT_NOT_FIXED,  \
        .declared = declares, .unit = event_unit                                                   \
    }

#define AMD_LOADS  0x0529u /* LsDispatch: pure loads, and loads of operations that also store */
#define AMD_STORES 0x0629u
#define AMD_FILLS  0 /* see amd_select() */

/*
 * AMD's PPRs for families 17H, 19H and 1AH, chapter "Core Performance Monitor Counters". Loads and
 * stores are counted at dispatch, also on mispredicted paths.
 */
static const struct event AMD_EVENTS[] = {
    AMD("RETIRED_INSTRUCTIONS", 0xc0, DECLARED_INSTRUCTIONS, UNIT_COUNT),
    AMD("CYCLES_NOT_IN_HALT", EVENT_AMD_CYCLES, EVENT_UNDECLARED, UNIT_CYCLES),
    AMD("CYCLES_NOT_IN_HALT.P0_FREQ", EVENT_AMD_REFERENCE, EVENT_UNDECLARED, UNIT_REFERENCE_CYCLES),
    AMD("RETIRED_BRANCH_INSTRUCTIONS", 0xc2, DECLARED_BRANCHES, UNIT_COUNT),
    AMD("RETIRED_TAKEN_BRANCH_INSTRUCTIONS", 0xc4, DECLARED_TAKEN_BRANCHES, UNIT_COUNT),
    AMD("RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", 0xd1, EVENT_UNDECLARED, UNIT_COUNT),
    AMD("LS_DISPATCH.LOADS", AMD_LOADS, DECLARED_LOADS, UNIT_COUNT),
    AMD("LS_DISPATCH.STORES", AMD_STORES, DECLARED_STORES, UNIT_COUNT),
    AMD("RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", 0xc3, EVENT_UNDECLARED, UNIT_COUNT),
    AMD("DATA_CACHE_FILLS_FROM_SYSTEM", AMD_FILLS, EVENT_UNDECLARED, UNIT_COUNT),
};
#define AMD_EVENTS_COUNT (sizeof(AMD_EVENTS) / sizeof(AMD_EVENTS[0]))
_Static_assert(AMD_EVENTS_COUNT <= EVENTS_BUILTIN_MAX, "EVENTS_BUILTIN_MAX");

const struct event *event_builtins(uint32_t vendor, unsigned *count)
{
    *count = vendor == VENDOR_AMD ? AMD_EVENTS_COUNT : EVENTS_COUNT;
    return vendor == VENDOR_AMD ? AMD_EVENTS : EVENTS;
}

/*
 * The select of a built-in event on an AMD CPU; 0 if there is none. If zen_core_name() is "" (a
 * core newer than the PPRs), only four events are assumed to exist. On Zen and Zen 2,
 * DATA_CACHE_FILLS_FROM_SYSTEM counts only demand fills.
 */
static uint64_t amd_select(const struct event *event, const struct cpu_caps *caps)
{
    if (!zen_core_name(caps)[0] && event->select != 0xc0 && event->select != 0xc2 &&
        event->select != 0xc3 && event->select != 0x76)
        return 0;
    if (event->select == EVENT_AMD_REFERENCE && !caps_is_zen_4(caps))
        return 0;
    if (event->select == AMD_FILLS)
        return caps_is_zen_4(caps) ? 0xdf44 : caps->family >= 0x19 ? 0x5f44 : 0x5b43;
    return event->select;
}

#define PERF(event_name, encoding, fixed_counter)                                                  \
    {                                                                                              \
        .name = event_name, .select = encoding, .arch = EVENT_NOT_ARCH, .fixed = fixed_counter     \
    }

/*
 * PERF_COUNT_HW_* of perf_event_open(2), encoded as in Linux's arch/x86/events/intel/core.c,
 * intel_perfmon_event_map.
 */
static const struct event PERF_EVENTS[] = {
    PERF("instructions", 0x00c0, 0),
    PERF("cycles", 0x003c, 1),
    PERF("cpu-cycles", 0x003c, 1),
    {.name = "ref-cycles", .select = 0x0300, .arch = EVENT_NOT_ARCH, .fixed = 2, .fixed_only = 1},
    PERF("branches", 0x00c4, EVENT_NOT_FIXED),
    PERF("branch-instructions", 0x00c4, EVENT_NOT_FIXED),
    PERF("branch-misses", 0x00c5, EVENT_NOT_FIXED),
    PERF("cache-references", 0x4f2e, EVENT_NOT_FIXED),
    PERF("cache-misses", 0x412e, EVENT_NOT_FIXED),
    PERF("bus-cycles", EVENT_CLOCK, EVENT_NOT_FIXED),
};

/* From Linux's arch/x86/events/amd/core.c. */
static const struct event AMD_PERF_EVENTS[] = {
    PERF("instructions", 0xc0, EVENT_NOT_FIXED),
    PERF("cycles", 0x76, EVENT_NOT_FIXED),
    PERF("cpu-cycles", 0x76, EVENT_NOT_FIXED),
    PERF("ref-cycles", EVENT_AMD_REFERENCE, EVENT_NOT_FIXED),
    PERF("branches", 0xc2, EVENT_NOT_FIXED),
    PERF("branch-instructions", 0xc2, EVENT_NOT_FIXED),
    PERF("branch-misses", 0xc3, EVENT_NOT_FIXED),
    PERF("cache-references", 0xff60, EVENT_NOT_FIXED),
    PERF("cache-misses", 0x0964, EVENT_NOT_FIXED),
};

const struct event *event_perf_at(uint32_t vendor, unsigned index)
{
    const unsigned count = vendor == VENDOR_AMD
                               ? sizeof(AMD_PERF_EVENTS) / sizeof(AMD_PERF_EVENTS[0])
                               : sizeof(PERF_EVENTS) / sizeof(PERF_EVENTS[0]);

    if (index >= count)
        return 0;
    return vendor == VENDOR_AMD ? &AMD_PERF_EVENTS[index] : &PERF_EVENTS[index];
}

/*
 * The cores with events that count retired taken branches, loads and stores. Source: Intel perfmon,
 * mapfile.csv and *_core.json. Atoms and the cores from Sandy Bridge to Broadwell count uops of
 * loads and stores, not instructions. perfmon lacks Bartlett Lake (D7H), which has Raptor Lake's
 * cores. perfmon also lacks Lakefield (8AH) and NNP-I (9DH), which have Ice Lake's cores.
 */
static const uint8_t NEHALEM[] = {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f, 0}; /* and Westmere */
static const uint8_t SANDY_BRIDGE_TO_BROADWELL[] = {0x2a, 0x2d, 0x3a, 0x3e, 0x3c, 0x3f, 0x45,
                                                    0x46, 0x3d, 0x47, 0x4f, 0x56, 0};
static const uint8_t SKYLAKE_TO_ROCKET_LAKE[] = {
    0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6,                       /* Skylake to Comet Lake */
    0x66, 0x7d, 0x7e, 0x9d, 0x6a, 0x6c, 0x8a, 0x8c, 0x8d, 0xa7, 0}; /* Cannon to Rocket Lake */
static const uint8_t ALDER_LAKE_TO_ARROW_LAKE[] = {
    0x97, 0x9a, 0xb7, 0xba, 0xbf, 0x8f, 0xcf, 0xd7,     /* Alder Lake to Emerald Rapids, Bartlett */
    0xaa, 0xac, 0xad, 0xae, 0xb5, 0xc5, 0xc6, 0xbd, 0}; /* Meteor to Lunar Lake, Granite Rapids */
static const uint8_t ALDER_LAKE_N_AND_FORESTS[] = {0xbe, 0xaf, 0xb6, 0};
static const uint8_t PANTHER_LAKE[] = {0xcc, 0xd5, 0xe5, 0};
static const uint8_t CLEARWATER_FOREST[] = {0xdd, 0};
static const uint8_t NOVA_LAKE[] = {0x01, 0x03, 0};
static const struct retired {
    const uint8_t *models;
    uint16_t taken, taken_on_atoms; /* selects; 0: none */
    uint16_t loads, stores;         /* except on Atoms */
    uint8_t family;
} RETIRED[] = {
    {NEHALEM, 0, 0, 0x010b, 0x020b, 6},
    {SANDY_BRIDGE_TO_BROADWELL, 0x20c4, 0, 0, 0, 6},
    {SKYLAKE_TO_ROCKET_LAKE, 0x20c4, 0, 0x81d0, 0x82d0, 6},
    {ALDER_LAKE_TO_ARROW_LAKE, 0x20c4, 0xc0c4, 0x81d0, 0x82d0, 6},
    {ALDER_LAKE_N_AND_FORESTS, 0xc0c4, 0xc0c4, 0, 0, 6},
    {PANTHER_LAKE, 0xfbc4, 0xfbc4, 0x81d0, 0x82d0, 6},
    {CLEARWATER_FOREST, 0xfbc4, 0xfbc4, 0, 0, 6},
    {NOVA_LAKE, 0xfbc4, 0, 0x81d0, 0x82d0, 18},
};

static bool is_listed(const uint8_t *models, const struct cpu_caps *caps)
{
    for (; *models != 0; models++)
        if (*models == caps->model)
            return true;
    return false;
}

static bool is_of(const uint8_t *models, const struct cpu_caps *caps)
{
    return caps->family == 6 && is_listed(models, caps);
}

/* The select of a non-architectural built-in event on a CPU; 0 if there is none. */
static uint64_t select_on(const struct event *event, const struct cpu_caps *caps)
{
    const bool atom = caps->core_type == CORE_TYPE_ATOM;

    if (caps->vendor == VENDOR_AMD)
        return amd_select(event, caps);
    for (unsigned i = 0; i < sizeof(RETIRED) / sizeof(RETIRED[0]); i++) {
        const struct retired *of = &RETIRED[i];

        if (caps->vendor != VENDOR_INTEL || of->family != caps->family ||
            !is_listed(of->models, caps))
            continue;
        if (event->declared == DECLARED_TAKEN_BRANCHES)
            return atom ? of->taken_on_atoms : of->taken;
        if (atom)
            return 0;
        return event->declared == DECLARED_LOADS ? of->loads : of->stores;
    }
    return 0;
}

static const struct event *builtin_of(uint64_t select, const struct cpu_caps *caps)
{
    unsigned count;
    const struct event *events = event_builtins(caps->vendor, &count);

    for (unsigned i = 0; i < count; i++) {
        const struct event *event = &events[i];
        const bool arch = event->arch != EVENT_NOT_ARCH;

        if (!event->fixed_only && select == (arch ? event->select : select_on(event, caps)))
            return event;
    }
    return 0;
}

/*
 * On some models, event 3CH with unit mask 01H has a name that differs from the one in EVENTS, and
 * may count a different clock. Sources: Intel perfmon; for Core 2, libpfm4's intel_core_events.h.
 * The clock is not documented for Goldmont and Knights Landing, so SILVERMONT_TO_GOLDMONT keeps the
 * unit of EVENTS.
 */
static const uint8_t SANDY_BRIDGE_TO_ROCKET_LAKE[] = {
    0x2a, 0x2d, 0x3a, 0x3e, 0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56, 0x4e, 0x5e,
    0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0x66, 0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7, 0};
static const uint8_t CORE_2_AND_BONNELL[] = {0x0f, 0x16, 0x17, 0x1d, 0x1c,
                                             0x26, 0x27, 0x35, 0x36, 0};
static const uint8_t SILVERMONT_TO_GOLDMONT[] = {0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d,
                                                 0x5c, 0x5f, 0x7a, 0x57, 0x85, 0};
static const struct clock_name {
    const char *name;
    const uint8_t *models;
    uint8_t unit;
} CLOCKS[] = {
    {"CPU_CLK_UNHALTED.REF_P", NEHALEM, UNIT_BUS_CYCLES},
    {"CPU_CLK_UNHALTED.REF_XCLK", SANDY_BRIDGE_TO_ROCKET_LAKE, UNIT_BUS_CYCLES},
    {"CPU_CLK_UNHALTED.BUS", CORE_2_AND_BONNELL, UNIT_BUS_CYCLES},
    {"CPU_CLK_UNHALTED.REF", SILVERMONT_TO_GOLDMONT, UNIT_REFERENCE_CYCLES},
};

/* Null if the name and unit in EVENTS are right for the CPU. */
static const struct clock_name *clock_of(const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < sizeof(CLOCKS) / sizeof(CLOCKS[0]); i++)
        if (is_of(CLOCKS[i].models, caps))
            return &CLOCKS[i];
    return 0;
}

uint8_t event_clock_unit(const struct cpu_caps *caps)
{
    const struct clock_name *clock = clock_of(caps);

    return clock ? clock->unit : UNIT_REFERENCE_CYCLES;
}

enum status event_available(const struct event *event, const struct cpu_caps *caps)
{
    const enum status status = event_counts_at_all(caps);

    if (status != STATUS_OK)
        return status;
    if (event->fixed != EVENT_NOT_FIXED && caps->fixed_refused >> event->fixed & 1)
        return STATUS_MSR_FAULT;
    if (event->fixed != EVENT_NOT_FIXED)
        return caps->fixed_map >> event->fixed & 1 ? STATUS_OK : STATUS_NO_FIXED;
    if (caps->gp_count == 0)
        return caps->gp_refused ? STATUS_MSR_FAULT : STATUS_NO_COUNTER;
    if (event->arch == EVENT_NOT_ARCH)
        return select_on(event, caps) ? STATUS_OK : STATUS_EVENT_MODEL;
    if ((uint32_t)event->arch >= caps->arch_events)
        return STATUS_EVENT_NOT_LISTED;
    return caps->arch_events_absent >> event->arch & 1 ? STATUS_EVENT_ABSENT : STATUS_OK;
}

static bool is_dispatched(const struct event *event, const struct cpu_caps *caps)
{
    return caps->vendor == VENDOR_AMD &&
           (event->declared == DECLARED_LOADS || event->declared == DECLARED_STORES);
}

void event_builtin(unsigned index, const struct cpu_caps *caps, uint8_t rings, struct event *event)
{
    unsigned count;
    const struct event *known = &event_builtins(caps->vendor, &count)[index];
    const struct clock_name *clock = known->select == EVENT_CLOCK ? clock_of(caps) : 0;

    *event = *known;
    if (clock) {
        event_put_name(piece_of(clock->name), event);
        event->unit = clock->unit;
    }
    event->rings = rings;
    event->status = (uint8_t)event_available(event, caps);
    if (event->arch == EVENT_NOT_ARCH && !event->fixed_only && event->status == STATUS_OK)
        event->select = select_on(event, caps);
    if (event->declared == EVENT_UNDECLARED && !event->fixed_only)
        event_set_property(event->select, caps, event);
    if (is_dispatched(event, caps))
        event->flags |= EVENT_AT_LEAST;
}

void event_classify(struct event *event, const struct cpu_caps *caps)
{
    const uint64_t precise = caps->vendor == VENDOR_AMD ? AMD_PREC_RET : 0;
    const struct event *known =
        event->extra_msr ? NULL : builtin_of(event->select & ~precise, caps);

    event->arch = EVENT_NOT_ARCH;
    event->declared = EVENT_UNDECLARED;
    if (event->fixed_only)
        event->declared = event->fixed == 0 ? DECLARED_INSTRUCTIONS : EVENT_UNDECLARED;
    else if (known) {
        event->arch = known->arch;
        event->declared = known->declared;
    }
    event->kind = PROPERTY_NONE;
    if (event->declared == EVENT_UNDECLARED && !event->fixed_only && !event->extra_msr)
        event_set_property(event->select & ~precise, caps, event);
    if (is_dispatched(event, caps))
        event->flags |= EVENT_AT_LEAST;
}

const char *event_unit_name(const struct event *event)
{
    static const char *const NAMES[UNITS] = {
        [UNIT_COUNT] = "count",
        [UNIT_CYCLES] = "cycles",
        [UNIT_REFERENCE_CYCLES] = "reference cycles",
        [UNIT_SLOTS] = "slots",
        [UNIT_UNCORE_CYCLES] = "uncore cycles",
        [UNIT_BYTES] = "bytes",
        [UNIT_MICROJOULES] = "uJ",
        [UNIT_BUS_CYCLES] = "bus cycles",
    };
    return NAMES[event->unit];
}
