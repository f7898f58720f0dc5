/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats.h"
#include "view.h"

/* The window's two WRMSRs are counted as retired by some cores once, by others not or twice. */
#define WRMSR_COUNTED_MAX     2u
#define WRMSR_COUNTED_DEFAULT 1u /* Intel's cores count the closing one */

/* No counter gets there in a sample; thousandths and differences of such values fit in 64 bits. */
#define VALUE_MAX (1ull << 52)
#define COST_MAX  (1ll << 32)

#define ENDS(text) ((text)[sizeof(text) - 1] == 0)

void view_start(struct view *view, int64_t *scratch, size_t scratch_count)
{
    *view = (struct view){.scratch = scratch, .scratch_count = scratch_count};
}

size_t view_values(const struct view *view, const struct result *result, unsigned pass,
                   unsigned slot, enum sample_kind kind, struct rejected *rejected)
{
    struct rejected bad = {0};
    size_t count = 0;

    for (uint32_t i = 0; i < result->samples; i++) {
        const struct sample *sample = result_sample(result, i);

        if (sample->pass != pass || sample->kind != kind)
            continue;
        if (sample->evidence) {
            bad.count++;
            bad.evidence |= sample->evidence;
        } else if (count < view->scratch_count) {
            uint64_t value = slot == SLOT_TSC ? sample->tsc : sample->raw[slot];
            view->scratch[count++] = (int64_t)(value < VALUE_MAX ? value : VALUE_MAX);
        }
    }
    if (rejected)
        *rejected = bad;
    return count;
}

/*
 * How many of the two WRMSRs the core counts: one, as Intel's do, unless all counters of
 * instructions that were calibrated, two at least, agree on another number. A counter that differs
 * is off then: a constant error of one counter must not become the rule for all.
 */
static uint32_t wrmsr_counted(const struct view *view)
{
    const struct schedule *schedule = &view->cpu->schedule;
    uint64_t cost = (uint64_t)view->run->window_cost[DECLARED_INSTRUCTIONS], above = UINT64_MAX;
    unsigned counters = 0;

    for (unsigned p = 0; p < schedule->passes; p++)
        for (unsigned s = 0; s < schedule->pass[p].slots; s++) {
            const struct event *event = &view->run->event[schedule->pass[p].slot[s].event];
            uint64_t min = view->baseline.min[p][s];

            if (event->declared != DECLARED_INSTRUCTIONS || view->baseline.samples[p] == 0)
                continue;
            if (min != view->baseline.max[p][s] || (counters > 0 && min - cost != above))
                return WRMSR_COUNTED_DEFAULT;
            above = min - cost;
            counters++;
        }
    return counters >= 2 && above <= WRMSR_COUNTED_MAX ? (uint32_t)above : WRMSR_COUNTED_DEFAULT;
}

static void take_calibration(struct view *view, const struct result *result)
{
    struct baseline *baseline = &view->baseline;
    const struct schedule *schedule = &view->cpu->schedule;
    struct stats stats;

    if (result->status != STATUS_OK)
        return;
    for (unsigned p = 0; p < schedule->passes; p++) {
        for (unsigned s = 0; s < schedule->pass[p].slots; s++) {
            stats_make(view->scratch, view_values(view, result, p, s, SAMPLE_N, 0), &stats);
            baseline->min[p][s] = (uint64_t)stats.min;
            baseline->max[p][s] = (uint64_t)stats.max;
        }
        stats_make(view->scratch, view_values(view, result, p, SLOT_TSC, SAMPLE_N, 0), &stats);
        baseline->tsc_min[p] = stats.min;
        baseline->samples[p] = stats.count;
    }
    baseline->wrmsr_counted = wrmsr_counted(view);
}

static const void *payload_of(const struct journal_head *head, size_t bytes)
{
    return head->payload_bytes >= bytes ? journal_payload(head) : 0;
}

/*
 * A journal comes back from a stick, and its checksums only tell damage. So whatever is used later
 * as an index, a divisor, a shift or a text's end is looked at here, once; a record that cannot be
 * right counts as absent.
 */
