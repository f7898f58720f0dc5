/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in events, and which CPUs support them. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/skylake.h"
#include "kernels/kernel.h"
#include "pmu/events/built_in.h"

_Static_assert((int)DECLARED_INSTRUCTIONS == (int)KERNEL_INSTRUCTIONS, "order of the record");
_Static_assert((int)DECLARED_BRANCHES == (int)KERNEL_BRANCHES, "order of the record");
_Static_assert((int)DECLARED_TAKEN_BRANCHES == (int)KERNEL_TAKEN_BRANCHES, "order of the record");
_Static_assert((int)DECLARED_LOADS == (int)KERNEL_LOADS, "order of the record");
_Static_assert((int)DECLARED_STORES == (int)KERNEL_STORES, "order of the record");
_Static_assert((int)DECLARED_COUNT == (int)KERNEL_DECLARATIONS, "order of the record");

/*
 * Intel SDM vol. 3B, "Fixed-Function Performance Counters" and "Architectural Performance Events".
 * The last three rows are from perfmon's skylake_core.json.
 */
static const struct {
    const char *name;
    uint8_t code, umask; /* bits 7:0 and 15:8 of IA32_PERFEVTSELx */
    int arch, fixed, declared, unit;
    unsigned counters; /* perfmon's field "Counter" as bits; 0: all counters */
} EXPECTED[] = {
    {"INST_RETIRED.ANY", 0x00, 0x01, -1, 0, DECLARED_INSTRUCTIONS, UNIT_COUNT, 0},
    {"CPU_CLK_UNHALTED.THREAD", 0x00, 0x02, -1, 1, -1, UNIT_CYCLES, 0},
    {"CPU_CLK_UNHALTED.REF_TSC", 0x00, 0x03, -1, 2, -1, UNIT_REFERENCE_CYCLES, 0},
    {"CPU_CLK_UNHALTED.THREAD_P", 0x3c, 0x00, 0, -1, -1, UNIT_CYCLES, 0},
    {"INST_RETIRED.ANY_P", 0xc0, 0x00, 1, -1, DECLARED_INSTRUCTIONS, UNIT_COUNT, 0},
    {"CPU_CLK_UNHALTED.REF_TSC_P", 0x3c, 0x01, 2, -1, -1, UNIT_REFERENCE_CYCLES, 0},
    {"LONGEST_LAT_CACHE.REFERENCE", 0x2e, 0x4f, 3, -1, -1, UNIT_COUNT, 0},
    {"LONGEST_LAT_CACHE.MISS", 0x2e, 0x41, 4, -1, -1, UNIT_COUNT, 0},
    {"BR_INST_RETIRED.ALL_BRANCHES", 0xc4, 0x00, 5, -1, DECLARED_BRANCHES, UNIT_COUNT, 0},
    {"BR_MISP_RETIRED.ALL_BRANCHES", 0xc5, 0x00, 6, -1, -1, UNIT_COUNT, 0},
    {"BR_INST_RETIRED.NEAR_TAKEN", 0xc4, 0x20, -1, -1, DECLARED_TAKEN_BRANCHES, UNIT_COUNT, 0},
    {"MEM_INST_RETIRED.ALL_LOADS", 0xd0, 0x81, -1, -1, DECLARED_LOADS, UNIT_COUNT, 0xf},
    {"MEM_INST_RETIRED.ALL_STORES", 0xd0, 0x82, -1, -1, DECLARED_STORES, UNIT_COUNT, 0xf},
};

static const struct event *find(const char *name)
{
    const struct event *found = NULL;

    for (unsigned i = 0; i < EVENTS_COUNT; i++)
        if (strcmp(EVENTS[i].name, name) == 0) {
            assert_null(found);
            found = &EVENTS[i];
        }
    if (!found)
        fail_msg("no event %s", name);
    return found;
}

