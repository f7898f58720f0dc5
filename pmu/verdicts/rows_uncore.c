/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges rows of uncore events. */
#include "pmu/uncore/words.h"
#include "pmu/verdicts/rows_parts.h"
#include "pmu/base/scale.h"
#include "pmu/counters/unit.h"
#include "pmu/base/text.h"

/*
 * Energy registers are updated about every millisecond (Intel SDM vol. 3B "RAPL Interfaces"), so
 * after 100 ms the error is at most 1 %.
 */
#define ENERGY_WINDOW_MS 100u
/*
 * A 32-bit counter of lines wraps after 256 GiB. Machines with such counters transfer up to 2^30
 * lines/s (68.7 GB/s, two channels of LPDDR4-4266), so the counter can wrap after 4 s.
 */
#define NARROW_BITS 32u
#define NARROW_MS   4000u
#define US_PER_S    1000000u
#define US_PER_MS   1000u

static const struct uncore_record_group *group_of(const struct view *view, const struct row *row)
{
    const struct uncore_record *uncore = view->uncore;

    for (uint32_t i = 0; uncore && i < uncore->groups; i++)
        if (uncore->group[i].kind == row->event->kind)
            return &uncore->group[i];
    return 0;
}

static const struct uncore_error *found_error(const struct view *view, const struct row *row)
{
    const struct uncore_record_group *group = group_of(view, row);
    const struct uncore_error *error =
        group ? &view->uncore->error[group - view->uncore->group] : 0;

    return error && error->status != STATUS_OK ? error : 0;
}

void row_say_uncore_status(const struct view *view, struct row *row)
{
    const struct cpu_caps *caps = &view->cpu->caps;
    const struct uncore_error *error = found_error(view, row);
    struct out out = out_buffer(row->reason, sizeof(row->reason));

    out.used = text_length(row->reason);
    if (view->uncore && view->uncore->model[0])
        out_printf(&out, ": %s", view->uncore->model);
    else if (row->status == STATUS_UNCORE_UNKNOWN)
        out_printf(&out, ": %s, family %u, model 0x%x", caps_vendor_name(caps), caps->family,
                   caps->model);
    if (error && error->status == row->status) {
        out_text(&out, ", ");
        uncore_register_words(error, &out);
    }
    out_end(&out);
}

static const struct uncore_error *met_by(const struct view *view, const struct result *result,
                                         const struct row *row)
{
    for (unsigned i = 0; i < UNCORE_GROUPS_MAX; i++)
        if (result->uncore_error[i].status != STATUS_OK &&
            result->uncore_error[i].kind == row->event->kind)
            return &result->uncore_error[i];
    return found_error(view, row);
}

static const struct uncore_error *error_of(const struct view *view, const struct result *result,
                                           const struct row *row)
{
    const struct uncore_error *error = met_by(view, result, row);

    return error && !row_slot_ran(view, result, row->pass, row->slot_index) ? error : 0;
}

