/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads arbitrary bytes as index.csv, an event table and a user's file. Every entry must be valid
 * and point into the text, and every error must name a line of the text.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fakes/skylake.h"
#include "pmu/events/index.h"
#include "pmu/events/rows.h"
#include "pmu/events/table.h"
#include "pmu/uncore/uncore.h"
#include "pmu/counters/select.h"

#define ROOM 32u

struct text {
    const char *at;
    size_t size;
    size_t errors;
};

static void note(void *context, uint32_t line, const char *sentence)
{
    struct text *text = context;

    assert(line >= 1 && line <= text->size + 1);
    assert(strlen(sentence) > 10);
    text->errors++;
}

static void assert_within(const struct text *text, struct piece piece)
{
    assert(piece.size == 0 ||
           (piece.at >= text->at && piece.at + piece.size <= text->at + text->size));
}

static void assert_core(const struct event_tables *tables, const struct event_entry *e)
{
    assert((e->select & ~select_bits(select_layout(VENDOR_INTEL))) == 0);
    assert(e->has_select || e->fixed >= 0);
    assert(e->fixed >= EVENT_NOT_FIXED && e->fixed <= 15);
    assert(e->msr == 0 || select_extra_name(e->msr));
    assert(event_table_find(tables, e->name));
}

static void assert_unit(const struct event_tables *tables, const struct event_entry *e)
{
    assert(e->kind < UNCORE_KINDS && e->kind != KIND_ENERGY);
    assert((e->select & (1u << 20 | 1u << 22)) == 0);
    assert(e->has_select && e->fixed == EVENT_NOT_FIXED);
    assert(e->msr != 0 || e->value == 0);
    assert(event_table_find_unit(tables, e->name));
}

static void read_table(struct text *text, bool users_own)
{
    struct event_entry entry[ROOM];
    struct event_tables tables = {.entry = entry, .room = ROOM};
    const struct event_errors errors = {.context = text, .line = note};
    size_t left_out;

    text->errors = 0;
    left_out = event_table_read(&tables, text->at, text->size, &SKYLAKE, users_own, &errors);
    assert(left_out == 0 || text->errors > 0);
    assert(tables.count <= ROOM && left_out <= text->size);
    for (size_t i = 0; i < tables.count; i++) {
        char shown[64];
        struct out out = out_buffer(shown, sizeof(shown));
        const struct event_entry *e = &entry[i];

        assert_within(text, e->name);
        assert_within(text, e->description);
        assert(event_name_valid(e->name) && e->name.size < EVENT_NAME_BYTES);
        if (e->kind)
            assert_unit(&tables, e);
        else
            assert_core(&tables, e);
        event_entry_describe(e, &out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = {.at = (const char *)bytes, .size = size};
    const struct event_errors errors = {.context = &text, .line = note};
    struct piece table = event_index_find(text.at, size, &SKYLAKE, &errors);

    assert_within(&text, table);
    if (table.size > 0) {
        char file[256];

        if (table.size < sizeof(file)) {
            memcpy(file, table.at, table.size);
            file[table.size] = 0;
            assert(event_index_names(text.at, size, file));
        }
    }
    read_table(&text, false);
    read_table(&text, true);
    return 0;
}
