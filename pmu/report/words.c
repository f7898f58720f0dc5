/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that stand in more than one place. */
#include "pmu/base/text.h"
#include "pmu/report/parts.h"

void report_verdicts(const struct tally *tally, struct out *out)
{
    bool first = true;

    for (unsigned v = 0; v < VERDICT_COUNT; v++) {
        if (tally->of[v] == 0)
            continue;
        out_printf(out, "%s%u %s", first ? "" : ", ", tally->of[v], verdict_name(v));
        first = false;
    }
    out_text(out, first ? "none\n" : "\n");
}

static unsigned bits_set(uint32_t value)
{
    unsigned count = 0;

    for (; value; value &= value - 1)
        count++;
    return count;
}

void report_pmu(const struct cpu_caps *caps, struct out *out)
{
    if (caps->vendor != VENDOR_INTEL)
        out_printf(out, "PMU       %s: %s\n", caps_vendor_name(caps), status_text(STATUS_VENDOR));
    else if (caps->pmu_version == 0)
        out_printf(out, "PMU       none: %s\n", status_text(STATUS_NO_PMU));
    else
        out_printf(out, "PMU       version %u: %u counters of %u bits, %u fixed ones of %u bits\n",
                   caps->pmu_version, caps->gp_count, caps->gp_width_bits,
                   bits_set(caps->fixed_map), caps->fixed_width_bits);
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
