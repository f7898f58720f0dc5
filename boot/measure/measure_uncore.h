/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part that a CPU's package has in measuring a kernel. On the measured CPU. A task without a
 * package, and a pass without slots of it, have nothing to do with it.
 */
#ifndef BARECOUNT_BOOT_MEASURE_MEASURE_UNCORE_H
#define BARECOUNT_BOOT_MEASURE_MEASURE_UNCORE_H

#include "boot/measure/measure.h"

/*
 * Once for each kernel. Kinds whose registers cannot be taken over are not counted in this kernel;
 * the result says by which register.
 */
void measure_uncore_take(const struct measure_task *task);
struct uncore_error measure_uncore_give_back(const struct measure_task *task);

/* The first pass of a schedule that counts outside the cores; schedule->passes when none does. */
unsigned measure_uncore_pass(const struct schedule *schedule);

/*
 * What a pass counts outside the cores. Kinds that cannot be programmed are not counted in it, and
 * the second has their slots, for sample.uncounted. False: there is no other.
 */
bool measure_uncore_program(const struct measure_task *task, unsigned pass);
uint16_t measure_uncore_uncounted(const struct measure_task *task, const struct pass *pass);

/*
 * Around a window of a pass that counts outside the cores; the caller asks that, so that windows of
 * others cost no calls. Closing leaves the counts of the package's slots in raw. False: a register
 * refused.
 */
bool measure_uncore_open(const struct measure_task *task);
bool measure_uncore_close(const struct measure_task *task, uint64_t *raw);

#endif
