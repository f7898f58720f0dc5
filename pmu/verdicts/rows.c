/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes rows from samples, and judges them. */
#include "pmu/cpu/features.h"
#include "pmu/verdicts/differs.h"
#include "pmu/journal/evidence.h"
#include "pmu/verdicts/rows_parts.h"
#include "pmu/counters/unit.h"
#include "pmu/base/text.h"

unsigned rows_count(const struct view *view, const struct result *result)
{
    return view->events + 1 + result->msrs_before + result->msrs_after;
}

void row_name(const struct row *row, struct out *out)
{
    if (!row->msr) {
        out_text(out, row->event ? row->event->name : "TSC");
        return;
    }
    if (row->msr->kind == MSR_OP_RDTSC)
        out_text(out, "rdtsc");
    else
        out_printf(out, "msr:0x%x", row->msr->msr);
    out_text(out, row->msr_before ? ":before" : "");
}

static void msr_row(const struct view *view, const struct result *result, unsigned index,
                    struct row *row)
{
    index -= view->events + 1;
    row->msr = &result_msrs(result)[index];
    row->msr_before = index < result->msrs_before;
    row->accepted = !row->msr->fault;
    if (!row->msr->fault)
        return;
    row->status = STATUS_MSR_REFUSED;
    row_say(row, VERDICT_UNAVAILABLE, "%s: %s raised #GP", status_text(row->status),
            row->msr->kind == MSR_OP_WRITE ? "WRMSR" : "RDMSR");
}

static void lacking_words(const struct view *view, const struct result *result, struct row *row)
{
    uint64_t needed = view->kernel[result->kernel]->cpu_features;
    uint64_t lacking = caps_lacks(&view->cpu->caps, needed);
    struct out out = out_buffer(row->reason, sizeof(row->reason));

    out.used = text_length(row->reason);
    if (lacking != 0) {
        out_text(&out, ": ");
        cpu_features_words(lacking, &out);
    }
    out_end(&out);
}

static bool settle_by_result(const struct view *view, const struct result *result, struct row *row)
{
    const char *why = status_text(result->status);

    row->status = result->status;
    switch (result->status) {
    case STATUS_OK:
        return false;
    case STATUS_CPU_FEATURE: /* a missing PMU is a better reason */
        if (row->event && weight_of(row->event->status) == WEIGHT_NO_PMU)
            row->status = row->event->status;
        row_say(row, VERDICT_UNAVAILABLE, "%s", status_text(row->status));
        if (row->status == STATUS_CPU_FEATURE)
            lacking_words(view, result, row);
        return true;
    case STATUS_FAULT:
        row_say_fault(row, view, result);
        return true;
    case STATUS_CHANGED:
        row_say_changed(row, result);
        return true;
    case STATUS_SKIPPED_KERNEL:
        row_say(row, VERDICT_FAULT, "%s", why);
        if (view->kernel[result->kernel]->skipped_for != 0)
            row_say(row, VERDICT_FAULT, "%s, in run %04u", why,
                    view->kernel[result->kernel]->skipped_for);
        return true;
    case STATUS_CUT_OFF:
    case STATUS_NO_MEMORY:
    case STATUS_DIED:
    case STATUS_MACHINE_CHECK:
        row_say(row, VERDICT_FAULT, "%s", why);
        return true;
    case STATUS_HANG:
        row_say_hang(row, view, result);
        return true;
    case STATUS_PARTNER:
    case STATUS_TIMEOUT:
    case STATUS_SKIPPED:
    case STATUS_START_FAILED:
    case STATUS_KILLED:
        row_say(row, VERDICT_TIMEOUT, "%s", why);
        return true;
    default:
        row_say(row, VERDICT_UNAVAILABLE, "%s", why);
        return true;
    }
}

static bool pass_failed(const struct view *view, const struct result *result, struct row *row)
{
    const struct pmu_error *error = &result->program_error;

    if (error->status == STATUS_OK || row_slot_ran(view, result, row->pass, SLOT_TSC))
        return false;
    row->status = error->status;
    if (error->msr == 0) /* Linux programmed the counters */
        row_say(row, VERDICT_UNAVAILABLE, "%s", status_text(error->status));
    else if (row->pass == result->program_error_pass)
        row_say(row, VERDICT_UNAVAILABLE, "%s: MSR 0x%x, wrote 0x%llx, read 0x%llx",
                status_text(error->status), error->msr, (unsigned long long)error->written,
                (unsigned long long)error->read);
    else
        row_say(row, VERDICT_UNAVAILABLE,
                "its pass was not programmed, because pass %u failed: MSR 0x%x",
                result->program_error_pass, error->msr);
    return true;
}

static bool settle_by_event(const struct view *view, const struct result *result, unsigned index,
                            struct row *row)
{
    const struct schedule *schedule = view->schedule;
    unsigned status = row->event->status;

