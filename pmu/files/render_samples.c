/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes samples.csv: each raw sample with its evidence. */
#include "pmu/verdicts/clock.h"
#include "pmu/base/scale.h"
#include "pmu/base/csv.h"
#include "pmu/journal/evidence.h"
#include "pmu/files/render_parts.h"

/* Other programs rely on these columns; new ones are appended. */
#define SAMPLES_HEADER                                                                             \
    "cpu,kernel,param,n,event,pass,attempt,accepted,evidence,smis,nmis,tsc,raw,"                   \
    "overflowed,reference,core_per_reference,mperf,aperf,thermal,package_thermal,limits,"          \
    "machine_checks,gap_ticks,partner\r\n"

/* Makes scale_khz() return core / reference in thousandths. */
#define HZ_OF_THOUSANDTHS 1000000u

/*
 * Writes the reference cycles, and the core cycles per reference cycle. The quotient is left out if
 * the counters count different rings, or if the reference clock's steps distort the quotient.
 */
static void put_cycles(const struct view *view, const struct sample *sample, struct out *out)
{
    unsigned core, reference;
    bool both = clock_slots(view, &view->schedule->pass[sample->pass], &core, &reference);
    uint64_t milli;

    out_char(out, ',');
    if (reference != SLOTS_MAX)
        out_printf(out, "%lld", (long long)sample->raw[reference]);
    out_char(out, ',');
    if (!both || sample->raw[core] > CLOCK_CYCLES_MAX ||
        sample->raw[reference] > CLOCK_CYCLES_MAX ||
        !clock_tells(sample->raw[reference], 1, view->run))
        return;
    milli = scale_khz(sample->raw[core], sample->raw[reference], HZ_OF_THOUSANDTHS);
    out_printf(out, "%llu.%03llu", (unsigned long long)(milli / 1000),
               (unsigned long long)(milli % 1000));
}

static void put_hex(struct out *out, bool present, uint32_t value)
{
    out_char(out, ',');
    if (present)
        out_printf(out, "0x%x", value);
}

static void put_surroundings(const struct view *view, const struct sample *sample, struct out *out)
{
    const uint32_t flags = view->cpu->flags;

    put_cycles(view, sample, out);
    if (flags & CPU_HAS_APERF)
        out_printf(out, ",%llu,%llu", (unsigned long long)sample->mperf,
                   (unsigned long long)sample->aperf);
    else
        out_text(out, ",,");
    put_hex(out, flags & CPU_HAS_THERM_STATUS, sample->thermal);
    put_hex(out, flags & CPU_HAS_PACKAGE_THERM_STATUS, sample->package_thermal);
    put_hex(out, flags & (CPU_HAS_CORE_LIMITS | CPU_HAS_CORE_LIMITS_HASWELL), sample->limits);
    out_char(out, ',');
    if (view->cpu->mc_banks > 0)
        out_printf(out, "%u", sample->mc_changed);
    out_char(out, ',');
    if (flags & CPU_HAS_APERF && !(flags & CPU_MPERF_DIFFERS))
        out_printf(out, "%u", sample->gap_ticks);
}

/* What the lines of a sample have in common. Rendered once per sample, because it takes long. */
struct common {
    char before[288];  /* from cpu to n */
    char order[16];    /* pass and attempt */
    char between[144]; /* from evidence to tsc */
    char after[192];   /* from reference to the end */
};

static void take_common(const struct view *view, const struct result *result,
                        const struct sample *sample, struct common *common)
{
    const struct known_kernel *kernel = view->kernel[result->kernel];
    struct out before = out_buffer(common->before, sizeof(common->before));
    struct out between = out_buffer(common->between, sizeof(common->between));
    struct out after = out_buffer(common->after, sizeof(common->after));

    out_printf(&before, "%u,", result->cpu);
    csv_write(&before, kernel->name);
    out_char(&before, ',');
    csv_write(&before, kernel->param);
    out_printf(&before, ",%llu",
               (unsigned long long)(sample->kind == SAMPLE_2N ? 2 * kernel->n : kernel->n));
    out_end(&before);
    out_put(common->order, sizeof(common->order), ",%u,%u,", sample->pass, sample->attempt);
    evidence_words(sample->evidence, &between);
    out_char(&between, ',');
    if (sample->smis != SMIS_UNKNOWN)
        out_printf(&between, "%u", sample->smis);
    out_printf(&between, ",%u,%llu", sample->nmis, (unsigned long long)sample->tsc);
    out_end(&between);
    put_surroundings(view, sample, &after);
    out_char(&after, ',');
    if (result->partner != CPU_NONE)
        out_printf(&after, "%u", result->partner);
    out_text(&after, "\r\n");
    out_end(&after);
}

/*
 * Writes one line for each counter that counted, or one for the time stamp if the pass has no
 * counters.
 */
static void put_sample(const struct view *view, const struct result *result,
                       const struct sample *sample, struct out *out)
{
    const struct pass *pass = &view->schedule->pass[sample->pass];
    struct common common;
    unsigned slot = 0;

    take_common(view, result, sample, &common);
    do {
        bool counted = slot < pass->slots;

        if (counted && !sample_has(sample, slot))
            continue;
        out_text(out, common.before);
        out_char(out, ',');
        csv_write(out, counted ? view->event[pass->slot[slot].event].name : "TSC");
        out_text(out, common.order);
        out_text(out, sample_is_clean(
                          sample, view_is_of_time(view, sample->pass, counted ? slot : SLOT_TSC))
                          ? "1,"
                          : "0,");
        out_text(out, common.between);
        out_printf(out, ",%lld,", (long long)(counted ? sample->raw[slot] : sample->tsc));
        if (counted && view_tells_overflow(view) && pass->slot[slot].where != SLOT_UNCORE)
            out_printf(out, "%u", sample->overflowed >> slot & 1);
        out_text(out, common.after);
    } while (++slot < pass->slots);
}

bool render_samples_csv(const struct render *render, struct out *out)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    const struct result *result;

    out_text(out, SAMPLES_HEADER);
    while ((result = reading_next_result(&reading)))
        for (uint32_t i = 0; i < result->samples; i++)
            if (result_sample(result, i)->pass < view->schedule->passes)
                put_sample(view, result, result_sample(result, i), out);
    return out_flush(out);
}