/* The empty window is checked too, because its count is subtracted from the kernel's. */
static bool kind_failed(const struct view *view, const struct result *result, struct row *row)
{
    const struct uncore_error *error = error_of(view, result, row);
    char text[REASON_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (!error && view->calibration) {
        error = error_of(view, view->calibration, row);
        out_text(&out, "in the empty window ");
    }
    if (!error)
        return false;
    row->status = error->status;
    if (error->pass != UNCORE_ALL_PASSES && error->pass != row->pass) {
        out_printf(&out, "its pass was not programmed, because pass %u failed: ", error->pass);
        uncore_register_words(error, &out);
    } else {
        uncore_error_words(error, &out);
    }
    row_say(row, VERDICT_UNAVAILABLE, "%s", out_end(&out));
    return true;
}

struct windows {
    uint64_t least_us, most_us;
};

static bool windows_of(const struct view *view, const struct result *result, const struct row *row,
                       struct windows *windows)
{
    struct stats stats;

    stats_make(view->scratch, view_values(view, result, row->pass, SLOT_TSC, SAMPLE_N, 0), &stats);
    if (stats.count == 0 || stats.min < 0 || view->run->tsc_hz == 0)
        return false;
    windows->least_us = scale((uint64_t)stats.min, US_PER_S, view->run->tsc_hz);
    windows->most_us = scale((uint64_t)stats.max, US_PER_S, view->run->tsc_hz);
    return true;
}

static bool is_too_short(const struct view *view, const struct result *result, struct row *row)
{
    struct windows windows;
    uint64_t us;

    if (row->event->unit != UNIT_MICROJOULES || !windows_of(view, result, row, &windows) ||
        windows.least_us >= ENERGY_WINDOW_MS * US_PER_MS)
        return false;
    us = windows.least_us;
    row_say(row, VERDICT_UNAVAILABLE,
            "energy registers are updated about once a millisecond; the window took %llu.%03u ms, "
            "%u ms are needed: raise n",
            (unsigned long long)(us / US_PER_MS), (unsigned)(us % US_PER_MS), ENERGY_WINDOW_MS);
    return true;
}

/* A free-running counter starts at any value, and does not report that it wrapped. */
static bool may_have_wrapped(const struct view *view, const struct result *result, struct row *row)
{
    const struct uncore_record_group *group = group_of(view, row);
    struct windows windows;
    unsigned ms;

    if (row->event->kind != KIND_IMC_FREE || !group || group->width_bits != NARROW_BITS ||
        !windows_of(view, result, row, &windows) || windows.most_us <= NARROW_MS * US_PER_MS)
        return false;
    ms = (unsigned)(windows.most_us % US_PER_MS);
    row_say(row, VERDICT_UNAVAILABLE,
            "a counter of %u bits can wrap within %u ms; the window took %llu.%03u ms: lower n",
            NARROW_BITS, NARROW_MS, (unsigned long long)(windows.most_us / US_PER_MS), ms);
    return true;
}

bool row_uncore_fails(const struct view *view, const struct result *result, struct row *row)
{
    return kind_failed(view, result, row) || is_too_short(view, result, row) ||
           may_have_wrapped(view, result, row);
}

const struct uncore_record_group *row_uncore_fault(const struct view *view, const struct row *row)
{
    const struct uncore_record_group *group =
        row->event->scope == SCOPE_UNCORE ? group_of(view, row) : 0;

    return group && uncore_group_fails(group) ? group : 0;
}

/*
 * Returns the time in which the counters ran, in time-stamp ticks. If several CPUs measure, the
 * counters run until the last window ends. MPERF then gives the time, because it is read before the
 * counters start and after they stop. Returns 0 (not known) if MPERF is missing or slower than the
 * time stamp.
 */
static uint64_t open_ticks(const struct view *view, const struct result *result,
                           const struct sample *sample)
{
    if (!view->run->parallel && result->partner == CPU_NONE)
        return sample->tsc;
    return (view->cpu->flags & (CPU_HAS_APERF | CPU_MPERF_DIFFERS)) == CPU_HAS_APERF ? sample->mperf
                                                                                     : 0;
}

static uint64_t empty_ticks(const struct view *view, const struct result *result, unsigned pass)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < view->calibration->samples; i++) {
        const struct sample *sample = result_sample(view->calibration, i);
        uint64_t ticks = open_ticks(view, result, sample);

        if (sample->pass == pass && sample_is_clean(sample, true) && ticks < least)
            least = ticks;
    }
    return least;
}

/*
 * Returns the mean time in which the counters ran, minus the empty window's time, in thousandths of
 * a tick. Returns 0 if a rate over this time would be mostly noise.
 */
static uint64_t mean_ticks_milli(const struct view *view, const struct result *result,
                                 const struct row *row)
{
    const bool of_time = event_is_of_time(row->event);
    uint64_t empty = empty_ticks(view, result, row->pass), sum = 0, count = 0, milli;

    for (uint32_t i = 0; i < result->samples; i++) {
        const struct sample *sample = result_sample(result, i);
        uint64_t ticks = open_ticks(view, result, sample);

        if (sample->pass != row->pass || sample->kind != SAMPLE_N ||
            !sample_is_clean(sample, of_time))
            continue;
        if (ticks > (uint64_t)SCALE_MAX || sum > (uint64_t)SCALE_MAX)
            return 0;
        sum += ticks;
        count++;
    }
    milli = count > 0 ? sum * 1000 / count : 0;
    return empty < SCALE_MAX / 2000 && milli > 2000 * empty ? milli - 1000 * empty : 0;
}

void row_uncore_rate(const struct view *view, const struct result *result, struct row *row)
{
    uint64_t ticks_milli;

    if (row->accepted == 0 || !view->calibration || unit_rate_name(row->event)[0] == 0 ||
        view->run->tsc_source == TSC_UNKNOWN || view->run->tsc_hz == 0)
        return;
    ticks_milli = mean_ticks_milli(view, result, row);
    if (ticks_milli == 0)
        return;
    row->has_rate = true;
    row->rate_milli =
        unit_rate_milli(row->event, row->stats.mean_milli, ticks_milli, view->run->tsc_hz);
}
