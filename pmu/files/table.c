/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the cells of a kernel's line. */
#include "pmu/base/text.h"
#include "pmu/events/built_in.h"
#include "pmu/files/table.h"
#include "pmu/verdicts/differs.h"

#define MANY 10000000

static const struct {
    const char *heading;
    const char *event;
} HEADINGS[] = {
    {"instr", "INST_RETIRED.ANY_P"},
    {"branches", "BR_INST_RETIRED.ALL_BRANCHES"},
    {"loads", "MEM_INST_RETIRED.ALL_LOADS"},
    {"stores", "MEM_INST_RETIRED.ALL_STORES"},
    {"cycles", "CPU_CLK_UNHALTED.THREAD_P"},
    {"instr", "RETIRED_INSTRUCTIONS"},
    {"branches", "RETIRED_BRANCH_INSTRUCTIONS"},
    {"loads", "LS_DISPATCH.LOADS"},
    {"stores", "LS_DISPATCH.STORES"},
    {"cycles", "CYCLES_NOT_IN_HALT"},
};
#define HEADINGS_COUNT (sizeof(HEADINGS) / sizeof(HEADINGS[0]))

static bool is_at(const struct view *view, const struct event *builtin, unsigned index)
{
    return text_same(view->event[index].name, builtin[index].name);
}

/*
 * Every run has the anchors (the first EVENTS_ANCHORS built-in events). With the group `default`,
 * it also has all other built-in events in their order. It is therefore enough to compare the names
 * of two events with those of the built-in events: the first after the anchors, and the last.
 */
bool table_is_built_in(const struct view *view)
{
    unsigned count;
    const struct event *builtin = event_builtins(view->cpu->caps.vendor, &count);

    return view->events >= count && is_at(view, builtin, EVENTS_ANCHORS) &&
           is_at(view, builtin, count - 1);
}

static void add_column(struct table_columns *columns, unsigned event)
{
    if (columns->count < TABLE_COLUMNS)
        columns->event[columns->count++] = event;
}

static bool counts_nothing(const struct view *view)
{
    for (unsigned i = 0; i < view->events; i++)
        if (view->event[i].status == STATUS_OK && view->event[i].scope == SCOPE_CPU)
            return false;
    return true;
}

void table_choose(const struct view *view, struct table_columns *columns)
{
    bool built_in = table_is_built_in(view);

    *columns = (struct table_columns){.is_time = counts_nothing(view)};
    if (columns->is_time) {
        add_column(columns, view->events);
        return;
    }
    for (unsigned h = 0; built_in && h < HEADINGS_COUNT; h++)
        for (unsigned i = 0; i < view->events; i++)
            if (text_same(view->event[i].name, HEADINGS[h].event))
                add_column(columns, i);
    for (unsigned i = EVENTS_ANCHORS; !built_in && i < view->events; i++)
        if (view->event[i].status == STATUS_OK && view->event[i].scope == SCOPE_CPU)
            add_column(columns, i);
}

const char *table_copy_heading(const struct table_columns *columns)
{
    return columns->is_time ? "tsc/copy" : "cyc/copy";
}

const char *table_copy_words(const struct table_columns *columns)
{
    return columns->is_time ? "TSC ticks" : "core cycles";
}

const char *table_heading(const struct view *view, unsigned event)
{
    const char *name = event < view->events ? view->event[event].name : "ticks";

    for (unsigned h = 0; h < HEADINGS_COUNT; h++)
        if (text_same(name, HEADINGS[h].event))
            return HEADINGS[h].heading;
    return name;
}

const char *table_value(const struct row *row, char text[TABLE_CELL_BYTES])
{
    int64_t median = row->stats.median_milli / 1000;

    if (row->accepted == 0)
        return out_put(text, TABLE_CELL_BYTES, "-");
    if (row->counter_off)
        return out_put(text, TABLE_CELL_BYTES, "off");
    if (median < MANY)
        return out_put(text, TABLE_CELL_BYTES, "%lld", (long long)median);
    return out_put(text, TABLE_CELL_BYTES, "%lldM", (long long)(median / 1000000));
}

const struct row *table_cycles(const struct rows *rows)
{
    for (unsigned i = 0; i < rows->count; i++)
        if (row_is_cycles(&rows->row[i]) && rows->row[i].accepted > 0 && !rows->row[i].counter_off)
            return &rows->row[i];
    return 0;
}

const struct row *table_time(const struct rows *rows)
{
    const struct row *cycles = table_cycles(rows), *tsc = &rows->row[rows->view->events];

    return cycles ? cycles : tsc->accepted > 0 ? tsc : 0;
}

static bool is_unstable(const struct stats *stats)
{
    return stats->count >= STATS_SPEAK_MIN && !stats->stable;
}

const char *table_per_copy(const struct table_columns *columns, const struct rows *rows,
                           char text[TABLE_CELL_BYTES])
{
    const struct known_kernel *kernel = rows->view->kernel[rows->result->kernel];
    const struct row *row = columns->is_time ? table_time(rows) : table_cycles(rows);
    uint64_t hundredths;
    int64_t milli;

    if (!row || kernel->copies == 0 || row->twice.count == 0)
        return out_put(text, TABLE_CELL_BYTES, "-");
    milli = row_per_copy_milli(kernel, row, row->twice.median_milli);
    hundredths = (uint64_t)((milli < 0 ? -milli : milli) + 5) / 10;
    return out_put(text, TABLE_CELL_BYTES, "%s%s%llu.%02llu",
                   is_unstable(&row->stats) || is_unstable(&row->twice) ? "~" : "",
                   milli <= -5 ? "-" : "", (unsigned long long)(hundredths / 100),
                   (unsigned long long)(hundredths % 100));
}

void table_msr(const struct row *row, struct out *out)
{
    out_text(out, "  ");
    row_name(row, out);
    if (row->verdict == VERDICT_MEASURED)
        out_printf(out, " = 0x%llx\n", (unsigned long long)row->msr->value);
    else
        out_printf(out, ": %s\n", row->reason);
}

const char *table_verdict(const struct rows *rows)
{
    struct tally tally = {0};

    tally_rows(&tally, rows);
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        if (v != VERDICT_UNAVAILABLE && v != VERDICT_MEASURED &&
            tally.of[v] > (v == VERDICT_NOISY ? tally.noisy_of_time : 0))
            return verdict_name(v);
    return verdict_name(tally.counted > 0 ? VERDICT_MEASURED : VERDICT_UNAVAILABLE);
}
