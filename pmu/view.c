/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats.h"
#include "view.h"

/* The window's two WRMSRs are counted as retired by some cores once, by others not or twice. */
#define WRMSR_COUNTED_MAX     2u
#define WRMSR_COUNTED_DEFAULT 1u /* Intel's cores count the closing one */

void view_start(struct view *view, int64_t *scratch, size_t scratch_count)
{
    *view = (struct view){.scratch = scratch, .scratch_count = scratch_count};
}

size_t view_values(const struct view *view, const struct result *result, unsigned pass,
                   unsigned slot, enum sample_kind kind, uint32_t *rejected)
{
    size_t count = 0;
    uint32_t bad = 0;

    for (uint32_t i = 0; i < result->samples; i++) {
        const struct sample *sample = result_sample(result, i);

        if (sample->pass != pass || sample->kind != kind)
            continue;
        if (sample->evidence)
            bad++;
        else if (count < view->scratch_count)
            view->scratch[count++] = (int64_t)(slot == SLOT_TSC ? sample->tsc : sample->raw[slot]);
    }
    if (rejected)
        *rejected = bad;
    return count;
}

/*
 * How many of the two WRMSRs the core counts, by the counters that count instructions: the number
 * on which most agree. Where they are even, Intel's documented order decides, and the others are
 * found to be off.
 */
static uint32_t wrmsr_counted(const struct view *view)
{
    const struct schedule *schedule = &view->cpu->schedule;
    unsigned votes[WRMSR_COUNTED_MAX + 1] = {0};
    uint32_t best = WRMSR_COUNTED_DEFAULT;

    for (unsigned p = 0; p < schedule->passes; p++)
        for (unsigned s = 0; s < schedule->pass[p].slots; s++) {
            uint64_t above =
                view->baseline.min[p][s] - (uint64_t)view->run->window_cost[DECLARED_INSTRUCTIONS];

            if (view->run->event[schedule->pass[p].slot[s].event].declared ==
                    DECLARED_INSTRUCTIONS &&
                view->baseline.min[p][s] == view->baseline.max[p][s] && above <= WRMSR_COUNTED_MAX)
                votes[above]++;
        }
    for (uint32_t i = 0; i <= WRMSR_COUNTED_MAX; i++)
        if (votes[i] > votes[best])
            best = i;
    return best;
}

static void take_calibration(struct view *view, const struct result *result)
{
    struct baseline *baseline = &view->baseline;
    const struct schedule *schedule = &view->cpu->schedule;
    struct stats stats;

    if (result->status != STATUS_OK)
        return;
    baseline->measured = true;
    for (unsigned p = 0; p < schedule->passes; p++) {
        for (unsigned s = 0; s < schedule->pass[p].slots; s++) {
            stats_make(view->scratch, view_values(view, result, p, s, SAMPLE_N, 0), &stats);
            baseline->min[p][s] = (uint64_t)stats.min;
            baseline->max[p][s] = (uint64_t)stats.max;
            baseline->median[p][s] = stats.median_milli / 1000;
        }
        stats_make(view->scratch, view_values(view, result, p, SLOT_TSC, SAMPLE_N, 0), &stats);
        baseline->tsc_median[p] = stats.median_milli / 1000;
    }
    baseline->wrmsr_counted = wrmsr_counted(view);
}

static const void *payload_of(const struct journal_head *head, size_t bytes)
{
    return head->payload_bytes >= bytes ? journal_payload(head) : 0;
}

/* A result whose samples and kernel are all there. */
static bool is_whole(const struct view *view, const struct journal_head *head,
                     const struct result *result)
{
    uint64_t samples = (uint64_t)result->samples * result->stride_bytes;

    return view->run && view->cpu && view->cpu->cpu == result->cpu &&
           result->stride_bytes % 8 == 0 && result->stride_bytes <= sizeof(struct sample) &&
           (result->samples == 0 || result->stride_bytes >= SAMPLE_BYTES(0)) &&
           head->payload_bytes >= sizeof(*result) + samples &&
           (result->kernel == KERNEL_CALIBRATION || result->kernel < view->kernels);
}

const struct result *view_take(struct view *view, const struct journal_head *head)
{
    const struct result *result;

    switch (head->type) {
    case RECORD_RUN:
        view->run = payload_of(head, sizeof(*view->run));
        break;
    case RECORD_KERNEL:
        if (view->kernels < KERNELS_MAX && payload_of(head, sizeof(struct known_kernel)))
            view->kernel[view->kernels++] = journal_payload(head);
        break;
    case RECORD_CPU:
        view->cpu = payload_of(head, sizeof(*view->cpu));
        view->baseline = (struct baseline){0};
        break;
    case RECORD_END:
        view->end = payload_of(head, sizeof(*view->end));
        break;
    case RECORD_RESULT:
        result = payload_of(head, sizeof(*result));
        if (!result || !is_whole(view, head, result))
            break;
        if (result->kernel != KERNEL_CALIBRATION)
            return result;
        take_calibration(view, result);
        break;
    default:
        break;
    }
    return 0;
}
