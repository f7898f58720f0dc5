/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a line of index.csv, and has functions that other renderers share. */
#include "pmu/uncore/words.h"
#include "pmu/base/csv.h"
#include "pmu/files/render_parts.h"

void render_counter(const struct row *row, struct out *out)
{
    if (!row->has_slot || row->slot_unknown)
        return;
    if (row->slot.where == SLOT_UNCORE)
        uncore_counter_name(row->event, &row->slot, out);
    else
        counter_name(row->slot.where == SLOT_FIXED, row->slot.counter, out);
}

void render_encoding(const struct event *event, struct out *out)
{
    if (event->scope == SCOPE_UNCORE)
        uncore_event_encoding(event, out);
    else if (event->status == STATUS_OK || event->select != 0) /* no core event has select 0 */
        out_printf(out, "r%04llx", (unsigned long long)event->select);
    if (event_has_extra(event))
        out_printf(out, ":0x%x=0x%llx", event->extra_msr, (unsigned long long)event->extra);
}

const char *render_rings(unsigned rings)
{
    static const char *const NAMES[] = {
        [0] = "", [RING_OS] = "os", [RING_USR] = "usr", [RING_OS | RING_USR] = "both"};

    return NAMES[rings & (RING_OS | RING_USR)];
}

bool render_tally(const struct render *render, struct tally *tally)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    const struct result *result;
    struct row row;

    *tally = (struct tally){0};
    while ((result = reading_next_result(&reading)))
        for (unsigned i = 0; i < rows_count(view, result); i++) {
            row_make(view, result, i, &row);
            tally_add(tally, &row);
        }
    if (view->run) {
        tally->plan_errors = view->run->plan_errors;
        tally->refused = run_refused(view->run);
    }
    return view->run != 0;
}

unsigned render_number(const struct render *render)
{
    struct reading reading = reading_start(render);

    while (!reading.view.run && reading_next(&reading))
        ;
    return reading.view.run ? reading.view.run->number : 0;
}

bool render_end(const struct render *render, struct end_record *end)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;

    while (reading_next(&reading))
        ;
    if (view->end)
        *end = *view->end;
    return view->end != 0;
}

void render_verdict(const struct render *render, const struct tally *tally, struct out *out)
{
    struct end_record end;

    tally_line(tally, out);
    if (!render_end(render, &end))
        out_text(out, ", up to where the run was cut off");
}

bool render_index_line(const struct render *render, const struct index_file *index, struct out *out)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    struct tally tally;
    char line[80];
    struct out verdict = out_buffer(line, sizeof(line));

    while (reading_next(&reading))
        ;
    if (!view->run || !render_tally(render, &tally))
        return false;
    tally_verdict(&tally, &verdict);
    index_before(index, out);
    out_printf(out, "%04u,", view->run->number);
    csv_write(out, view->run->label);
    out_char(out, ',');
    csv_write(out, view->run->started);
    out_char(out, ',');
    csv_write(out, view->cpu ? view->cpu->caps.brand : "");
    out_char(out, ',');
    csv_write(out, view->run->smbios.uuid);
    out_char(out, ',');
    csv_write(out, view->end ? out_end(&verdict) : "INTERRUPTED");
    if (index->columns > INDEX_COLUMNS_OLDEST)
        out_char(out, ',');
    if (index->columns > INDEX_COLUMNS_OLDEST && view->run->plan_flags & RUN_PLAN_KNOWN)
        out_printf(out, "%u", view->run->plan_errors);
    index_end(index, out);
    return out_flush(out);
}
