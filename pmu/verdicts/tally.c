/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts verdicts, and finds a run's verdict. */
#include "pmu/verdicts/rows.h"

static const char *const VERDICTS[VERDICT_COUNT] = {VERDICT_LIST(LIST_TEXT)};

const char *verdict_name(unsigned verdict)
{
    return verdict < VERDICT_COUNT ? VERDICTS[verdict] : "?";
}

bool verdict_fails(unsigned verdict)
{
    return verdict == VERDICT_FAULT || verdict == VERDICT_TIMEOUT || verdict == VERDICT_NOISY ||
           verdict == VERDICT_OFF;
}

enum weight weight_of(uint32_t status)
{
    switch (status) {
    case STATUS_OK:
        return WEIGHT_NONE;
    case STATUS_CPU_FEATURE:
    case STATUS_KERNEL_RING0:
    case STATUS_NO_SPACE:
    case STATUS_NO_PAGES:
    case STATUS_NO_MEMORY_TYPE:
    case STATUS_ALONE:
    case STATUS_MSR_REFUSED:
    case STATUS_EVENT_UNKNOWN:
    case STATUS_EVENT_SYNTAX:
    case STATUS_EVENT_TWO:
    case STATUS_EVENT_FIXED:
    case STATUS_EVENT_CORE:
    case STATUS_EVENT_NUMBER:
    case STATUS_PERF_DENIED:
    case STATUS_HUGE_PAGES:
    case STATUS_WRITE_BACK:
    case STATUS_UNCORE_UNKNOWN:
    case STATUS_UNCORE_ABSENT:
    case STATUS_UNCORE_DEVICE:
    case STATUS_UNCORE_PCI:
    case STATUS_UNCORE_OFF:
    case STATUS_UNCORE_REFUSED:
    case STATUS_UNCORE_KEPT:
    case STATUS_UNCORE_LINUX:
    case STATUS_UNCORE_RING:
    case STATUS_UNCORE_FIELD:
    case STATUS_UNCORE_SOCKET:
    case STATUS_UNCORE_TABLE:
    case STATUS_UNCORE_EMPTY:
    case STATUS_UNCORE_MEMORY:
    case STATUS_NOT_MODELLED:
    case STATUS_ONE_AT_A_TIME:
        return WEIGHT_PLAN;
    case STATUS_NO_PMU:
    case STATUS_VENDOR:
    case STATUS_NO_PERF:
        return WEIGHT_NO_PMU;
    default:
        return WEIGHT_PMU;
    }
}

void noisy_by_words(unsigned bits, struct out *out)
{
    static const char *const WORDS[] = {NOISY_BY_LIST(LIST_TEXT)};
    bool first = true;

    for (unsigned i = 0; i < NOISY_BY_COUNT; i++) {
        if (!(bits >> i & 1))
            continue;
        out_printf(out, "%s%s", first ? "" : ", ", WORDS[i]);
        first = false;
    }
}

void tally_add(struct tally *tally, const struct row *row)
{
    tally->of[row->verdict]++;
    tally->noisy_of_time += row->noisy_by != 0;
    tally->noisy_by |= row->noisy_by;
    if (row->event && (row->accepted > 0 || row->noisy_by))
        tally->counted++;
    if (row->verdict == VERDICT_UNAVAILABLE && weight_of(row->status) > weight_of(tally->why_not))
        tally->why_not = row->status;
}

void tally_rows(struct tally *tally, const struct rows *rows)
{
    for (unsigned i = 0; i < rows->count; i++)
        tally_add(tally, &rows->row[i]);
}

void tally_words(const struct tally *tally, struct out *out)
{
    bool first = true;

    for (unsigned v = 0; v < VERDICT_COUNT; v++) {
        if (tally->of[v] == 0)
            continue;
        out_printf(out, "%s%u %s", first ? "" : ", ", tally->of[v], verdict_name(v));
        first = false;
    }
    out_text(out, first ? "none" : "");
}

uint32_t tally_failed(const struct tally *tally)
{
    uint32_t failed = tally->lost;

    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        if (verdict_fails(v))
            failed += tally->of[v];
    return failed - tally->noisy_of_time;
}

void tally_verdict(const struct tally *tally, struct out *out)
{
    uint32_t failed = tally_failed(tally);

    if (failed > 0)
        out_printf(out, "FAIL %u", failed);
    else if (tally->counted > 0)
        out_text(out, "PASS");
    else if (tally->refused != REFUSED_NOT)
        out_printf(out, "NOT MEASURED %s",
                   tally->refused == REFUSED_STRICT ? "strict=yes" : "no CPU is left");
    else if (weight_of(tally->why_not) == WEIGHT_NO_PMU)
        out_printf(out, "NOT MEASURED %s", status_text(tally->why_not));
    else
        out_printf(out, "FAIL %u", tally->of[VERDICT_UNAVAILABLE]);
}

void tally_line(const struct tally *tally, struct out *out)
{
    char rows[COUNTED_BYTES], errors[COUNTED_BYTES];

    tally_verdict(tally, out);
    if (tally->noisy_of_time > 0) {
        out_printf(out, ", %s of time noisy (", counted(tally->noisy_of_time, "row", rows));
        noisy_by_words(tally->noisy_by, out);
        out_char(out, ')');
    }
    if (tally->plan_errors > 0)
        out_printf(out, ", %s", counted(tally->plan_errors, "plan error", errors));
}