    row->status = status;
    if (status == STATUS_EVENT_ABSENT) {
        row_say(row, VERDICT_UNAVAILABLE, "%s (bit %d)", status_text(status), row->event->arch);
        return true;
    }
    if (status != STATUS_OK || !schedule_find(schedule, index, &row->pass, &row->slot_index)) {
        const char *reason = view_reason(view, index);

        row_say(row, VERDICT_UNAVAILABLE, "%s", reason ? reason : status_text(status));
        if (row->event->scope == SCOPE_UNCORE)
            row_say_uncore_status(view, row);
        return true;
    }
    row->has_slot = true;
    row->slot_unknown = view->run->source == SOURCE_LINUX;
    row->slot = schedule->pass[row->pass].slot[row->slot_index];
    return pass_failed(view, result, row) ||
           (row->event->scope == SCOPE_UNCORE && row_uncore_fails(view, result, row));
}

static int64_t value_of(const struct row *row, int64_t raw, int64_t cost)
{
    return row->event ? unit_value(row->event, raw - cost) : raw - cost;
}

/*
 * Gives counts per iteration if the totals are multiples of n, else totals, because totals show
 * even an error of one count.
 */
static void say_difference(const struct known_kernel *kernel, int64_t declared, int64_t low,
                           int64_t high, struct row *row)
{
    const int64_t n = (int64_t)kernel->n;
    const bool whole = low % n == 0 && high % n == 0;
    const int64_t unit = whole ? n : 1;
    char text[REASON_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    out_printf(&out, "declared %lld per iteration", (long long)(declared / n));
    if (!whole)
        out_printf(&out, ", so %lld from n to 2n", (long long)declared);
    out_printf(&out, ", counted %lld", (long long)(low / unit));
    if (low != high)
        out_printf(&out, " to %lld", (long long)(high / unit));
    row_say(row, low == high ? VERDICT_OFF : VERDICT_NOISY, "n and 2n: %s", out_end(&out));
}

/* A constant cost of the window cancels out when the count at n is subtracted from that at 2n. */
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
        row_say(row, VERDICT_NOISY, "n and 2n: no sample at 2n was clean");
        return false;
    }
    if (twice.min - n_raw == slope && twice.max - n_raw == slope)
        return true;
    say_difference(view->kernel[result->kernel], slope, twice.min - n_raw, twice.max - n_raw, row);
    return false;
}

static void judge(struct row *row)
{
    const struct expect *expect = &row->expect;
    const struct stats *stats = &row->stats;

    if (expect->kind == EXPECT_NOTHING) {
        row->verdict = VERDICT_MEASURED;
    } else if (stats->min >= expect->low &&
               (expect->kind == EXPECT_AT_LEAST || stats->max <= expect->high)) {
        row->verdict = expect->kind == EXPECT_EXACT ? VERDICT_EXACT : VERDICT_WITHIN;
    } else if (expect->kind == EXPECT_EXACT) {
        row_say(row, stats->min == stats->max ? VERDICT_OFF : VERDICT_NOISY,
                "expected %lld, counted %lld to %lld", (long long)expect->low,
                (long long)stats->min, (long long)stats->max);
    } else if (expect->kind == EXPECT_AT_LEAST) {
        row_say(row, VERDICT_OFF, "expected at least %lld, counted %lld to %lld",
                (long long)expect->low, (long long)stats->min, (long long)stats->max);
    } else {
        row_say(row, VERDICT_OFF, "expected %lld to %lld, counted %lld to %lld",
                (long long)expect->low, (long long)expect->high, (long long)stats->min,
                (long long)stats->max);
    }
}

static void gather_twice(const struct view *view, const struct result *result, unsigned slot,
                         int64_t cost, struct row *row)
{
    size_t count = view_values(view, result, row->pass, slot, SAMPLE_2N, 0);

    for (size_t i = 0; i < count; i++)
        view->scratch[i] = value_of(row, view->scratch[i], cost);
    stats_make(view->scratch, count, &row->twice);
    stats_shape(view->scratch, row_step(view, row), &row->twice);
}

int64_t row_per_copy_milli(const struct known_kernel *kernel, const struct row *row, int64_t twice)
{
    int64_t copies = (int64_t)(kernel->n * kernel->copies);
    int64_t more = twice - row->stats.median_milli, rest = more % copies;

    return more / copies + (2 * rest >= copies) - (2 * rest <= -copies);
}

static bool gather(const struct view *view, const struct result *result, unsigned slot,
                   int64_t cost, struct row *row)
{
    struct rejected rejected;
    unsigned noisy_by;
    size_t count;
    char words[EVIDENCE_WORDS_BYTES];
    struct out out = out_buffer(words, sizeof(words));

    /* gather_twice() is called first, because it overwrites view->scratch. */
    gather_twice(view, result, slot, cost, row);
    count = view_values(view, result, row->pass, slot, SAMPLE_N, &rejected);
    for (size_t i = 0; i < count; i++)
        view->scratch[i] = value_of(row, view->scratch[i], cost);
    stats_make(view->scratch, count, &row->stats);
    stats_shape(view->scratch, row_step(view, row), &row->stats);
    row->accepted = (uint32_t)count;
    row->rejected = rejected.count;
    if (count >= view->run->runs)
        return true;
    noisy_by = row_noisy_by(row, &rejected, view->run->runs - (uint32_t)count);
    if (noisy_by && row->noisy_by) /* the row keeps the calibration's reason */
        return false;
    evidence_words(rejected.evidence, &out);
    row_say(row, VERDICT_NOISY, "only %u of %u samples were clean, %u rejected (%s)", row->accepted,
            view->run->runs, row->rejected, out_end(&out));
    row->noisy_by = row->counter_off ? 0 : noisy_by;
    return false;
}

