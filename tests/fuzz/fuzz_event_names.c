/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the text of an event, on several CPUs: what is found can be programmed there, and
 * what is not comes with a sentence.
 */
#include <assert.h>
#include <string.h>

#include "pmu/event_find.h"
#include "pmu/select.h"

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
};
static const struct event_tables TABLES = {entry, 6, 6};

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > 0 && bytes[size - 1] == '\n')
        size--; /* the corpus is text files */
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
        select_words(&event, &said);
        out_end(&said);
        assert(!said.failed);
    }
    return 0;
}
