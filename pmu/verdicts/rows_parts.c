/* SPDX-License-Identifier: BSD-2-Clause */
/* What the judges of rows share. */
#include "pmu/verdicts/rows_parts.h"

void row_say(struct row *row, enum verdict verdict, const char *format, ...)
{
    struct out out = out_buffer(row->reason, sizeof(row->reason));
    va_list arguments;

    row->verdict = verdict;
    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    out_end(&out);
}

bool row_slot_ran(const struct view *view, const struct result *result, unsigned pass,
                  unsigned slot)
{
    struct rejected rejected;

    return view_values(view, result, pass, slot, SAMPLE_N, &rejected) + rejected.count > 0;
}
