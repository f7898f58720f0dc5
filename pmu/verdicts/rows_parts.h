/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the functions that several of the files that make rows use. */
#ifndef BARECOUNT_PMU_VERDICTS_ROWS_PARTS_H
#define BARECOUNT_PMU_VERDICTS_ROWS_PARTS_H

#include "pmu/verdicts/rows.h"

#define CALIBRATION_SAMPLES_MIN 8u /* undisturbed samples required for the window's cost */

/* Sets a row's verdict and reason. */
void row_say(struct row *row, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Set verdict and reason for a kernel that raised an exception, or that an NMI ended because it
 * hung. The reason names the exception, if there was one, and the place in bytes from an entry
 * point of the kernel or from a copy of code=: "at ENTRY+0x1c", "at code+0x1, in copy 37 of 100".
 * An address in or near the buffer, the stack or the kernel is given as an offset.
 */
void row_say_fault(struct row *row, const struct view *view, const struct result *result);
void row_say_hang(struct row *row, const struct view *view, const struct result *result);

/* Sets verdict and reason for a kernel that changed registers that it must preserve. */
void row_say_changed(struct row *row, const struct result *result);

/*
 * The window's count in a slot. If view_declares_cost(), it is the declared count plus what the
 * opening and closing instructions or microcode add; otherwise the smallest count of the empty
 * window.
 */
int64_t row_window_cost(const struct view *view, const struct row *row, unsigned slot);

/*
 * Whether enough samples of the empty window were undisturbed. If false, sets the row's verdict to
 * 'off', or to 'noisy' if heat, a limit or the clock disturbed the samples (noisy_by).
 */
bool row_is_calibrated(const struct view *view, struct row *row, unsigned slot);

/*
 * The bits of enum noisy_by for a row that lacks `missing` undisturbed samples. 0 if the samples
 * are missing for another reason, or if a count is declared for the row.
 */
unsigned row_noisy_by(const struct row *row, const struct rejected *rejected, uint32_t missing);

/*
 * Whether the row's counter passed its test and counted the empty window as declared. If false,
 * sets counter_off and the verdict. The verdict is 'noisy' in two cases: if the empty window's
 * counts varied and missed a declared count, or if row_is_calibrated() made the row 'noisy' and the
 * counter passed its test. Otherwise it is 'off'.
 */
bool row_counter_is_right(const struct view *view, struct row *row, unsigned slot, int64_t cost);

/*
 * Whether the kernel retired as many instructions in the row's pass as in the first pass. If the
 * kernel declares no exact number of instructions, the ranges of the two passes need only overlap.
 * If false, sets the row's verdict and reason. True if the pass does not count instructions. Also
 * true if the kernel declares no exact number of instructions and waits for another CPU, or if it
 * declares no number of instructions and its counts vary.
 */
bool row_pass_agrees(const struct view *view, const struct result *result, struct row *row);

/*
 * For counters that were preset to overflow after N events: whether the counter's status bit was
 * set in exactly those accepted samples that counted at least N. If false, sets the row's verdict
 * and reason. Always true if there is no preset or no status bit, or with method=deltas. Also true
 * for uncore counters, which are never preset, and for fixed counter 2, whose status bit is not
 * reliable.
 */
bool row_overflow_agrees(const struct view *view, const struct result *result, struct row *row);

/*
 * Whether the result contains samples at n, accepted or rejected, of a pass with this slot. Uses
 * view->scratch.
 */
bool row_slot_ran(const struct view *view, const struct result *result, unsigned pass,
                  unsigned slot);

/*
 * Appends to the row's reason the package's model, or that of the CPU if the package is not known,
 * and the register that failed, if any.
 */
void row_say_uncore_status(const struct view *view, struct row *row);

/*
 * Whether the row's counts are not valid: its kind of unit did not count, or the window was too
 * short for registers that are updated once a millisecond, or the window was so long that the
 * counter may have wrapped. If true, sets the row's verdict and reason.
 */
bool row_uncore_fails(const struct view *view, const struct result *result, struct row *row);

/* The group of units of the row's event if the group failed its test, otherwise null. */
const struct uncore_record_group *row_uncore_fault(const struct view *view, const struct row *row);

/*
 * If the row's unit has a rate (unit_rate_name()), and the time is known, sets it: the mean divided
 * by the mean time of the samples, without the time of the empty window. Sets no rate if the
 * samples took at most twice the time of the empty window.
 */
void row_uncore_rate(const struct view *view, const struct result *result, struct row *row);

#endif