static const struct run_record *take_run(const struct journal_head *head)
{
    const struct run_record *run = payload_of(head, sizeof(*run));
    bool right = run && run->schema == RECORD_SCHEMA && run->events <= EVENTS_MAX &&
                 ENDS(run->version) && ENDS(run->started) && ENDS(run->plan_name) &&
                 ENDS(run->label) && ENDS(run->firmware_vendor) && ENDS(run->firmware_version) &&
                 ENDS(run->maker) && ENDS(run->product) && ENDS(run->uuid);

    for (unsigned i = 0; right && i < DECLARED_COUNT; i++)
        right = run->window_cost[i] >= -COST_MAX && run->window_cost[i] <= COST_MAX;
    for (unsigned i = 0; right && i < run->events; i++) {
        const struct event *event = &run->event[i];

        right = ENDS(event->name) && event->unit <= UNIT_REFERENCE_CYCLES &&
                event->declared >= EVENT_UNDECLARED && event->declared < DECLARED_COUNT;
    }
    return right ? run : 0;
}

static const struct known_kernel *take_kernel(const struct journal_head *head)
{
    const struct known_kernel *kernel = payload_of(head, sizeof(*kernel));
    bool right = kernel && kernel->n > 0 && kernel->n <= INT64_MAX / 2 && ENDS(kernel->name) &&
                 ENDS(kernel->title);

    for (unsigned i = 0; right && i < DECLARED_COUNT; i++) {
        const struct expect *expect = &kernel->expect[i];

        right = expect->kind <= EXPECT_RANGE && expect->low >= 0 && expect->low_2n >= 0;
    }
    return right ? kernel : 0;
}

static const struct cpu_record *take_cpu(const struct view *view, const struct journal_head *head)
{
    const struct cpu_record *cpu = payload_of(head, sizeof(*cpu));
    bool right = cpu && view->run && cpu->caps.gp_count <= GP_COUNTERS_MAX &&
                 ENDS(cpu->caps.vendor_id) && ENDS(cpu->caps.brand) &&
                 cpu->schedule.passes <= PASSES_MAX;

    for (unsigned p = 0; right && p < cpu->schedule.passes; p++) {
        const struct pass *pass = &cpu->schedule.pass[p];

        right = pass->slots <= SLOTS_MAX;
        for (unsigned s = 0; right && s < pass->slots; s++)
            right = pass->slot[s].event < view->run->events;
    }
    return right ? cpu : 0;
}

static const struct counter_tests *take_tests(const struct view *view,
                                              const struct journal_head *head)
{
    const struct counter_tests *tests = payload_of(head, sizeof(*tests));

    return tests && view->cpu && tests->cpu == view->cpu->cpu && tests->counters <= SLOTS_MAX
               ? tests
               : 0;
}

/* Whether every sample has room for the counters of every pass. */
static bool has_room(const struct result *result, const struct schedule *schedule)
{
    bool right = result->stride_bytes % 8 == 0 && result->stride_bytes <= sizeof(struct sample) &&
                 result->stride_bytes >= SAMPLE_BYTES(0);

    for (unsigned p = 0; right && p < schedule->passes; p++)
        right = result->stride_bytes >= SAMPLE_BYTES(schedule->pass[p].slots);
    return right || result->samples == 0;
}

/* A result whose CPU, kernel and samples are all there. */
static bool is_whole(const struct view *view, const struct journal_head *head,
                     const struct result *result)
{
    uint64_t samples = (uint64_t)result->samples * result->stride_bytes;

    return view->run && view->cpu && view->cpu->cpu == result->cpu &&
           has_room(result, &view->cpu->schedule) &&
           head->payload_bytes >= sizeof(*result) + samples &&
           (result->kernel == KERNEL_CALIBRATION ||
            (result->kernel < view->kernels && view->kernel[result->kernel]));
}

const struct result *view_take(struct view *view, const struct journal_head *head)
{
    const struct result *result;

    switch (head->type) {
    case RECORD_RUN:
        if (!view->run)
            view->run = take_run(head);
        break;
    case RECORD_KERNEL:
        if (view->kernels < KERNELS_MAX)
            view->kernel[view->kernels++] = take_kernel(head);
        break;
    case RECORD_CPU:
        view->cpu = take_cpu(view, head);
        view->tests = 0;
        view->baseline = (struct baseline){0};
        break;
    case RECORD_TEST:
        view->tests = take_tests(view, head);
        break;
    case RECORD_END:
        if (!view->end)
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
