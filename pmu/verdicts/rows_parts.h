/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files that make rows share. */
#ifndef BARECOUNT_PMU_VERDICTS_ROWS_PARTS_H
#define BARECOUNT_PMU_VERDICTS_ROWS_PARTS_H

#include "pmu/verdicts/rows.h"

#define CALIBRATION_SAMPLES_MIN 8u /* clean samples required for the window's cost */

/* Sets a row's verdict and reason. */
void row_say(struct row *row, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Set verdict and reason for a kernel that raised an exception or was ended by an NMI: which
 * exception, and where, in terms of the kernel's source: "at ENTRY+0x1c", "at code+0x1, in copy 37
 * of 100"; addresses relative to the nearest buffer or stack.
 */
void row_say_fault(struct row *row, const struct view *view, const struct result *result);
void row_say_hang(struct row *row, const struct view *view, const struct result *result);

/* For a kernel that changed what it must preserve: says what. */
void row_say_changed(struct row *row, const struct result *result);

/* The window's counts in a slot: as declared (view_declares_cost()), or the smallest seen. */
int64_t row_window_cost(const struct view *view, const struct row *row, unsigned slot);

/*
 * Whether enough samples of the empty window were clean. If not, the row becomes off, or noisy if
 * heat, a limit or the clock spoiled them (noisy_by).
 */
bool row_is_calibrated(const struct view *view, struct row *row, unsigned slot);

/*
 * The bits of enum noisy_by of a row that lacks `missing` clean samples; 0: it lacks them for
 * another reason, or the kernel declares the row's count.
 */
unsigned row_noisy_by(const struct row *row, const struct rejected *rejected, uint32_t missing);

/*
 * Whether the row's counter passed its test and counted the calibration as declared. If not, the
 * row becomes off (counter_off), or noisy if a declared count of the empty window varied.
 */
bool row_counter_is_right(const struct view *view, struct row *row, unsigned slot, int64_t cost);

/*
 * Whether the kernel retired the same number of instructions in the row's pass as in the first one;
 * if not, the row gets its verdict and reason. True if the pass does not count instructions, or the
 * kernel declares no number and its counts vary.
 */
bool row_pass_agrees(const struct view *view, const struct result *result, struct row *row);

/*
 * With counters preset to overflow after N events: whether the counter's status bit was set in
 * exactly those accepted samples that counted N; if not, the row gets its verdict and reason. True
 * without a preset or status bits, and for uncore counters, which have no preset.
 */
bool row_overflow_agrees(const struct view *view, const struct result *result, struct row *row);

/* Whether a slot of a pass has any samples at n. Uses view->scratch. */
bool row_slot_ran(const struct view *view, const struct result *result, unsigned pass,
                  unsigned slot);

/* Says why this CPU's package cannot count an uncore event, and which model it is. */
void row_say_uncore_status(const struct view *view, struct row *row);

/*
 * Whether the row's kind of unit was not counted, or the window was too short for registers updated
 * once a millisecond, or too long for a counter that may wrap; then the row gets its verdict and
 * reason.
 */
bool row_uncore_fails(const struct view *view, const struct result *result, struct row *row);

/* The group of the row's counter if its test failed; else null. */
const struct uncore_record_group *row_uncore_fault(const struct view *view, const struct row *row);

/* Sets the row's rate: its mean divided by the time of its samples, for units with rates. */
void row_uncore_rate(const struct view *view, const struct result *result, struct row *row);

#endif
