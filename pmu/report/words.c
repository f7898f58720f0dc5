/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes lines that several reports share. */
#include "pmu/base/text.h"
#include "pmu/files/facts.h"
#include "pmu/report/parts.h"

void report_time(uint64_t us, enum stopped_by stopped, unsigned source, struct out *out)
{
    const char *const by[] = {
        [STOPPED_NOT] = "",
        [STOPPED_BY_USER] =
            source == SOURCE_LINUX ? ", ended early by a signal" : ", ended early by a key",
        [STOPPED_BY_MACHINE_CHECK] = ", ended early by a machine check",
    };
    char time[TIME_WORDS_BYTES];

    out_printf(out, "Time      %s%s\n", time_words(us, true, time),
               stopped <= STOPPED_BY_MACHINE_CHECK ? by[stopped] : "");
    out_flush(out);
}

void report_left_out(unsigned kernels, unsigned asked, struct out *out)
{
    char all[COUNTED_BYTES];

    if (kernels < asked)
        out_printf(out, "Left out  %u of %s because of max_time: run.json lists them\n",
                   asked - kernels, counted(asked, "kernel", all));
    out_flush(out);
}

void report_plan_errors(unsigned errors, const char *more, bool strict, struct out *out)
{
    out_printf(out, "! plan errors: %u%s; %s\n", errors, more,
               strict ? "strict=yes: nothing is measured" : "the rest of the plan applies");
    out_flush(out);
}

static void put_fact(void *context, const char *name, const char *value)
{
    struct out *out = context;

    out_printf(out, "%*s", -(int)REPORT_INDENT, name);
    report_wrapped(value, REPORT_INDENT, out);
}

void report_machine(const struct run_record *run, const struct cpu_caps *caps, struct out *out)
{
    out_printf(out,
               run->source == SOURCE_LINUX
                   ? "barecount-linux %s: hardware counters through perf_event_open\n\n"
                   : "barecount %s: hardware counters, with no operating system in between\n\n",
               run->version);
    facts_machine(run, caps, put_fact, out);
    out_flush(out);
}

void report_pmu(const struct cpu_caps *caps, struct out *out)
{
    facts_pmu(caps, put_fact, out);
    out_flush(out);
}

void report_plan(const struct run_record *run, unsigned passes, struct out *out)
{
    facts_plan(run, passes, put_fact, out);
    out_flush(out);
}

void report_wrapped(const char *sentence, unsigned indent, struct out *out)
{
    size_t left = text_length(sentence), width = REPORT_COLUMNS - indent;

    while (left > width) {
        size_t cut = width;

        while (cut > 0 && sentence[cut] != ' ')
            cut--;
        cut = cut ? cut : width;
        for (size_t i = 0; i < cut; i++)
            out_char(out, sentence[i]);
        out_printf(out, "\n%*s", (int)indent, "");
        sentence += cut + (sentence[cut] == ' ');
        left = text_length(sentence);
    }
    out_printf(out, "%s\n", sentence);
}
