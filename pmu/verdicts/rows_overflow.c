/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters that were preset to overflow, and their status bits. */
#include "pmu/verdicts/rows_parts.h"

/* Accepted samples of a row at n. */
struct overflows {
    uint32_t samples;
    uint32_t set;     /* the counter's status bit was set */
    uint32_t reached; /* it had counted as many events as it was preset for */
    bool agree;       /* in every sample both, or neither */
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

    if (after == 0 || row->slot.where == SLOT_UNCORE || view->run->method != METHOD_RESET ||
        !view_tells_overflow(view))
        return true;
    count = count_overflows(result, row, after);
    if (!count.agree)
        row_say(row, VERDICT_OFF,
                "overflow: the status bit was set in %u of %u samples, the count reached %u in %u",
                count.set, count.samples, after, count.reached);
    return count.agree;
}
