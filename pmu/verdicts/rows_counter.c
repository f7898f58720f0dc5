/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the window's cost, and whether a row's counter can be trusted. */
#include "pmu/uncore/words.h"
#include "pmu/verdicts/rows_parts.h"
#include "pmu/base/text.h"
#include "pmu/cpu/msr.h"
#include "pmu/journal/evidence.h"

int64_t row_window_cost(const struct view *view, const struct row *row, unsigned slot)
{
    const struct event *event = row->event;

    if (!view_declares_cost(view, event))
        return view_baseline(view, row->pass, slot).min;
    return view_declared_cost(view, event) + (view_counts_edges(view, event)
                                                  ? view->edges_counted
                                                  : view_microcode(view, row->pass, slot));
}

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
 * Events of core cycles and pipeline slots, without modifiers, must count in the empty window if
 * the window runs in a ring that they count. With method=deltas they need not count, because the
 * window's counts cancel out. Reference and bus cycles need not count either, because they advance
 * in steps: Skylake's bus cycles come at 24 MHz (pmu/cpu/tsc.c).
 */
static bool must_count(const struct view *view, const struct event *event)
{
    return event->scope == SCOPE_CPU && (event->unit == UNIT_CYCLES || event->unit == UNIT_SLOTS) &&
           event->select >> SELECT_FLAGS_SHIFT == 0 && view->run->method == METHOD_RESET &&
           event->rings & (RING_OS | view->run->kernel_ring);
}

unsigned row_noisy_by(const struct row *row, const struct rejected *rejected, uint32_t missing)
{
    const unsigned evidence = rejected->evidence;
    const uint64_t power = LIMITS_LOG_POWER | LIMITS_LOG_POWER >> LIMITS_LOG_SHIFT;
    const unsigned clock = rejected->limits & power ? NOISY_BY_POWER : NOISY_BY_CLOCK;

    if (row->expect.kind != EXPECT_NOTHING || rejected->by_clock < missing)
        return 0;
    return (evidence & EVIDENCE_THERMAL ? 1u << NOISY_BY_HEAT : 0) |
           (evidence & EVIDENCE_LIMIT ? 1u << NOISY_BY_LIMIT : 0) |
           (evidence & EVIDENCE_CLOCK ? 1u << clock : 0);
}

bool row_is_calibrated(const struct view *view, struct row *row, unsigned slot)
{
    struct rejected rejected;
    const struct baseline baseline = view_baseline_rejecting(view, row->pass, slot, &rejected);
    char words[EVIDENCE_WORDS_BYTES];
    struct out out = out_buffer(words, sizeof(words));

    if (baseline.samples >= CALIBRATION_SAMPLES_MIN)
        return true;
    row_say(row, VERDICT_OFF, "window cost: the empty window could not be calibrated");
    row->noisy_by = row_noisy_by(row, &rejected, CALIBRATION_SAMPLES_MIN - baseline.samples);
    if (row->noisy_by == 0)
        return false;
    evidence_words(rejected.evidence, &out);
    row_say(row, VERDICT_NOISY,
            "window cost: only %u samples of the empty window were clean, %u rejected (%s)",
            baseline.samples, rejected.count, out_end(&out));
    return false;
}

bool row_counter_is_right(const struct view *view, struct row *row, unsigned slot, int64_t cost)
{
    const struct baseline baseline = view_baseline(view, row->pass, slot);
    bool declared = view_declares_cost(view, row->event);

    row->counter_off = true;
    if (!row_is_calibrated(view, row, slot)) {
        if (row->noisy_by && failed_its_test(view, row)) {
            row->noisy_by = 0;
            row->verdict = VERDICT_OFF;
        }
        return false;
    }
    if (declared &&
        (baseline.min < cost || (baseline.max > cost && !(row->event->flags & EVENT_AT_LEAST)))) {
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