TEST(table_is_the_manuals)
{
    assert_int_equal(EVENTS_COUNT, sizeof(EXPECTED) / sizeof(EXPECTED[0]));
    for (unsigned i = 0; i < EVENTS_COUNT; i++) {
        const struct event *event = find(EXPECTED[i].name);

        if (event->select != (EXPECTED[i].code | (uint64_t)EXPECTED[i].umask << 8) ||
            event->arch != EXPECTED[i].arch || event->fixed != EXPECTED[i].fixed ||
            event->declared != EXPECTED[i].declared || event->unit != EXPECTED[i].unit ||
            event->counters != EXPECTED[i].counters ||
            event->fixed_only != (EXPECTED[i].fixed >= 0))
            fail_msg("%s", event->name);
        assert_int_equal(event->extra_msr | event->rings | event->flags | event->status, 0);
        for (unsigned k = 0; k < i; k++)
            assert_true(EXPECTED[k].code != EXPECTED[i].code ||
                        EXPECTED[k].umask != EXPECTED[i].umask);
    }
}

TEST(units_have_names)
{
    assert_string_equal(event_unit_name(find("INST_RETIRED.ANY")), "count");
    assert_string_equal(event_unit_name(find("CPU_CLK_UNHALTED.THREAD")), "cycles");
    assert_string_equal(event_unit_name(find("CPU_CLK_UNHALTED.REF_TSC")), "reference cycles");
    assert_string_equal(event_unit_name(&(struct event){.unit = UNIT_SLOTS}), "slots");
    assert_string_equal(event_unit_name(&(struct event){.unit = UNIT_UNCORE_CYCLES}),
                        "uncore cycles");
    assert_string_equal(event_unit_name(&(struct event){.unit = UNIT_BUS_CYCLES}), "bus cycles");
    assert_string_equal(event_unit_name(&(struct event){.unit = UNIT_BYTES}), "bytes");
    assert_string_equal(event_unit_name(&(struct event){.unit = UNIT_MICROJOULES}), "uJ");
}

TEST(a_server_has_all)
{
    for (unsigned i = 0; i < EVENTS_COUNT; i++)
        assert_int_equal(event_available(&EVENTS[i], &SKYLAKE), STATUS_OK);
}

/* Exactly the events for which lacks() is true must be unavailable. */
static void expect_only(const struct cpu_caps *caps, enum status why,
                        bool (*lacks)(const struct event *event, unsigned which), unsigned which)
{
    for (unsigned i = 0; i < EVENTS_COUNT; i++) {
        enum status expected = lacks(&EVENTS[i], which) ? why : STATUS_OK;

        if (event_available(&EVENTS[i], caps) != expected)
            fail_msg("%s, %u: expected \"%s\"", EVENTS[i].name, which, status_text(expected));
    }
}

static bool is_arch(const struct event *event, unsigned which)
{
    return event->arch == (int)which;
}

static bool is_arch_from(const struct event *event, unsigned which)
{
    return event->arch >= (int)which;
}

static bool is_fixed(const struct event *event, unsigned which)
{
    return event->fixed == (int)which;
}

static bool is_general(const struct event *event, unsigned which)
{
    (void)which;
    return event->fixed == EVENT_NOT_FIXED;
}

static bool is_of_the_model(const struct event *event, unsigned which)
{
    (void)which;
    return event->fixed == EVENT_NOT_FIXED && event->arch == EVENT_NOT_ARCH;
}

static bool is_any(const struct event *event, unsigned which)
{
    (void)event, (void)which;
    return true;
}

