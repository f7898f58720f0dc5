/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks up arbitrary bytes as an event's text. An event that is found must fit the registers of the
 * CPU or package. If no event is found, there must be an error message.
 */
#include <assert.h>
#include <string.h>

#include "pmu/events/find.h"
#include "pmu/events/uncore.h"
#include "pmu/uncore/models.h"
#include "pmu/counters/select.h"

#define ENTRY(text, ...)                                                                           \
    {                                                                                              \
        .name = {text, sizeof(text) - 1}, .fixed = EVENT_NOT_FIXED, __VA_ARGS__                    \
    }

static struct event_entry entry[] = {
    ENTRY("A.B", .select = 0x1c0, .has_select = true, .counters = 3),
    ENTRY("A.B.C", .select = 0x2c0, .has_select = true, .counters = 0xc),
    ENTRY("A.B.ANY", .select = 0x2002c0, .has_select = true),
    ENTRY("OCR.X", .select = 0x1b7, .has_select = true, .msr = 0x1a6, .value = 1),
    {.name = {"F.IX", 4}, .fixed = 1},
    {.name = {"F.BOTH", 6}, .fixed = 0, .select = 0xc0, .has_select = true},
    ENTRY("UNC_A.B", .select = 0x1134, .has_select = true, .kind = KIND_CHA, .counters = 3),
    ENTRY("UNC_A.C", .select = 0x2134, .has_select = true, .kind = KIND_CHA, .msr = 0xe05),
    ENTRY("UNC_A.D", .select = 0x4134, .has_select = true, .kind = KIND_CHA, .counters = 0xc),
    ENTRY("UNC_L", .select = 0x309, .has_select = true, .kind = KIND_UNCORE),
    ENTRY("UNC_CLK", .has_select = true, .kind = KIND_CLOCK, .counters = 1),
    ENTRY("UNC_FREE", .has_select = true, .kind = KIND_IMC_FREE, .counters = 2),
};
#define ENTRIES (sizeof(entry) / sizeof(entry[0]))
static const struct event_tables TABLES = {entry, ENTRIES, ENTRIES};

static const struct event BUILTIN[] = {
    {.name = "LLC.MISS", .select = 0x412e, .arch = 4, .fixed = EVENT_NOT_FIXED},
};

static const struct cpu_caps CPUS[] = {
    {.vendor = VENDOR_INTEL, .pmu_version = 4, .gp_count = 4, .arch_events = 7, .fixed_map = 7},
    {.vendor = VENDOR_INTEL, .pmu_version = 6, .gp_count = 8, .arch_events = 7, .fixed_map = 7},
    {.vendor = VENDOR_INTEL, .pmu_version = 1, .gp_count = 2, .core_type = CORE_TYPE_ATOM},
    {.vendor = VENDOR_AMD, .gp_count = 6},
};

static void check(const struct event *event, const struct cpu_caps *caps)
{
    const struct select_layout *layout = select_layout(caps->vendor);

    assert((event->select & ~select_bits(layout)) == 0);
    assert(event->rings && (event->rings & ~(RING_OS | RING_USR)) == 0);
    assert(event->fixed == EVENT_NOT_FIXED || caps->fixed_map >> event->fixed & 1);
    assert(!event->fixed_only || event->fixed != EVENT_NOT_FIXED);
    assert(event->fixed_only || event->counters == 0 ||
           event->counters & ((1u << caps->gp_count) - 1));
    assert(!(event->select & layout->field[SELECT_ANY]) || caps->pmu_version >= 3);
    assert(event->extra_msr == 0 || select_extra_name(event->extra_msr));
}

#define FIELDS 0xff8ef0ffull /* the bits that an uncore event may set */

static const struct uncore_model NEHALEM = {.family = 6, .model = {0x1a}},
                                 SERVER = {.family = 6, .model = {0x55}};
static const struct uncore UNCORES[] = {
    {.model = &NEHALEM,
     .groups = 2,
     .group = {{.type = {.kind = KIND_UNCORE, .counters = 8, .fields = FIELDS, .extra = {0x396}},
                .units = 1},
               {.type = {.kind = KIND_CLOCK, .style = STYLE_FIXED, .counters = 1}, .units = 1}}},
    {.model = &SERVER,
     .groups = 3,
     .energy_step = {1, 2},
     .group = {{.type = {.kind = KIND_CHA, .counters = 4, .fields = FIELDS, .extra = {5, 6}},
                .units = 1,
                .unit = {0xe00}},
               {.type = {.kind = KIND_IMC, .counters = 4, .fields = 0xffff}, .units = 1},
               {.type = {.kind = KIND_IMC_FREE, .style = STYLE_FREE, .counters = 2}, .units = 1}}},
    {.status = STATUS_UNCORE_UNKNOWN},
};

static void check_of_uncore(const struct event *event, const struct uncore *uncore)
{
    const struct uncore_group *group = uncore_group(uncore, event->kind);

    assert(event->counters != 0);
    if (event->kind == KIND_ENERGY) {
        assert(event->extra != 0 && event->extra_msr == 0 && event->select == 0);
        return;
    }
    assert(group && event->counters >> group->type.counters == 0);
    assert(((event->select | event_second(event)) & ~group->type.fields) == 0);
    assert(!event_second(event) || (event->counters & (event->counters - 1) && !event->extra_msr));
    assert(group->type.style == STYLE_SELECT || event->select == 0);
}

static void try_uncores(const uint8_t *bytes, size_t size)
{
    bool is_ours = uncore_event_is(&TABLES, (struct piece){(const char *)bytes, size});

    for (size_t i = 0; i < sizeof(UNCORES) / sizeof(UNCORES[0]); i++) {
        char why[EVENT_WHY_BYTES];
        struct out out = out_buffer(why, sizeof(why));
        struct event event;
        enum status status =
            uncore_event_find(&TABLES, &UNCORES[i], (const char *)bytes, size, &event, &out);

        out_end(&out);
        assert(!out.failed && event.status == status && event.name[EVENT_NAME_BYTES - 1] == 0);
        assert((status == STATUS_OK) == (why[0] == 0) && event.scope == SCOPE_UNCORE);
        assert(is_ours || status != STATUS_OK);
        if (status == STATUS_OK)
            check_of_uncore(&event, &UNCORES[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > 0 && bytes[size - 1] == '\n')
        size--; /* corpus files end with a newline */
    try_uncores(bytes, size);
    for (size_t i = 0; i < sizeof(CPUS) / sizeof(CPUS[0]); i++) {
        char why[EVENT_WHY_BYTES], words[400];
        struct out out = out_buffer(why, sizeof(why));
        struct out said = out_buffer(words, sizeof(words));
        struct event event;
        enum status status = event_find(&TABLES, BUILTIN, 1, &CPUS[i], (const char *)bytes, size,
                                        RING_OS, &event, &out);

        out_end(&out);
        assert(!out.failed && event.status == status && event.name[EVENT_NAME_BYTES - 1] == 0);
        assert((status == STATUS_OK) == (why[0] == 0));
        if (status == STATUS_OK)
            check(&event, &CPUS[i]);
        select_words(CPUS[i].vendor, &event, &said);
        out_end(&said);
        assert(!said.failed);
    }
    return 0;
}
