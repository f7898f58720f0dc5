/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of a kernel in a window. On the measured CPU. */
#ifndef BARECOUNT_BOOT_MEASURE_SAMPLE_H
#define BARECOUNT_BOOT_MEASURE_SAMPLE_H

#include "boot/measure/measure.h"
#include "boot/cpu/window.h"
#include "pmu/journal/evidence.h"

/* What goes on from one sample of a kernel on one CPU to the next. */
struct sampling {
    const struct measure_task *task;
    const struct programmed *programmed; /* the present pass */
    bool meets_around; /* in it the CPUs at the barrier meet behind `prepare` and windows too */
    struct machine_checks checks;
    struct surroundings start; /* before the first sample */
    uint32_t changed;          /* by the last run of the kernel: bits of CHANGED_LIST */
};

/*
 * Starts the samples of a kernel, on the measured CPU: what its machine-check banks and log bits
 * hold now is taken as it is. The caller sets `programmed`.
 */
void sample_start(struct sampling *sampling, const struct measure_task *task);

/*
 * One run of the kernel in the pass that is programmed, with its evidence: all of the sample but
 * pass, kind and attempt. On the measured CPU. What the run changed is put back. WINDOW_DONE; else
 * there is no sample. WINDOW_NOT_MET: the CPUs at the task's barrier do not go on, as its seat's
 * status says.
 */
unsigned sample_take(struct sampling *sampling, struct window *window, struct sample *sample);

/* After the last sample, or a fault: the log bits that came up since the start are cleared. */
void sample_end(const struct sampling *sampling);

#endif
