/* SPDX-License-Identifier: BSD-2-Clause */
/* Uncore counters while a kernel is measured; runs on the measured CPU. */
#ifndef BARECOUNT_BOOT_MEASURE_MEASURE_UNCORE_H
#define BARECOUNT_BOOT_MEASURE_MEASURE_UNCORE_H

#include "boot/measure/measure.h"

/*
 * Save and stop the uncore counters before a kernel, and restore them after it; both do nothing if
 * the task has no uncore counters. A kind of counter whose registers cannot be saved and stopped is
 * left out; the result names the first such register of the kind.
 */
void measure_uncore_take(const struct measure_task *task);
struct uncore_error measure_uncore_give_back(const struct measure_task *task);

/* The first pass of a schedule that counts outside the cores; schedule->passes if there is none. */
unsigned measure_uncore_pass(const struct schedule *schedule);

/*
 * Programs a pass's uncore counters. measure_uncore_uncounted() then returns the slots that are not
 * counted, as bits for sample.uncounted: those of kinds that could not be programmed, except kinds
 * that failed their test. measure_uncore_program() returns false if these are all of the slots
 * outside the cores that the pass has, or if the pass has such slots and the task has no uncore
 * counters.
 */
bool measure_uncore_program(const struct measure_task *task, unsigned pass);
uint16_t measure_uncore_uncounted(const struct measure_task *task, const struct pass *pass);

/*
 * Open and close the counters around a window. Callers call these functions only if the pass counts
 * outside the cores, so that other windows are not delayed. Closing stores the counts of the
 * package's slots in `raw`. False if an access to a register failed.
 */
bool measure_uncore_open(const struct measure_task *task);
bool measure_uncore_close(const struct measure_task *task, uint64_t *raw);

#endif
