/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by the files that make rows. */
#ifndef BARECOUNT_PMU_VERDICTS_ROWS_PARTS_H
#define BARECOUNT_PMU_VERDICTS_ROWS_PARTS_H

#include "pmu/verdicts/rows.h"

#define CALIBRATION_SAMPLES_MIN 8u /* least number of samples for the window's cost */

/* Sets a row's verdict and reason. */
void row_say(struct row *row, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Sets verdict and reason for a kernel that raised an exception or hung. The reason contains the
 * place, such as "at ENTRY+0x1c" or "at code+0x1, in copy 37 of 100". An address near the buffer,
 * the stack or the kernel is written as an offset.
 */
void row_say_fault(struct row *row, const struct view *view, const struct result *result);
void row_say_hang(struct row *row, const struct view *view, const struct result *result);

/* Sets verdict and reason for a kernel that changed registers that it must preserve. */
void row_say_changed(struct row *row, const struct result *result);

/*
 * If view_declares_cost() is true, returns the declared count plus the count that opening and
 * closing the window adds. If view_declares_cost() is false, returns the smallest count of the
 * empty window.
 */
int64_t row_window_cost(const struct view *view, const struct row *row, unsigned slot);

/*
 * Whether enough samples of the empty window were undisturbed; if the result is false, sets the
 * verdict: 'noisy' if heat, a clock limit, a power limit or clock changes disturbed the samples,
 * else 'off'.
 */
bool row_is_calibrated(const struct view *view, struct row *row, unsigned slot);

/*
 * Returns bits of enum noisy_by for a row that lacks `missing` undisturbed samples. Returns 0 if a
 * count is declared, or if the reasons of enum noisy_by rejected fewer than `missing` samples.
 */
unsigned row_noisy_by(const struct row *row, const struct rejected *rejected, uint32_t missing);

/*
 * Whether the counter passed its test and counted the empty window as declared; if the result is
 * false, sets counter_off and the verdict. The verdict is 'noisy' if the empty window's counts
 * varied, or if heat, a clock limit, a power limit or clock changes disturbed them; otherwise it is
 * 'off'.
 */
bool row_counter_is_right(const struct view *view, struct row *row, unsigned slot, int64_t cost);

/*
 * Whether the row's pass and the first pass retired the same number of instructions. If no exact
 * number is declared, the ranges of the two passes need only overlap. If the passes do not agree,
 * sets the verdict and reason.
 */
bool row_pass_agrees(const struct view *view, const struct result *result, struct row *row);

/*
 * For counters preset to overflow after N events: whether the status bit was set in exactly those
 * samples that counted at least N; if the result is false, sets the verdict and reason. Returns
 * true without a check with method=deltas, with PMU version 1 (no status bits), for uncore
 * counters, and for fixed counter 2, whose status bit is not reliable.
 */
bool row_overflow_agrees(const struct view *view, const struct result *result, struct row *row);

/* Whether the result has samples of the slot at n, accepted or rejected. Uses view->scratch. */
bool row_slot_ran(const struct view *view, const struct result *result, unsigned pass,
                  unsigned slot);

/*
 * Appends to the row's reason the uncore's model or, if the uncore is unknown, the CPU's model.
 * Also appends the register that failed, if any.
 */
void row_say_uncore_status(const struct view *view, struct row *row);

/*
 * Returns true in three cases: the row's kind of unit did not count; the window was too short for
 * registers that are updated every millisecond; the counter may have wrapped. In these cases, sets
 * the verdict and the reason.
 */
bool row_uncore_fails(const struct view *view, const struct result *result, struct row *row);

/* Returns the record of the event's units if they failed their test, or null. */
const struct uncore_record_group *row_uncore_fault(const struct view *view, const struct row *row);

/*
 * Sets has_rate and rate_milli. The rate is the mean count divided by the mean time of the samples,
 * without the empty window's time. There is no rate if the time is at most twice the empty
 * window's.
 */
void row_uncore_rate(const struct view *view, const struct result *result, struct row *row);

#endif
