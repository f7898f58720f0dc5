/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the sums that must hold. */
#include "pmu/report/parts.h"

#define AGREE_SHOWN 6u /* agreeing sums that are listed; further agreeing sums are only counted */

static void put(const struct run_sum *sum, bool is_first, struct out *out)
{
    char text[RUN_SUM_WORDS_BYTES];
    struct out words = out_buffer(text, sizeof(text));

    render_sum_words(sum, &words);
    out_printf(out, "%*s", -(int)REPORT_INDENT, is_first ? "Sums" : "");
    report_wrapped(out_end(&words), REPORT_INDENT, out);
}

void report_find_sums(struct report *report, const struct view *view)
{
    struct sums sums = {.count = 0};

    sums_find(&sums, view);
    report->has_sums |= sums.count > 0;
}

void report_sums(struct report *report, const struct render *render)
{
    struct out *out = report->out;
    struct run_sums sums;
    unsigned agree = 0, shown = 0;

    if (!report->has_sums)
        return;
    render_sums(render, &sums);
    for (unsigned i = 0; i < sums.count; i++)
        if (sums.of[i].differs > 0)
            put(&sums.of[i], shown++ == 0, out);
    for (unsigned i = 0; i < sums.count; i++)
        if (sums.of[i].differs == 0 && ++agree <= AGREE_SHOWN)
            put(&sums.of[i], shown++ == 0, out);
    if (agree > AGREE_SHOWN)
        out_printf(out, "%*sfurther sums that agree: %u; see run.json\n", (int)REPORT_INDENT, "",
                   agree - AGREE_SHOWN);
    out_flush(out);
}
