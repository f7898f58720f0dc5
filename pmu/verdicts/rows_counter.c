/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the window's cost in a row, and whether the row's counter can be trusted. */
#include "pmu/uncore/words.h"
#include "pmu/verdicts/rows_parts.h"
#include "pmu/base/text.h"

int64_t row_window_cost(const struct view *view, const struct row *row, unsigned slot)
{
    const struct event *event = row->event;

    if (!view_declares_cost(view, event))
        return view_baseline(view, row->pass, slot).min;
    return view_declared_cost(view, event) +
           (view_counts_edges(view, event) ? view->edges_counted : 0);
}

/* Appends to the row's reason that its counter failed its test; false if it passed. */
static bool failed_its_test(const struct view *view, struct row *row)
{
    const struct tested_counter *failed = counter_check_failed(view->tests, &row->slot);
    const struct uncore_record_group *group = row_uncore_fault(view, row);
    struct out out = out_buffer(row->reason, sizeof(row->reason));

    if (!failed && !group)
        return false;
    out.used = text_length(row->reason);
    if (out.used > 0)
        out_text(&out, "; ");
    if (failed)
        counter_check_say(failed, &out);
    else
        uncore_fault_words(group, &out);
    out_end(&out);
    return true;
}

/*
 * Whether an event must count in the empty window: core cycles and slots in the window's ring, CPL
 * 0, or both with a kernel at CPL 3, unless a difference cancels the window. Reference and bus
 * clocks may not advance in an empty window (24 MHz on Skylake: Linux, pmu/cpu/tsc.c; REF_TSC
 * advances in steps). Uncore events have their own test.
 */
static bool must_count(const struct view *view, const struct event *event)
{
    return event->scope == SCOPE_CPU && (event->unit == UNIT_CYCLES || event->unit == UNIT_SLOTS) &&
           event->select >> SELECT_FLAGS_SHIFT == 0 && view->run->method == METHOD_RESET &&
           event->rings & (RING_OS | view->run->kernel_ring);
}

bool row_counter_is_right(const struct view *view, struct row *row, unsigned slot, int64_t cost)
{
    const struct baseline baseline = view_baseline(view, row->pass, slot);
    bool declared = view_declares_cost(view, row->event);

    row->counter_off = true;
    if (baseline.samples < CALIBRATION_SAMPLES_MIN) {
        row_say(row, VERDICT_OFF, "window cost: the empty window could not be calibrated");
        return false;
    }
    if (declared && (baseline.min != cost || baseline.max != cost)) {
        row_say(row, baseline.min == baseline.max ? VERDICT_OFF : VERDICT_NOISY,
                "window cost: the empty window counted %lld to %lld, declared %lld",
                (long long)baseline.min, (long long)baseline.max, (long long)cost);
        failed_its_test(view, row);
        return false;
    }
    if (failed_its_test(view, row)) {
        row->verdict = VERDICT_OFF;
        return false;
    }
    if (!declared && must_count(view, row->event) && baseline.max == 0) {
        row_say(row, VERDICT_OFF, "window cost: the counter counts nothing");
        return false;
    }
    row->counter_off = false;
    return true;
}

bool row_counter(const struct view *view, unsigned index, struct row *row)
{
    *row = (struct row){.verdict = VERDICT_MEASURED, .event = &view->event[index]};
    if (!schedule_find(view->schedule, index, &row->pass, &row->slot_index))
        return true;
    row->slot = view->schedule->pass[row->pass].slot[row->slot_index];
    return row_counter_is_right(view, row, row->slot_index,
                                row_window_cost(view, row, row->slot_index));
}
