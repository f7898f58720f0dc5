/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes results.csv: values of rows, rates and times. */
#include "pmu/verdicts/clock.h"
#include "pmu/base/csv.h"
#include "pmu/verdicts/differs.h"
#include "pmu/uncore/words.h"
#include "pmu/files/render_parts.h"
#include "pmu/files/trusted.h"
#include "pmu/counters/unit.h"
#include "pmu/cpu/tsc.h"

/* Other programs rely on these columns; new ones are appended. */
#define RESULTS_HEADER                                                                             \
    "cpu,apic_id,core_type,kernel,param,event,encoding,runs,rejected,min,median,mean,max,stddev,"  \
    "per_iteration,expected,verdict,ring,mode,counter,pass,partner,scope,unit,n,q1,q3,modes,"      \
    "reason,mad,stable,differs,mhz,ns,rate,rate_unit,cold,copies,per_copy,per_copy_min,"           \
    "per_copy_max,run,machine,expected_low,expected_high,noisy_by,uncore_mhz_low,"                 \
    "uncore_mhz_high,time_from,trust\r\n"

static void put_milli(struct out *out, bool present, int64_t thousandths)
{
    if (present)
        out_milli(out, thousandths);
    out_char(out, ',');
}

/* A result of an MSR script has only one value, which is written as both quartiles. */
static void put_quartiles(struct out *out, const struct row *row)
{
    unsigned long long value = row->msr ? row->msr->value : 0;

    if (row->msr && row->accepted > 0) {
        out_printf(out, "%llu,%llu,", value, value);
        return;
    }
    put_milli(out, row->accepted > 0, row->stats.q1_milli);
    put_milli(out, row->accepted > 0, row->stats.q3_milli);
}

/*
 * The mean divided by n. For a kernel of a section [code], the overhead cancels out in (mean at 2n
 * - mean at n) / n.
 */
static void put_per_iteration(struct out *out, const struct row *row,
                              const struct known_kernel *kernel)
{
    bool difference = kernel->flags & KNOWN_DIFFERENCE;
    int64_t less = difference ? row->stats.mean_milli : 0;
    int64_t mean = difference ? row->twice.mean_milli : row->stats.mean_milli;

    put_milli(out, row->accepted > 0 && (row->twice.count > 0 || !difference),
              (mean - less) / (int64_t)kernel->n);
}

static void put_statistics(struct out *out, const struct row *row,
                           const struct known_kernel *kernel)
{
    const struct stats *s = &row->stats;
    bool present = row->accepted > 0;

    out_printf(out, "%u,%u,", row->accepted, row->rejected);
    put_milli(out, present, s->min * 1000);
    put_milli(out, present, s->median_milli);
    put_milli(out, present, s->mean_milli);
    put_milli(out, present, s->max * 1000);
    put_milli(out, present, s->stddev_milli);
    put_per_iteration(out, row, kernel);
    if (row->expect.kind != EXPECT_NOTHING)
        out_printf(out, "%lld", (long long)row->expect.low);
    if (row->expect.kind == EXPECT_RANGE)
        out_printf(out, "..%lld", (long long)row->expect.high);
    if (row->expect.kind == EXPECT_AT_LEAST)
        out_text(out, "..");
    out_char(out, ',');
}

/* Fills the columns from "runs" to "expected". */
static void put_value(struct out *out, const struct msr_result *msr)
{
    unsigned long long value = msr->value;

    if (msr->fault)
        out_text(out, "0,0,,,,,,,,");
    else
        out_printf(out, "1,0,%llu,%llu,%llu,%llu,0,,,", value, value, value, value);
}

static void put_encoding(const struct row *row, struct out *out)
{
    static const char *const INSTRUCTIONS[MSR_OPS] = {
        [MSR_OP_READ] = "rdmsr", [MSR_OP_WRITE] = "wrmsr", [MSR_OP_RDTSC] = "rdtsc"};

    if (row->event)
        render_encoding(row->event, out);
    else
        out_text(out, INSTRUCTIONS[row->msr ? row->msr->kind : MSR_OP_RDTSC]);
}

