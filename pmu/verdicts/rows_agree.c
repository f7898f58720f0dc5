/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the passes of a kernel. */
#include "pmu/verdicts/clock.h"
#include "pmu/verdicts/rows_parts.h"

static unsigned slot_with(const struct pass *pass, const struct slot *slot)
{
    unsigned s = 0;

    while (s < pass->slots && pass->slot[s].event != slot->event)
        s++;
    return s < pass->slots ? s : SLOTS_MAX;
}

static bool find_anchor(const struct view *view, unsigned other, unsigned *here, unsigned *there)
{
    const struct pass *first = &view->schedule->pass[0];

    for (*here = 0; *here < first->slots; ++*here) {
        const struct slot *slot = &first->slot[*here];

        *there = slot_with(&view->schedule->pass[other], slot);
        if (*there != SLOTS_MAX && view->event[slot->event].declared == DECLARED_INSTRUCTIONS)
            return true;
    }
    return false;
}

static struct stats values_of(const struct view *view, const struct result *result, unsigned pass,
                              unsigned slot)
{
    struct stats stats;

    stats_make(view->scratch, view_values(view, result, pass, slot, SAMPLE_N, 0), &stats);
    return stats;
}

/*
 * The counts of two passes may differ if the kernel waits for another CPU, or spins for a fixed
 * time. A spinning kernel is recognized by counts that vary in at least one of the passes.
 */
static bool is_never_alike(const struct result *result, const struct expect *expect,
                           const struct stats *first, const struct stats *here)
{
    return result->partner != CPU_NONE ||
           (expect->kind != EXPECT_RANGE && (first->min != first->max || here->min != here->max));
}

bool row_pass_agrees(const struct view *view, const struct result *result, struct row *row)
{
    const struct expect *expect = &view->kernel[result->kernel]->expect[DECLARED_INSTRUCTIONS];
    unsigned first_slot, slot;
    struct stats first, here;
    bool agrees;

    if (row->pass == 0 || !find_anchor(view, row->pass, &first_slot, &slot))
        return true;
    first = values_of(view, result, 0, first_slot);
    here = values_of(view, result, row->pass, slot);
    if (first.count == 0 || here.count == 0)
        return true;
    if (expect->kind == EXPECT_EXACT)
        agrees = here.min == first.min && here.max == first.max;
    else
        agrees = is_never_alike(result, expect, &first, &here) ||
                 (here.min <= first.max && here.max >= first.min);
    if (!agrees)
        row_say(row, here.min == here.max ? VERDICT_OFF : VERDICT_NOISY,
                "passes: %lld to %lld instructions in this one, %lld to %lld in the first",
                (long long)here.min, (long long)here.max, (long long)first.min,
                (long long)first.max);
    return agrees;
}

struct overflows {
    uint32_t samples;
    uint32_t set;
    uint32_t reached;
    bool agree; /* the bit was set in exactly the samples in which the count was reached */
};

static struct overflows count_overflows(const struct result *result, const struct row *row,
                                        uint64_t after)
{
    struct overflows count = {.agree = true};

    for (uint32_t i = 0; i < result->samples; i++) {
        const struct sample *sample = result_sample(result, i);
        bool set, reached;

        if (sample->pass != row->pass || sample->kind != SAMPLE_N ||
            !sample_is_clean(sample, event_is_of_time(row->event)))
            continue;
        set = sample->overflowed >> row->slot_index & 1;
        reached = sample->raw[row->slot_index] >= after;
        count.samples++;
        count.set += set;
        count.reached += reached;
        count.agree &= set == reached;
    }
    return count;
}

bool row_overflow_agrees(const struct view *view, const struct result *result, struct row *row)
{
    uint32_t after = view->run->overflow_after;
    struct overflows count;

    if (after == 0 || row->slot.where == SLOT_UNCORE || clock_is_reference(&row->slot) ||
        view->run->method != METHOD_RESET || !view_tells_overflow(view))
        return true;
    count = count_overflows(result, row, after);
    if (!count.agree)
        row_say(row, VERDICT_OFF,
                "overflow: the status bit was set in %u of %u samples, the count reached %u in %u",
                count.set, count.samples, after, count.reached);
    return count.agree;
}