TEST(what_cpuid_denies_is_absent)
{
    struct cpu_caps caps;

    for (unsigned bit = 0; bit < 32; bit++) {
        caps = SKYLAKE;
        caps.arch_events_absent = 1u << bit;
        expect_only(&caps, STATUS_EVENT_ABSENT, is_arch, bit);
    }
    for (unsigned length = 0; length < 10; length++) {
        caps = SKYLAKE;
        caps.arch_events = length;
        caps.arch_events_absent = length < 32 ? ~0u << length : 0;
        expect_only(&caps, STATUS_EVENT_NOT_LISTED, is_arch_from, length);
    }
    for (unsigned counter = 0; counter < FIXED_COUNTERS_MAX; counter++) {
        caps = SKYLAKE;
        caps.fixed_map &= ~(1u << counter);
        expect_only(&caps, STATUS_NO_FIXED, is_fixed, counter);
    }
    caps = SKYLAKE;
    caps.gp_count = 0;
    expect_only(&caps, STATUS_NO_COUNTER, is_general, 0);
    caps = SKYLAKE;
    caps.pmu_version = 0;
    expect_only(&caps, STATUS_NO_PMU, is_any, 0);
    caps.vendor = VENDOR_AMD; /* a family before Zen */
    expect_only(&caps, STATUS_VENDOR, is_any, 0);
    caps = SKYLAKE;
    caps.vendor = VENDOR_OTHER;
    expect_only(&caps, STATUS_VENDOR, is_any, 0);
}

/*
 * Selects of retired taken branches, loads and stores, from the *_core.json files that perfmon's
 * mapfile.csv names; 0: the model lacks the event. Perfmon lacks four of these models. 66H (Cannon
 * Lake) has the selects of Skylake. D7H (Bartlett Lake) has the selects of Raptor Lake. 8AH
 * (Lakefield) and 9DH have the selects of Ice Lake.
 */
static const struct retired {
    const char *models; /* of `family` */
    uint8_t core_type;
    uint16_t taken, loads, stores;
    uint32_t family;
} RETIRED[] = {
    {"2a 2d 3a 3e 3c 45 46 3f 3d 47 4f 56", 0, 0x20c4, 0, 0, 6},
    {"4e 5e 8e 9e a5 a6 55 66 7d 7e 6a 6c 8c 8d a7 8f cf ad ae d7 9d", 0, 0x20c4, 0x81d0, 0x82d0,
     6},
    {"1a 1e 1f 2e 25 2c 2f", 0, 0, 0x010b, 0x020b, 6},
    {"97 9a b7 ba bf aa ac b5 bd c5 c6 8a", CORE_TYPE_CORE, 0x20c4, 0x81d0, 0x82d0, 6},
    {"97 9a b7 ba bf aa ac b5 bd c5 c6", CORE_TYPE_ATOM, 0xc0c4, 0, 0, 6},
    {"be af b6", 0, 0xc0c4, 0, 0, 6},
    {"cc d5 e5", CORE_TYPE_CORE, 0xfbc4, 0x81d0, 0x82d0, 6},
    {"cc d5 e5", CORE_TYPE_ATOM, 0xfbc4, 0, 0, 6},
    {"dd", 0, 0xfbc4, 0, 0, 6},
    {"01 03", CORE_TYPE_CORE, 0xfbc4, 0x81d0, 0x82d0, 18},
};

static bool is_in(const struct retired *row, const struct cpu_caps *caps)
{
    char model[3];

    snprintf(model, sizeof(model), "%02x", caps->model);
    return caps->family == row->family && strstr(row->models, model) &&
           (row->core_type == 0 || row->core_type == caps->core_type);
}

static void check_retired(const struct cpu_caps *caps)
{
    const struct retired *row = RETIRED, *end = RETIRED + sizeof(RETIRED) / sizeof(RETIRED[0]);

    while (row < end && !is_in(row, caps))
        row++;
    for (unsigned i = 0; i < EVENTS_COUNT; i++) {
        uint16_t select = 0;
        struct event event;

        if (!is_of_the_model(&EVENTS[i], 0))
            continue;
        if (row < end)
            select = EVENTS[i].declared == DECLARED_TAKEN_BRANCHES ? row->taken
                     : EVENTS[i].declared == DECLARED_LOADS        ? row->loads
                                                                   : row->stores;
        event_builtin(i, caps, RING_OS, &event);
        if (event.status != (select ? STATUS_OK : STATUS_EVENT_MODEL) ||
            (select && event.select != select))
            fail_msg("%s on %u/%x, core type %x", event.name, caps->family, caps->model,
                     caps->core_type);
        event.declared = 99;
        event_classify(&event, caps);
        assert_int_equal(event.declared, select ? EVENTS[i].declared : -1);
    }
}