/* Returns the kernel's ring for a row without an event, and "" for an uncore event. */
static const char *ring_name(const struct view *view, const struct event *event)
{
    if (event && event->scope == SCOPE_UNCORE)
        return "";
    return render_rings(event ? event->rings : view->run->kernel_ring);
}

static const char *unit_name(const struct row *row)
{
    if (row->event)
        return event_unit_name(row->event);
    return row->msr && row->msr->kind != MSR_OP_RDTSC ? "value" : "tsc ticks";
}

/* From this function on, a comma is written before each column instead of after it. */
static void put_spread(const struct row *row, unsigned differs, struct out *out)
{
    const struct stats *s = &row->stats;

    out_char(out, ',');
    if (s->count > 0)
        out_milli(out, s->mad_milli);
    out_text(out, s->count < STATS_SPEAK_MIN ? "," : s->stable ? ",yes" : ",no");
    out_char(out, ',');
    differs_words(differs, out);
}

uint64_t render_khz(const struct view *view, const struct result *result, const struct row *row)
{
    struct clock clock = {0};

    if (row->stats.count == 0 || row->counter_off)
        return 0;
    if (row_is_tsc_rate(row))
        return clock_tsc_khz(view->run);
    if (!row_is_cycles(row))
        return 0;
    clock_add(&clock, view, result);
    return clock_tells(clock.reference, clock.samples, view->run) ? clock_run_khz(&clock, view->run)
                                                                  : 0;
}

static bool put_time(const struct view *view, const struct result *result, const struct row *row,
                     struct out *out)
{
    uint64_t khz = render_khz(view, result, row);

    if (khz == 0) {
        out_text(out, ",,");
        return false;
    }
    out_char(out, ',');
    out_milli(out, (int64_t)khz);
    out_char(out, ',');
    out_milli(out, clock_median_ns_milli(row->stats.median_milli, khz));
    return true;
}

static void put_rate(const struct row *row, struct out *out)
{
    out_char(out, ',');
    if (row->has_rate)
        out_milli(out, row->rate_milli);
    out_char(out, ',');
    if (row->has_rate)
        out_text(out, unit_rate_name(row->event));
}

/*
 * Empty if the kernel has no buffer or pattern, if n = 1 is enough to go through all of the buffer
 * or pattern, or if the journal is old.
 */
static const char *cold_word(const struct view *view, const struct known_kernel *kernel)
{
    return kernel->round <= 1 ? "" : view_is_cold(view, kernel) ? "yes" : "no";
}

static void put_copies(const struct row *row, const struct known_kernel *kernel, struct out *out)
{
    const struct stats *twice = &row->twice;
    const int64_t milli[] = {twice->median_milli, twice->min * 1000, twice->max * 1000};

    if (kernel->copies == 0) {
        out_text(out, ",,,,");
        return;
    }
    out_printf(out, ",%llu", (unsigned long long)kernel->copies);
    for (unsigned i = 0; i < sizeof(milli) / sizeof(milli[0]); i++) {
        out_char(out, ',');
        if (row->accepted > 0 && twice->count > 0)
            out_milli(out, row_per_copy_milli(kernel, row, milli[i]));
    }
}

static void put_identity(const struct reading *reading, struct out *out)
{
    const struct run_record *run = reading->view.run;

    out_char(out, ',');
    render_run_id(run, reading->cursor.run_id, out);
    out_char(out, ',');
    csv_write(out, run->smbios.uuid);
}

static void put_bounds(const struct row *row, struct out *out)
{
    if (row->expect.kind == EXPECT_NOTHING)
        out_text(out, ",,");
    else if (row->expect.kind == EXPECT_AT_LEAST)
        out_printf(out, ",%lld,", (long long)row->expect.low);
    else
        out_printf(out, ",%lld,%lld", (long long)row->expect.low, (long long)row->expect.high);
}

