/* SPDX-License-Identifier: BSD-2-Clause */
#include "rows.h"

#define CALIBRATION_SAMPLES_MIN 8u /* clean ones that the window's cost must rest on */

static const char *const VERDICTS[VERDICT_COUNT] = {
#define VERDICT_WORD(code, word) [code] = word,
    VERDICT_LIST(VERDICT_WORD)
#undef VERDICT_WORD
};

const char *verdict_name(unsigned verdict)
{
    return verdict < VERDICT_COUNT ? VERDICTS[verdict] : "?";
}

bool verdict_fails(unsigned verdict)
{
    return verdict == VERDICT_FAULT || verdict == VERDICT_TIMEOUT || verdict == VERDICT_NOISY ||
           verdict == VERDICT_OFF;
}

unsigned rows_count(const struct view *view)
{
    return view->run->events + 1;
}

static void say(struct row *row, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct row *row, enum verdict verdict, const char *format, ...)
{
    struct out out = out_buffer(row->reason, sizeof(row->reason));
    va_list arguments;

    row->verdict = verdict;
    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    out_end(&out);
}

/* How much the status of an unavailable row tells of why a run counted nothing. */
enum weight { WEIGHT_NONE, WEIGHT_KERNEL, WEIGHT_NO_PMU, WEIGHT_PMU };

static enum weight weight_of(uint32_t status)
{
    switch (status) {
    case STATUS_OK:
        return WEIGHT_NONE;
    case STATUS_CPU_FEATURE:
        return WEIGHT_KERNEL;
    case STATUS_NO_PMU:
    case STATUS_VENDOR:
        return WEIGHT_NO_PMU;
    default: /* a PMU is advertised */
        return WEIGHT_PMU;
    }
}

/* What ends a result before any of its counts matter. True when the row is settled. */
static bool settle_by_result(const struct view *view, const struct result *result, unsigned index,
                             struct row *row)
{
    const char *why = status_text(result->status);

    row->status = result->status;
    switch (result->status) {
    case STATUS_OK:
        return false;
    case STATUS_CPU_FEATURE: /* without a PMU the event would not be there either */
        if (row->event && weight_of(view->cpu->schedule.status[index]) == WEIGHT_NO_PMU)
            row->status = view->cpu->schedule.status[index];
        say(row, VERDICT_UNAVAILABLE, "%s", status_text(row->status));
        return true;
    case STATUS_FAULT:
        say(row, VERDICT_FAULT, "%s: vector %u, error code 0x%x, at offset 0x%llx", why,
            result->vector, result->error_code, (unsigned long long)result->fault_offset);
        return true;
    case STATUS_NO_MEMORY:
        say(row, VERDICT_FAULT, "%s", why);
        return true;
    case STATUS_TIMEOUT:
    case STATUS_SKIPPED:
    case STATUS_START_FAILED:
        say(row, VERDICT_TIMEOUT, "%s", why);
        return true;
    default:
        say(row, VERDICT_UNAVAILABLE, "%s", why);
        return true;
    }
}

static bool pass_failed(const struct result *result, struct row *row)
{
    const struct pmu_error *error = &result->program_error;

    if (!(result->program_error_passes >> row->pass & 1))
        return false;
    row->status = error->status;
    say(row, VERDICT_UNAVAILABLE, "%s: MSR 0x%x, wrote 0x%llx, read 0x%llx",
        status_text(error->status), error->msr, (unsigned long long)error->written,
        (unsigned long long)error->read);
    return true;
}

static bool settle_by_event(const struct view *view, const struct result *result, unsigned index,
                            struct row *row)
{
    const struct schedule *schedule = &view->cpu->schedule;
    unsigned status = schedule->status[index];

    row->status = status;
    if (status == STATUS_EVENT_ABSENT) {
        say(row, VERDICT_UNAVAILABLE, "%s (bit %d)", status_text(status), row->event->arch);
        return true;
    }
    if (status != STATUS_OK || !schedule_find(schedule, index, &row->pass, &row->slot_index)) {
        say(row, VERDICT_UNAVAILABLE, "%s", status_text(status));
        return true;
    }
    row->has_slot = true;
    row->slot = schedule->pass[row->pass].slot[row->slot_index];
    return pass_failed(result, row);
}

/* The window's own counts for a slot: declared for retired events; for others the least it took. */
static int64_t window_cost(const struct view *view, const struct row *row, unsigned slot)
{
    const struct baseline *baseline = &view->baseline;
    int declared = row->event->declared;
    int64_t wrmsr = declared == DECLARED_INSTRUCTIONS ? (int64_t)baseline->wrmsr_counted : 0;

    if (declared == EVENT_UNDECLARED)
        return (int64_t)baseline->min[row->pass][slot];
    return view->run->window_cost[declared] + wrmsr;
}

/* Whether the calibration of the row's counter came out as declared; if not, the row is off. */
static bool window_is_right(const struct view *view, struct row *row, unsigned slot, int64_t cost)
{
    const struct baseline *baseline = &view->baseline;
    uint64_t min = baseline->min[row->pass][slot], max = baseline->max[row->pass][slot];

    row->window_off = true;
    if (baseline->samples[row->pass] < CALIBRATION_SAMPLES_MIN) {
        say(row, VERDICT_OFF, "window cost: the empty window could not be calibrated");
        return false;
    }
    if (row->event->declared != EVENT_UNDECLARED) {
        row->window_off = min != (uint64_t)cost || max != (uint64_t)cost;
        if (row->window_off)
            say(row, VERDICT_OFF,
                "window cost: the empty window counted %llu to %llu, declared %lld",
                (unsigned long long)min, (unsigned long long)max, (long long)cost);
        return !row->window_off;
    }
    row->window_off = row->event->unit != UNIT_COUNT && max == 0;
    if (row->window_off)
        say(row, VERDICT_OFF, "window cost: the counter counts nothing");
    return !row->window_off;
}