TEST(models_with_loads_stores_and_taken_branches)
{
    static const uint8_t FAMILIES[] = {6, 15, 18, 19};
    struct cpu_caps caps = SKYLAKE;

    for (unsigned i = 0; i < sizeof(FAMILIES); i++) {
        caps.family = FAMILIES[i];
        for (caps.model = 1; caps.model < 256; caps.model++) {
            caps.core_type = CORE_TYPE_CORE;
            check_retired(&caps);
            caps.core_type = CORE_TYPE_ATOM;
            if (!is_in(&RETIRED[0], &caps) && !is_in(&RETIRED[1], &caps) &&
                !is_in(&RETIRED[2], &caps))
                check_retired(&caps);
        }
    }
}

TEST(taken_branches_of_another_core_are_undeclared)
{
    static const uint64_t SELECTS[] = {0x20c4, 0xc0c4, 0xfbc4};
    struct cpu_caps caps = SKYLAKE;

    caps.model = 0x97;
    for (unsigned i = 0; i < 3; i++) {
        struct event event = {.select = SELECTS[i], .fixed = EVENT_NOT_FIXED};

        caps.core_type = CORE_TYPE_CORE;
        event_classify(&event, &caps);
        assert_int_equal(event.declared, i == 0 ? DECLARED_TAKEN_BRANCHES : -1);
        caps.core_type = CORE_TYPE_ATOM;
        event_classify(&event, &caps);
        assert_int_equal(event.declared, i == 1 ? DECLARED_TAKEN_BRANCHES : -1);
    }
}

TEST(the_anchors_come_first)
{
    assert_int_equal(EVENTS_ANCHORS, 2);
    assert_string_equal(EVENTS[0].name, "INST_RETIRED.ANY");
    assert_string_equal(EVENTS[1].name, "CPU_CLK_UNHALTED.THREAD");
}

TEST(builtin_events_have_rings_and_a_status)
{
    struct cpu_caps caps = SKYLAKE;

    caps.model = 0x8f;
    caps.arch_events_absent = 1 << 5;
    for (unsigned i = 0; i < EVENTS_COUNT; i++)
        for (unsigned rings = RING_OS; rings <= (RING_OS | RING_USR); rings++) {
            struct event expected = EVENTS[i], event;

            expected.rings = (uint8_t)rings;
            expected.status = EVENTS[i].arch == 5 ? STATUS_EVENT_ABSENT : STATUS_OK;
            memset(&event, 0xa5, sizeof(event));
            event_builtin(i, &caps, (uint8_t)rings, &event);
            assert_memory_equal(&event, &expected, sizeof(event));
        }
}

/*
 * perfmon's names of event 3CH, unit mask 01H. Models of perfmon's mapfile.csv (commit 6dadedf) are
 * listed if the name is not REF_TSC_P. Core 2's name is from libpfm4 (intel_core_events.h). Perfmon
 * lacks Cannon Lake (66H), whose core is Skylake's, and SoFIA (5DH), whose core is Silvermont's.
 */
static const struct {
    const char *name;
    enum event_unit unit;
    const char *models;
} CLOCKS_OF[] = {
    {"REF_P", UNIT_BUS_CYCLES, "1A 1E 1F 25 2C 2E 2F"},
    {"REF_XCLK", UNIT_BUS_CYCLES,
     "2A 2D 3A 3C 3D 3E 3F 45 46 47 4E 4F 55 56 5E 6A 6C 7D 7E 8C 8D 8E 9E A5 A6 A7 66"},
    {"BUS", UNIT_BUS_CYCLES, "1C 26 27 35 36 F 16 17 1D"},
    {"REF", UNIT_REFERENCE_CYCLES, "37 4A 4C 4D 57 5A 5C 5F 7A 85 5D"},
};

