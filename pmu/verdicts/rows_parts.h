/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files that make rows. */
#ifndef BARECOUNT_PMU_VERDICTS_ROWS_PARTS_H
#define BARECOUNT_PMU_VERDICTS_ROWS_PARTS_H

#include "pmu/verdicts/rows.h"

#define CALIBRATION_SAMPLES_MIN 8u /* clean ones that the window's cost must rest on */

/* Gives a row its verdict and the reason for it. */
void row_say(struct row *row, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * For a kernel that raised an exception, or that an NMI ended: its verdict, and which and where, as
 * its author knows the place: "at ENTRY+0x1c", "at byte 2 of code=, in copy 37 of 100"; an address
 * by the buffer or stack that it is near.
 */
void row_say_fault(struct row *row, const struct view *view, const struct result *result);
void row_say_hang(struct row *row, const struct view *view, const struct result *result);

/* For a kernel that changed what it must leave alone: which. */
void row_say_changed(struct row *row, const struct result *result);

/* The window's own counts for a slot: as declared (view_declares_cost()), or the least it took. */
int64_t row_window_cost(const struct view *view, const struct row *row, unsigned slot);

/*
 * Whether the row's counter passed its test and counted the calibration as declared; if not, the
 * row is off whatever it counted (counter_off), or noisy where a declared count of the empty window
 * varied.
 */
bool row_counter_is_right(const struct view *view, struct row *row, unsigned slot, int64_t cost);

/*
 * Whether the kernel retired as many instructions in the row's pass as in the first one; if not,
 * the row gets its verdict and reason. A pass that does not count instructions is not judged,
 * nor is a kernel that does not declare them and retires another number in each run.
 */
bool row_pass_agrees(const struct view *view, const struct result *result, struct row *row);

/*
 * With counters preset to overflow after N events: whether the status bit of the row's counter was
 * set in those of its accepted samples that counted to N, and in no other; if not, the row gets its
 * verdict and reason. Without a preset, or without status bits, nothing is judged, nor is a counter
 * outside the cores, which has no preset.
 */
bool row_overflow_agrees(const struct view *view, const struct result *result, struct row *row);

/* Whether a slot of a pass has samples at n, clean or not. Uses view->scratch. */
bool row_slot_ran(const struct view *view, const struct result *result, unsigned pass,
                  unsigned slot);

/* An event outside the cores that this CPU's package cannot count: why, and which model it is. */
void row_say_uncore_status(const struct view *view, struct row *row);

/*
 * Whether the row's kind was not counted outside the cores, or its window was too short for what is
 * renewed once a millisecond; then the row gets its verdict and reason.
 */
bool row_uncore_fails(const struct view *view, const struct result *result, struct row *row);

/* The group of the row's counter when its test failed; null: it can be believed. */
const struct uncore_record_group *row_uncore_fault(const struct view *view, const struct row *row);

/* The row's mean over the time of the samples that it is of, where that is a rate. */
void row_uncore_rate(const struct view *view, const struct result *result, struct row *row);

#endif
