/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_BOOT_SAMPLE_H
#define BARECOUNT_BOOT_SAMPLE_H

#include "boot/measure.h"
#include "boot/window.h"

/*
 * One run of a task's kernel in a pass that is programmed, with its evidence: all of the sample but
 * pass, kind and attempt. On the measured CPU. False: the kernel raised an exception.
 */
bool sample_take(const struct measure_task *task, const struct programmed *programmed,
                 struct window *window, struct sample *sample);

#endif