static void check_clock(unsigned family, unsigned model, const char *name, enum event_unit unit)
{
    struct cpu_caps caps = SKYLAKE;
    struct event event;

    caps.family = (uint8_t)family;
    caps.model = (uint8_t)model;
    event_builtin((unsigned)(find("CPU_CLK_UNHALTED.REF_TSC_P") - EVENTS), &caps, RING_OS, &event);
    if (strcmp(event.name + 17, name) != 0 || event.unit != unit || event_clock_unit(&caps) != unit)
        fail_msg("family %u, model %02X: %s, unit %u", family, model, event.name, event.unit);
    event_builtin((unsigned)(find("CPU_CLK_UNHALTED.REF_TSC") - EVENTS), &caps, RING_OS, &event);
    assert_string_equal(event.name, "CPU_CLK_UNHALTED.REF_TSC");
    assert_int_equal(event.unit, UNIT_REFERENCE_CYCLES);
}

TEST(reference_cycles_are_of_the_core_s_clock)
{
    const char *name[256];
    enum event_unit unit[256];

    for (unsigned model = 0; model < 256; model++) {
        name[model] = "REF_TSC_P";
        unit[model] = UNIT_REFERENCE_CYCLES;
        check_clock(18, model, name[model], unit[model]);
    }
    for (size_t i = 0; i < sizeof(CLOCKS_OF) / sizeof(CLOCKS_OF[0]); i++)
        for (char *at = (char *)CLOCKS_OF[i].models; *at;) {
            unsigned long model = strtoul(at, &at, 16);

            name[model] = CLOCKS_OF[i].name;
            unit[model] = CLOCKS_OF[i].unit;
        }
    for (unsigned model = 0; model < 256; model++)
        check_clock(6, model, name[model], unit[model]);
}

TEST(an_encoding_says_what_it_is)
{
    for (unsigned i = 0; i < EVENTS_COUNT; i++) {
        struct event event = {.select = EVENTS[i].select,
                              .fixed = EVENTS[i].fixed,
                              .fixed_only = EVENTS[i].fixed_only,
                              .arch = 99,
                              .declared = 99};

        event_classify(&event, &SKYLAKE);
        assert_int_equal(event.arch, EVENTS[i].arch);
        assert_int_equal(event.declared, EVENTS[i].declared);
    }
}

TEST(what_is_not_known_is_undeclared)
{
    static const struct {
        struct event event;
        uint32_t model;
        int declared;
    } ROWS[] = {
        {{.select = 0xc0, .fixed = -1}, 0x55, DECLARED_INSTRUCTIONS},
        {{.select = 0xc0, .fixed = 0}, 0x55, DECLARED_INSTRUCTIONS},
        {{.select = 0x1c0, .fixed = -1}, 0x55, -1},
        {{.select = 0x10000c0, .fixed = -1}, 0x55, -1}, /* CMASK 1 */
        {{.select = 0x400c0, .fixed = -1}, 0x55, -1},   /* edge */
        {{.select = 1ull << 32 | 0xc0, .fixed = -1}, 0x55, -1},
        {{.select = 0xc0, .fixed = -1, .extra_msr = 0x3f7}, 0x55, -1},
        {{.select = 0x3c, .fixed = -1}, 0x55, -1},
        {{.select = 0x3c, .fixed = -1}, 0x3c, -1}, /* architectural: any model */
        {{.select = 0x81d0, .fixed = -1}, 0x55, DECLARED_LOADS},
        {{.select = 0x81d0, .fixed = -1}, 0x3c, -1},
        {{.select = 0x100, .fixed = -1}, 0x55, -1}, /* only on a fixed counter */
        {{.fixed = 0, .fixed_only = 1}, 0x55, DECLARED_INSTRUCTIONS},
        {{.fixed = 3, .fixed_only = 1}, 0x55, -1},
        {{.fixed = 4, .fixed_only = 1}, 0x55, -1},
        {{.fixed = -1, .fixed_only = 1}, 0x55, -1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct cpu_caps caps = SKYLAKE;
        struct event event = ROWS[i].event;

        caps.model = ROWS[i].model;
        event_classify(&event, &caps);
        if (event.declared != ROWS[i].declared)
            fail_msg("row %zu: declared %d", i, event.declared);
    }
}
