/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the uncore counts of a kernel in a few lines. */
#include "pmu/files/table.h"
#include "pmu/counters/unit.h"
#include "pmu/base/text.h"

#define ITEM_BYTES  (EVENT_NAME_BYTES + 80u)
#define MILLI       1000
#define EXACT_BELOW 100000          /* in thousandths; smaller values get decimals */
#define WHOLE_BELOW (10000000000ll) /* in thousandths; values from here on are in millions */

static void put_mean(int64_t mean_milli, struct out *out)
{
    int64_t away = mean_milli < 0 ? -mean_milli : mean_milli;

    if (away < EXACT_BELOW)
        out_milli(out, mean_milli);
    else if (away < WHOLE_BELOW)
        out_printf(out, "%lld", (long long)(mean_milli / MILLI));
    else
        out_printf(out, "%lldM", (long long)(mean_milli / MILLI / 1000000));
}

static void put_row(const struct row *row, struct out *out)
{
    out_printf(out, "%s ", row->event->name);
    if (row->counter_off || row->verdict == VERDICT_OFF) {
        out_text(out, "off");
    } else if (row->accepted == 0) {
        out_char(out, '-');
    } else {
        put_mean(row->stats.mean_milli, out);
        if (row->has_rate) {
            out_text(out, ", ");
            out_milli(out, row->rate_milli);
            out_printf(out, " %s", unit_rate_name(row->event));
        }
    }
}

void table_uncore(const struct rows *rows, size_t columns, struct out *out)
{
    size_t column = 0;

    for (unsigned i = 0; i < rows->view->events; i++) {
        const struct event *event = &rows->view->event[i];
        char text[ITEM_BYTES];
        struct out item = out_buffer(text, sizeof(text));

        if (event->scope != SCOPE_UNCORE || event->status != STATUS_OK)
            continue;
        put_row(&rows->row[i], &item);
        out_end(&item);
        if (column > 0 && column + 2 + text_length(text) + 1 <= columns) {
            out_printf(out, "; %s", text);
            column += 2 + text_length(text);
        } else {
            out_printf(out, "%s  %s", column > 0 ? ";\n" : "", text);
            column = 2 + text_length(text);
        }
    }
    if (column > 0)
        out_char(out, '\n');
}