/* The second method: the kernel at 2n less the kernel at n, free of any constant cost. */
static bool difference_agrees(const struct view *view, const struct result *result, unsigned slot,
                              int64_t cost, struct row *row)
{
    const struct expect *expect = &row->expect;
    int64_t slope = expect->low_2n - expect->low, n_raw = row->stats.min + cost;
    struct stats twice;

    if (expect->kind != EXPECT_EXACT || row->stats.min != row->stats.max)
        return true;
    stats_make(view->scratch, view_values(view, result, row->pass, slot, SAMPLE_2N, 0), &twice);
    if (twice.count == 0) {
        say(row, VERDICT_NOISY, "n and 2n: no sample at 2n was clean");
        return false;
    }
    if (twice.min - n_raw == slope && twice.max - n_raw == slope)
        return true;
    say(row, VERDICT_OFF, "n and 2n: their difference is %lld to %lld, declared %lld",
        (long long)(twice.min - n_raw), (long long)(twice.max - n_raw), (long long)slope);
    return false;
}

static void judge(struct row *row)
{
    const struct expect *expect = &row->expect;
    const struct stats *stats = &row->stats;

    if (expect->kind == EXPECT_NOTHING) {
        row->verdict = VERDICT_MEASURED;
    } else if (stats->min >= expect->low && stats->max <= expect->high) {
        row->verdict = expect->kind == EXPECT_EXACT ? VERDICT_EXACT : VERDICT_WITHIN;
    } else if (expect->kind == EXPECT_EXACT) {
        say(row, VERDICT_OFF, "expected %lld, counted %lld to %lld", (long long)expect->low,
            (long long)stats->min, (long long)stats->max);
    } else {
        say(row, VERDICT_OFF, "expected %lld to %lld, counted %lld to %lld", (long long)expect->low,
            (long long)expect->high, (long long)stats->min, (long long)stats->max);
    }
}

/* Statistics of one slot's accepted samples, less the window's cost. True when there are enough. */
static bool gather(const struct view *view, const struct result *result, unsigned slot,
                   int64_t cost, struct row *row)
{
    size_t count = view_values(view, result, row->pass, slot, SAMPLE_N, &row->rejected);

    for (size_t i = 0; i < count; i++)
        view->scratch[i] -= cost;
    stats_make(view->scratch, count, &row->stats);
    row->accepted = (uint32_t)count;
    if (count >= view->run->runs)
        return true;
    say(row, VERDICT_NOISY,
        "only %u of %u samples were clean: %u were rejected for SMIs, NMIs or "
        "overflows",
        row->accepted, view->run->runs, row->rejected);
    return false;
}

static void tsc_row(const struct view *view, const struct result *result, struct row *row)
{
    if (pass_failed(result, row))
        return;
    row->window_off = view->baseline.samples[0] < CALIBRATION_SAMPLES_MIN;
    if (row->window_off)
        say(row, VERDICT_OFF, "window cost: the empty window could not be calibrated");
    else if (gather(view, result, SLOT_TSC, view->baseline.tsc_min[0], row))
        row->verdict = VERDICT_MEASURED;
}

bool row_window(const struct view *view, unsigned index, struct row *row)
{
    unsigned slot = 0;

    *row = (struct row){.verdict = VERDICT_MEASURED, .event = &view->run->event[index]};
    if (!schedule_find(&view->cpu->schedule, index, &row->pass, &slot))
        return true;
    return window_is_right(view, row, slot, window_cost(view, row, slot));
}

void row_make(const struct view *view, const struct result *result, unsigned index, struct row *row)
{
    unsigned slot;
    int64_t cost;

    *row = (struct row){.verdict = VERDICT_MEASURED};
    if (index < view->run->events) {
        row->event = &view->run->event[index];
        if (row->event->declared != EVENT_UNDECLARED)
            row->expect = view->kernel[result->kernel]->expect[row->event->declared];
    }
    if (settle_by_result(view, result, index, row))
        return;
    if (!row->event) {
        tsc_row(view, result, row);
        return;
    }
    if (settle_by_event(view, result, index, row))
        return;
    slot = row->slot_index;
    cost = window_cost(view, row, slot);
    if (gather(view, result, slot, cost, row) && window_is_right(view, row, slot, cost) &&
        difference_agrees(view, result, slot, cost, row))
        judge(row);
}

void tally_add(struct tally *tally, const struct row *row)
{
    tally->of[row->verdict]++;
    if (row->event && row->accepted > 0)
        tally->counted++;
    if (row->verdict == VERDICT_UNAVAILABLE && weight_of(row->status) > weight_of(tally->why_not))
        tally->why_not = row->status;
}

uint32_t tally_failed(const struct tally *tally)
{
    uint32_t failed = tally->lost;

    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        if (verdict_fails(v))
            failed += tally->of[v];
    return failed;
}

void tally_line(const struct tally *tally, struct out *out)
{
    uint32_t failed = tally_failed(tally);

    if (failed > 0)
        out_printf(out, "FAIL %u", failed);
    else if (tally->counted > 0)
        out_text(out, "PASS");
    else if (tally->why_not == STATUS_NO_PMU || tally->why_not == STATUS_VENDOR)
        out_printf(out, "NOT MEASURED %s", status_text(tally->why_not));
    else /* a PMU that is advertised and counts nothing, or nothing that was run */
        out_printf(out, "FAIL %u", tally->of[VERDICT_UNAVAILABLE]);
}
