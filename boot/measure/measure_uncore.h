/* SPDX-License-Identifier: BSD-2-Clause */
/* Controls the uncore counters while a kernel is measured, on the measured CPU. */
#ifndef BARECOUNT_BOOT_MEASURE_MEASURE_UNCORE_H
#define BARECOUNT_BOOT_MEASURE_MEASURE_UNCORE_H

#include "boot/measure/measure.h"

/*
 * Save and stop the uncore counters before a kernel, and restore them after it. The two functions
 * do nothing if the task has no uncore counters. A kind is left out if one of its registers cannot
 * be saved, or if its counters cannot be stopped. For each such kind, the result names the first
 * register that failed.
 */
void measure_uncore_take(const struct measure_task *task);
struct uncore_error measure_uncore_give_back(const struct measure_task *task);

/* Number of the first pass that has uncore slots; schedule->passes if no pass has any. */
unsigned measure_uncore_pass(const struct schedule *schedule);

/*
 * measure_uncore_program() programs a pass's uncore counters. Afterwards,
 * measure_uncore_uncounted() returns the slots that could not be programmed, as bits for
 * sample.uncounted. Slots of kinds that failed their test are left out of these bits.
 *
 * If a pass has no uncore slots, measure_uncore_program() returns true. For other passes it returns
 * false if the bits include all uncore slots of the pass, or if the task has no uncore counters.
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
