/* SPDX-License-Identifier: BSD-2-Clause */
/* From samples to what is said of them: one row for each CPU, kernel and event. */
#ifndef BARECOUNT_PMU_VERDICTS_ROWS_H
#define BARECOUNT_PMU_VERDICTS_ROWS_H

#include "pmu/base/list.h"
#include "pmu/base/out.h"
#include "pmu/base/stats.h"
#include "pmu/journal/view.h"

/* In their order of precedence. */
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

struct row {
    const struct event *event; /* null: the time-stamp counter */
    enum verdict verdict;
    uint32_t status; /* enum status: why there is nothing, when there is nothing */
    char reason[REASON_BYTES];
    uint32_t accepted;
    uint32_t rejected;
    struct stats stats; /* with the window's own cost removed; valid when accepted > 0 */
    struct stats twice; /* the same of the samples at 2n; valid when its count > 0 */
    struct expect expect;
    bool counter_off; /* its counter is wrong, by its test or the window's cost; noisy or not */
    bool has_slot;
    unsigned pass;
    unsigned slot_index; /* within the pass */
    struct slot slot;
    bool slot_unknown;  /* Linux has chosen the counter, and does not say which */
    bool has_rate;      /* of bytes and energy, when the time stamp's frequency is known */
    int64_t rate_milli; /* of unit_rate_name() */
    const struct msr_result *msr; /* of a script's row: an operation before or after the kernel */
    bool msr_before;
};

/*
 * How many rows a result has: one for each event, one for the time-stamp counter, and one for each
 * thing that the MSR scripts gave.
 */
unsigned rows_count(const struct view *view, const struct result *result);

/* What a row is about: its event's name, "TSC", "msr:0x34", "msr:0x34:before" or "rdtsc". */
void row_name(const struct row *row, struct out *out);

/*
 * Whether the counter of event `index` passed its test and counted what the empty window costs, on
 * the view's CPU; if not, the row gets its verdict and reason, as all the event's rows on that CPU
 * will. Events without a counter are right.
 */
bool row_counter(const struct view *view, unsigned index, struct row *row);

/*
 * In thousandths, what a row with samples at n and at 2n counts for each copy of what the kernel's
 * title names: `twice`, one of its values at 2n in thousandths, less its median at n.
 * kernel->copies is not 0.
 */
int64_t row_per_copy_milli(const struct known_kernel *kernel, const struct row *row, int64_t twice);

/* Row `index` of a result. Uses view->scratch. */
void row_make(const struct view *view, const struct result *result, unsigned index,
              struct row *row);

#define ROWS_MAX (EVENTS_MAX + 1u + MSR_SCRIPT_OPS_MAX)

/* All rows of a result, each judged once. Large (500 KiB): never on a stack. */
struct rows {
    const struct view *view;
    const struct result *result;
    unsigned count;
    struct row row[ROWS_MAX];
};

void rows_judge(struct rows *rows, const struct view *view, const struct result *result);

/* How much the status of an unavailable row tells of why a run counted nothing. */
enum weight { WEIGHT_NONE, WEIGHT_PLAN, WEIGHT_NO_PMU, WEIGHT_PMU };
enum weight weight_of(uint32_t status);

/* How many rows bear each verdict. */
struct tally {
    uint32_t of[VERDICT_COUNT];
    uint32_t lost;    /* kernels on CPUs that have no rows: no memory was left for them */
    uint32_t counted; /* rows of events (not of the time stamp) with samples */
    uint32_t why_not; /* the status that tells most of why rows are unavailable: see tally_line() */
    uint32_t plan_errors;
    bool is_refused; /* nothing was measured because of them */
};

void tally_add(struct tally *tally, const struct row *row);
void tally_rows(struct tally *tally, const struct rows *rows);

/* "12 exact, 1 off", or "none". */
void tally_words(const struct tally *tally, struct out *out);

/* Rows of verdicts that make the run fail. */
uint32_t tally_failed(const struct tally *tally);

/*
 * "PASS"; "FAIL n" with the rows that failed, or, when an advertised PMU counted nothing at all,
 * those that are unavailable; "NOT MEASURED reason" where no CPU advertises a PMU or the vendor's
 * is not supported, whatever the kernels need beside it, or where strict=yes refuses the plan.
 */
void tally_verdict(const struct tally *tally, struct out *out);

/* The run's last line: the verdict, and ", 2 plan errors" where the plan had any. */
void tally_line(const struct tally *tally, struct out *out);

#endif