static void tsc_row(const struct view *view, const struct result *result, struct row *row)
{
    int64_t cost = view_baseline(view, 0, SLOT_TSC).min;

    if (pass_failed(view, result, row))
        return;
    row->counter_off = !row_is_calibrated(view, row, SLOT_TSC);
    gather(view, result, SLOT_TSC, cost, row);
}

/*
 * EVENT_AT_LEAST: the declared count is a lower bound, because the event also counts what never
 * retires. The window's cost must be declared, because the empty window's count may be too
 * large to subtract.
 */
static bool has_bound(const struct view *view, const struct event *event)
{
    return view->run->method == METHOD_RESET && event->rings & view->run->kernel_ring &&
           view_declares_cost(view, event);
}

static struct expect expectation(const struct view *view, const struct result *result,
                                 const struct event *event)
{
    struct expect expect;

    if (event_declares(event) == EVENT_UNDECLARED)
        return (struct expect){.kind = EXPECT_NOTHING};
    if (event->flags & EVENT_AT_LEAST && !has_bound(view, event))
        return (struct expect){.kind = EXPECT_NOTHING};
    if (!(event->rings & view->run->kernel_ring))
        return (struct expect){.kind = EXPECT_EXACT};
    expect = view_expect(view->kernel[result->kernel], event);
    if (event->flags & EVENT_AT_LEAST && expect.kind != EXPECT_NOTHING)
        expect.kind = EXPECT_AT_LEAST;
    return expect;
}

static void make(const struct view *view, const struct result *result, unsigned index,
                 struct row *row)
{
    bool counter_is_right;
    unsigned slot;
    int64_t cost;

    *row = (struct row){.verdict = VERDICT_MEASURED};
    if (index > view->events) {
        msr_row(view, result, index, row);
        return;
    }
    if (index < view->events) {
        row->event = &view->event[index];
        row->expect = expectation(view, result, row->event);
    }
    if (settle_by_result(view, result, row))
        return;
    if (!row->event) {
        tsc_row(view, result, row);
        return;
    }
    if (settle_by_event(view, result, index, row))
        return;
    slot = row->slot_index;
    cost = row_window_cost(view, row, slot);
    counter_is_right = row_counter_is_right(view, row, slot, cost);
    if (gather(view, result, slot, cost, row) && counter_is_right &&
        row_pass_agrees(view, result, row) && row_overflow_agrees(view, result, row) &&
        difference_agrees(view, result, slot, cost, row))
        judge(row);
    row_uncore_rate(view, result, row);
}

static bool counts_wrongly(const struct tested_counter *failed)
{
    switch (failed ? failed->fault : COUNTER_RIGHT) {
    case COUNTER_OTHER_RING:
    case COUNTER_ANY_RING:
    case COUNTER_VARIES:
    case COUNTER_WINDOW:
        return true;
    default:
        return false;
    }
}

static bool stands_still(const struct view *view, const struct row *row)
{
    const struct slot *slot = &view->schedule->pass[row->pass].slot[row->slot_index];

    return row->has_slot && row->accepted > 0 &&
           row->stats.max + row_window_cost(view, row, row->slot_index) == 0 &&
           !counts_wrongly(counter_check_failed(view->tests, slot));
}

/*
 * A hypervisor may use a counter itself, stop it, or let it count the hypervisor's own events. A
 * wrong count is then not the CPU's fault.
 */
static void blame_hypervisor(const struct view *view, struct row *row)
{
    char why[REASON_BYTES];

    text_copy(why, sizeof(why), row->reason);
    if (stands_still(view, row)) {
        row->status = STATUS_HYPERVISOR;
        row->stats = row->twice = (struct stats){0};
        row->accepted = row->rejected = 0;
        row_say(row, VERDICT_UNAVAILABLE, "%s: %s", status_text(STATUS_HYPERVISOR), why);
    } else {
        row_say(row, VERDICT_NOISY, "under a hypervisor: %s", why);
    }
}

void row_make(const struct view *view, const struct result *result, unsigned index, struct row *row)
{
    make(view, result, index, row);
    if (view->run->hypervisor[0] && row->verdict == VERDICT_OFF)
        blame_hypervisor(view, row);
}

void rows_judge(struct rows *rows, const struct view *view, const struct result *result)
{
    rows->view = view;
    rows->result = result;
    rows->count = rows_count(view, result);
    if (rows->count > ROWS_MAX) /* impossible in a valid plan */
        rows->count = ROWS_MAX;
    for (unsigned i = 0; i < rows->count; i++)
        row_make(view, result, i, &rows->row[i]);
}
