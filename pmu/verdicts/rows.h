/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows and their verdicts. */
#ifndef BARECOUNT_PMU_VERDICTS_ROWS_H
#define BARECOUNT_PMU_VERDICTS_ROWS_H

#include "pmu/base/list.h"
#include "pmu/base/out.h"
#include "pmu/base/stats.h"
#include "pmu/journal/view.h"

/* tally_words() writes the verdicts in this order. */
#define VERDICT_LIST(X)                                                                            \
    X(VERDICT_FAULT, "fault")                                                                      \
    X(VERDICT_TIMEOUT, "timeout")                                                                  \
    X(VERDICT_UNAVAILABLE, "unavailable")                                                          \
    X(VERDICT_NOISY, "noisy")                                                                      \
    X(VERDICT_OFF, "off")                                                                          \
    X(VERDICT_WITHIN, "within")                                                                    \
    X(VERDICT_EXACT, "exact")                                                                      \
    X(VERDICT_MEASURED, "measured")

enum verdict { VERDICT_LIST(LIST_CODE) VERDICT_COUNT };

const char *verdict_name(unsigned verdict);
bool verdict_fails(unsigned verdict);

#define REASON_BYTES 200u

/* A row of time that is noisy for these reasons does not fail the run. */
#define NOISY_BY_LIST(X)                                                                           \
    X(NOISY_BY_HEAT, "heat")                                                                       \
    X(NOISY_BY_LIMIT, "clock limit")                                                               \
    X(NOISY_BY_POWER, "power limit")                                                               \
    X(NOISY_BY_CLOCK, "clock changes")

enum noisy_by { NOISY_BY_LIST(LIST_CODE) NOISY_BY_COUNT };

#define NOISY_BY_BYTES 56u

/* Writes words such as "heat, clock changes". */
void noisy_by_words(unsigned bits, struct out *out);

struct row {
    const struct event *event; /* null: the time stamp */
    enum verdict verdict;
    /*
     * Bits of enum noisy_by, if these reasons alone explain VERDICT_NOISY. 0 if a count is
     * declared.
     */
    unsigned noisy_by;
    uint32_t status; /* enum status: why there are no values */
    char reason[REASON_BYTES];
    uint32_t accepted;
    uint32_t rejected;
    struct stats stats; /* at n, without the window's cost; valid if accepted > 0 and !msr */
    struct stats twice; /* at 2n, without the window's cost; valid if twice.count > 0 */
    struct expect expect;
    bool counter_off; /* the counter failed its test or its calibration */
    bool has_slot;
    unsigned pass;
    unsigned slot_index; /* in the pass */
    struct slot slot;
    bool slot_unknown;            /* the counter is not known, because Linux chose it */
    bool has_rate;                /* rate_milli is valid */
    int64_t rate_milli;           /* thousandths of unit_rate_name() */
    const struct msr_result *msr; /* null if the row is not of an MSR script */
    bool msr_before;
};

/* A result has a row for each event, one for the time stamp, and one for each struct msr_result. */
unsigned rows_count(const struct view *view, const struct result *result);

/* Writes the event's name, "TSC", "msr:0x34", "msr:0x34:before" or "rdtsc". */
void row_name(const struct row *row, struct out *out);

/*
 * Returns true if the event has no counter, or if its counter passed the test and the calibration.
 * After a failure, sets the row's verdict and reason, which apply to all rows of the event on this
 * CPU.
 */
bool row_counter(const struct view *view, unsigned index, struct row *row);

/*
 * Returns (`twice` - the median at n) / copies at n, in thousandths. `twice` is a value at 2n, in
 * thousandths. The row must have samples at n and 2n, and kernel->copies must not be 0.
 */
int64_t row_per_copy_milli(const struct known_kernel *kernel, const struct row *row, int64_t twice);

/* Makes row `index` of a result. Uses view->scratch. */
void row_make(const struct view *view, const struct result *result, unsigned index,
              struct row *row);

#define ROWS_MAX (EVENTS_MAX + 1u + MSR_SCRIPT_OPS_MAX)

/* Too large (512 KiB) for a stack. */
struct rows {
    const struct view *view;
    const struct result *result;
    unsigned count;
    struct row row[ROWS_MAX];
};

static inline bool row_fails(const struct row *row)
{
    return verdict_fails(row->verdict) && !row->noisy_by;
}

void rows_judge(struct rows *rows, const struct view *view, const struct result *result);

/* A status with a higher weight explains better why nothing was counted. */
enum weight { WEIGHT_NONE, WEIGHT_PLAN, WEIGHT_NO_PMU, WEIGHT_PMU };
enum weight weight_of(uint32_t status);

struct tally {
    uint32_t of[VERDICT_COUNT];
    uint32_t lost;    /* results without rows, because memory ran out */
    uint32_t counted; /* rows of events with accepted samples or noisy_by */
    uint32_t why_not; /* the status with the highest weight */
    uint32_t noisy_of_time;
    unsigned noisy_by;
    uint32_t plan_errors;
    enum refused refused;
};

void tally_add(struct tally *tally, const struct row *row);
void tally_rows(struct tally *tally, const struct rows *rows);

/* Writes "12 exact, 1 off", or "none". */
void tally_words(const struct tally *tally, struct out *out);

/* The number of failing rows and lost results. */
uint32_t tally_failed(const struct tally *tally);

/*
 * Writes the first of these texts that applies:
 * - "FAIL n" if n = tally_failed() is not 0;
 * - "PASS" if an event was counted;
 * - "NOT MEASURED reason" if strict=yes refused the plan, no CPU is left, or no CPU has a usable
 *   PMU;
 * - "FAIL n" with the number of unavailable rows.
 */
void tally_verdict(const struct tally *tally, struct out *out);

#define TALLY_LINE_BYTES 200u /* with the terminating zero */

/* Writes the verdict and, for example, ", 120 rows of time noisy (power limit), 2 plan errors". */
void tally_line(const struct tally *tally, struct out *out);

#endif
