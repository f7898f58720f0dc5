/* SPDX-License-Identifier: BSD-2-Clause */
/* Uncore counters while a kernel is measured; runs on the measured CPU. */
#ifndef BARECOUNT_BOOT_MEASURE_MEASURE_UNCORE_H
#define BARECOUNT_BOOT_MEASURE_MEASURE_UNCORE_H

#include "boot/measure/measure.h"

/*
 * Save and stop the uncore counters before a kernel, and restore them after it. Both functions do
 * nothing if the task has no uncore counters. A kind is left out if one of its registers cannot be
 * saved, or if its counters cannot be stopped. For each such kind, the result names the first
 * register that failed.
 */
void measure_uncore_take(const struct measure_task *task);
struct uncore_error measure_uncore_give_back(const struct measure_task *task);

/* The first pass of a schedule with uncore slots; schedule->passes if there is none. */
unsigned measure_uncore_pass(const struct schedule *schedule);

/*
 * measure_uncore_program() programs a pass's uncore counters. measure_uncore_uncounted() then
 * returns the slots that could not be programmed, as bits for sample.uncounted. Slots of kinds that
 * failed their test are left out of these bits. measure_uncore_program() returns false if no uncore
 * slot of the pass can count: the bits include all of these slots, or the task has no uncore
 * counters. It returns true if the pass has no uncore slots.
 */
bool measure_uncore_program(const struct measure_task *task, unsigned pass);
uint16_t measure_uncore_uncounted(const struct measure_task *task, const struct pass *pass);

/*
 * Open and close the uncore counters around a window, only in a pass with uncore slots. Closing
 * stores the counts in `raw`; false: an access failed.
 */
bool measure_uncore_open(const struct measure_task *task);
bool measure_uncore_close(const struct measure_task *task, uint64_t *raw);

#endif
