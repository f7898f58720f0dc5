/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the rows that measure time: those of one pass with those of another, and those of one
 * CPU with those of another.
 */
#include "pmu/verdicts/clock.h"
#include "pmu/verdicts/differs.h"
#include "pmu/verdicts/rows_parts.h"
#include "pmu/counters/unit.h"

#define SLOT_NONE (SLOT_TSC + 1)

bool row_is_cycles(const struct row *row)
{
    return row->event && row->event->unit == UNIT_CYCLES &&
           row->event->declared == EVENT_UNDECLARED;
}

bool row_is_tsc_rate(const struct row *row)
{
    return !row->msr && (!row->event || (row->has_slot && clock_is_reference(&row->slot)));
}

uint32_t row_step(const struct view *view, const struct row *row)
{
    if (row_is_tsc_rate(row) || (row->event && row->event->unit == UNIT_REFERENCE_CYCLES))
        return clock_step_ticks(view->run);
    return row->event ? unit_step(row->event) : 1;
}

void differs_start(struct differs *differs)
{
    differs->types = 0;
}

static struct differs_first *firsts_of(struct differs *differs, uint32_t type)
{
    unsigned t = 0;

    while (t < differs->types && differs->type[t] != type)
        t++;
    if (t == DIFFERS_CORE_TYPES_MAX)
        return 0;
    if (t == differs->types) {
        differs->type[differs->types++] = type;
        for (unsigned k = 0; k < KERNELS_MAX; k++)
            differs->first[t][k] = (struct differs_first){0};
    }
    return differs->first[t];
}

static bool is_kept(const struct view *view, const struct row *row, enum differs_of *of)
{
    unsigned i = 0;

    *of = row->event ? DIFFERS_CYCLES : DIFFERS_TSC;
    if (!row->event)
        return true;
    while (&view->event[i] != row->event &&
           (view->event[i].unit != UNIT_CYCLES || view->event[i].status != STATUS_OK))
        i++;
    return &view->event[i] == row->event;
}

static bool cpu_differs(struct differs *differs, const struct view *view,
                        const struct result *result, const struct row *row)
{
    struct differs_first *firsts = firsts_of(differs, caps_core(&view->cpu->caps));
    struct stats_place *first, here = stats_place(&row->stats);
    enum differs_of of;

    if (!firsts || !is_kept(view, row, &of))
        return false;
    first = &firsts[result->kernel].of[of];
    if (first->reach_milli == 0)
        *first = here;
    return stats_differ(*first, here);
}

static unsigned slot_in(const struct pass *pass, const struct row *row)
{
    if (!row->event)
        return SLOT_TSC;
    for (unsigned s = 0; s < pass->slots; s++)
        if (pass->slot[s].event == row->slot.event)
            return s;
    return SLOT_NONE;
}

/*
 * The median and reach of a slot's counts, after the smallest count of the empty window was
 * subtracted from each count. Returns zeros if fewer than CALIBRATION_SAMPLES_MIN samples of the
 * empty window were accepted.
 */
static struct stats_place place_in(const struct view *view, const struct result *result,
                                   unsigned pass, unsigned slot, uint32_t step)
{
    const struct baseline baseline = view_baseline(view, pass, slot);
    size_t count = view_values(view, result, pass, slot, SAMPLE_N, 0);
    struct stats stats;

    if (baseline.samples < CALIBRATION_SAMPLES_MIN)
        return (struct stats_place){0};
    for (size_t i = 0; i < count; i++)
        view->scratch[i] -= baseline.min;
    stats_make(view->scratch, count, &stats);
    stats_shape(view->scratch, step, &stats);
    return stats_place(&stats);
}

static bool passes_differ(const struct view *view, const struct result *result,
                          const struct row *row)
{
    const struct schedule *schedule = view->schedule;
    const uint32_t step = row_step(view, row);
    const struct stats_place here = stats_place(&row->stats);

    for (unsigned p = 0; p < schedule->passes; p++) {
        unsigned slot = slot_in(&schedule->pass[p], row);

        if (p != row->pass && slot != SLOT_NONE &&
            stats_differ(here, place_in(view, result, p, slot, step)))
            return true;
    }
    return false;
}

unsigned differs_row(struct differs *differs, const struct view *view, const struct result *result,
                     const struct row *row)
{
    unsigned found = 0;

    if (row->msr || row->counter_off || (row->event && !row_is_cycles(row)))
        return 0;
    if (passes_differ(view, result, row))
        found |= DIFFERS_PASSES;
    if (result->partner == CPU_NONE && cpu_differs(differs, view, result, row))
        found |= DIFFERS_CPUS;
    return found;
}

void differs_words(unsigned differs, struct out *out)
{
    if (differs & DIFFERS_PASSES)
        out_text(out, "passes");
    if (differs & DIFFERS_PASSES && differs & DIFFERS_CPUS)
        out_char(out, ' ');
    if (differs & DIFFERS_CPUS)
        out_text(out, "cpus");
}