static void put_noisy_by(const struct row *row, struct out *out)
{
    char words[NOISY_BY_BYTES];
    struct out text = out_buffer(words, sizeof(words));

    noisy_by_words(row->noisy_by, &text);
    out_char(out, ',');
    csv_write(out, out_end(&text));
}

/* MSR_UNCORE_PERF_STATUS has steps of nominally 100 MHz; a slower bus clock is ignored. */
static void put_uncore_clock(const struct result *result, struct out *out)
{
    if (result->uncore_ratio_low > 0)
        out_printf(out, ",%u,%u", result->uncore_ratio_low * 100, result->uncore_ratio_high * 100);
    else
        out_text(out, ",,");
}

/* What an earlier run has found out about this event on this counter. */
static void put_trust(const struct view *view, const struct row *row, struct out *out)
{
    char text[TRUST_WORDS_BYTES];
    struct out kind = out_buffer(text, sizeof(text));
    struct trusted found;

    if (!row->event || row->event->scope == SCOPE_UNCORE || !row->has_slot ||
        !trusted_find(view->trust, row->event, &row->slot, &found))
        return;
    piece_put(found.kind, &kind);
    csv_write(out, out_end(&kind));
}

static const char *scope_name(const struct row *row)
{
    return row->event && row->event->scope == SCOPE_UNCORE ? "package" : "thread";
}

static void put_row(const struct reading *reading, const struct result *result,
                    const struct row *row, unsigned differs, struct out *out)
{
    const struct view *view = &reading->view;
    const struct known_kernel *kernel = view->kernel[result->kernel];
    const struct cpu_caps *caps = &view->cpu->caps;
    char text[EVENT_NAME_BYTES];
    struct out name = out_buffer(text, sizeof(text));
    bool timed;

    out_printf(out, "%u,%u,%s,", result->cpu, caps->x2apic_id, caps_core_type_name(caps));
    csv_write(out, kernel->name);
    out_char(out, ',');
    csv_write(out, kernel->param);
    out_char(out, ',');
    row_name(row, &name);
    csv_write(out, out_end(&name));
    out_char(out, ',');
    put_encoding(row, out);
    out_char(out, ',');
    if (row->msr)
        put_value(out, row->msr);
    else
        put_statistics(out, row, kernel);
    out_printf(out, "%s,%s,%s,", verdict_name(row->verdict), ring_name(view, row->event),
               view->run->parallel ? "parallel" : "serial");
    render_counter(row, out);
    out_char(out, ',');
    if (row->has_slot || (!row->event && !row->msr))
        out_printf(out, "%u", row->pass);
    out_char(out, ',');
    if (result->partner != CPU_NONE)
        out_printf(out, "%u", result->partner);
    out_printf(out, ",%s,%s,%llu,", scope_name(row), unit_name(row), (unsigned long long)kernel->n);
    put_quartiles(out, row);
    if (row->stats.count > 0)
        out_printf(out, "%u", row->stats.modes);
    out_char(out, ',');
    csv_write(out, row->reason);
    put_spread(row, differs, out);
    timed = put_time(view, result, row, out);
    put_rate(row, out);
    out_printf(out, ",%s", cold_word(view, kernel));
    put_copies(row, kernel, out);
    put_identity(reading, out);
    put_bounds(row, out);
    put_noisy_by(row, out);
    put_uncore_clock(result, out);
    out_printf(out, ",%s,", timed || row->has_rate ? tsc_source_word(view->run->tsc_source) : "");
    put_trust(view, row, out);
    out_text(out, "\r\n");
}

bool render_results_csv(const struct render *render, struct out *out)
{
    static struct differs differs;
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    const struct result *result;
    struct row row;

    differs_start(&differs);
    out_text(out, RESULTS_HEADER);
    while ((result = reading_next_result(&reading)))
        for (unsigned i = 0; i < rows_count(view, result); i++) {
            row_make(view, result, i, &row);
            put_row(&reading, result, &row, differs_row(&differs, view, result, &row), out);
        }
    return out_flush(out);
}
