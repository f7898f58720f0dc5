/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and judges rows from samples: one for each CPU, kernel and event. */
#ifndef BARECOUNT_PMU_VERDICTS_ROWS_H
#define BARECOUNT_PMU_VERDICTS_ROWS_H

#include "pmu/base/list.h"
#include "pmu/base/out.h"
#include "pmu/base/stats.h"
#include "pmu/journal/view.h"

/* The verdicts, in the order in which tally_words() writes them. */
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

/* The reasons for which a row of time has the verdict 'noisy' but does not fail the run. */
#define NOISY_BY_LIST(X)                                                                           \
    X(NOISY_BY_HEAT, "heat")                                                                       \
    X(NOISY_BY_LIMIT, "clock limit")                                                               \
    X(NOISY_BY_POWER, "power limit")                                                               \
    X(NOISY_BY_CLOCK, "clock changes")

enum noisy_by { NOISY_BY_LIST(LIST_CODE) NOISY_BY_COUNT };

/* Room for all words of noisy_by_words() and the terminating zero. */
#define NOISY_BY_BYTES 56u

/* Writes the words for bits of enum noisy_by: "heat, clock changes". */
void noisy_by_words(unsigned bits, struct out *out);

struct row {
    const struct event *event; /* null: the time-stamp counter */
    enum verdict verdict;
    /*
     * Bits of enum noisy_by, if heat, limits or changes of the clock alone explain VERDICT_NOISY,
     * and no count is declared for the row. Otherwise 0.
     */
    unsigned noisy_by;
    uint32_t status; /* enum status: STATUS_OK, or why there are no values */
    char reason[REASON_BYTES];
    uint32_t accepted;
    uint32_t rejected;
    struct stats stats; /* counts at n, without the window's cost; valid if accepted > 0 and !msr */
    struct stats twice; /* counts at 2n, without the window's cost; valid if twice.count > 0 */
    struct expect expect;
    bool counter_off; /* the counter failed its test or its calibration */
    bool has_slot;
    unsigned pass;
    unsigned slot_index; /* index of the slot in the pass */
    struct slot slot;
    bool slot_unknown;            /* Linux chose the counter, and does not say which it is */
    bool has_rate;                /* rate_milli is valid: see row_uncore_rate() */
    int64_t rate_milli;           /* thousandths of the unit that unit_rate_name() returns */
    const struct msr_result *msr; /* in a row of an MSR script: an operation's result; else null */
    bool msr_before;
};

/*
 * The number of rows of a result: one for each event, one for the time-stamp counter, and one for
 * each result of the MSR scripts.
 */
unsigned rows_count(const struct view *view, const struct result *result);

/* The row's subject: its event's name, "TSC", "msr:0x34", "msr:0x34:before" or "rdtsc". */
void row_name(const struct row *row, struct out *out);

/*
 * Whether the counter of event `index` on the view's CPU passed its test and the calibration. True
 * for an event without a counter. If false, sets the row's verdict and reason, which are valid for
 * all rows of the event on that CPU.
 */
bool row_counter(const struct view *view, unsigned index, struct row *row);

/*
 * The count, in thousandths, for one repetition of the operation that the kernel's title names: the
 * difference between `twice` (a value at 2n, in thousandths) and the median at n, divided by the
 * number of repetitions at n. The row must have samples at n and 2n, and kernel->copies must not be
 * 0.
 */
int64_t row_per_copy_milli(const struct known_kernel *kernel, const struct row *row, int64_t twice);

/* Makes row `index` of a result. Uses view->scratch. */
void row_make(const struct view *view, const struct result *result, unsigned index,
              struct row *row);

#define ROWS_MAX (EVENTS_MAX + 1u + MSR_SCRIPT_OPS_MAX)

/* All rows of a result, each judged once. Too large (512 KiB) for a stack. */
struct rows {
    const struct view *view;
    const struct result *result;
    unsigned count;
    struct row row[ROWS_MAX];
};

/* Whether a row fails the run. */
static inline bool row_fails(const struct row *row)
{
    return verdict_fails(row->verdict) && !row->noisy_by;
}

void rows_judge(struct rows *rows, const struct view *view, const struct result *result);

/* How well the status of an unavailable row explains why a run counted nothing. */
enum weight { WEIGHT_NONE, WEIGHT_PLAN, WEIGHT_NO_PMU, WEIGHT_PMU };
enum weight weight_of(uint32_t status);

/* The number of rows with each verdict, and what else the verdict of a run depends on. */
struct tally {
    uint32_t of[VERDICT_COUNT];
    uint32_t lost;          /* results without rows, because memory ran out */
    uint32_t counted;       /* rows of events (not TSC) with accepted samples, or with noisy_by */
    uint32_t why_not;       /* the status with the highest enum weight among unavailable rows */
    uint32_t noisy_of_time; /* noisy rows with noisy_by, which do not fail the run */
    unsigned noisy_by;      /* the noisy_by bits of the rows in noisy_of_time */
    uint32_t plan_errors;
    enum refused refused;
};

void tally_add(struct tally *tally, const struct row *row);
void tally_rows(struct tally *tally, const struct rows *rows);

/* Writes "12 exact, 1 off", or "none". */
void tally_words(const struct tally *tally, struct out *out);

/* The number of rows that fail the run, plus the number of results in `lost`. */
uint32_t tally_failed(const struct tally *tally);

/*
 * Writes the verdict of the run:
 * - "FAIL n" if n = tally_failed() is not 0.
 * - Otherwise "PASS" if an event was counted.
 * - Otherwise "NOT MEASURED reason" if strict=yes refused the plan, no CPU is left, or no CPU has a
 *   PMU that the program can use.
 * - Otherwise "FAIL n", where n is the number of unavailable rows.
 */
void tally_verdict(const struct tally *tally, struct out *out);

#define TALLY_LINE_BYTES 200u /* room for all that tally_line() writes, and a terminating zero */

/*
 * Writes the run's last line: the verdict, followed by ", 120 rows of time noisy (power limit)" and
 * ", 2 plan errors" if there are any.
 */
void tally_line(const struct tally *tally, struct out *out);

#endif
