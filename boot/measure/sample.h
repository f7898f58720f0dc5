/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes one sample: runs a kernel in a window, on the measured CPU. */
#ifndef BARECOUNT_BOOT_MEASURE_SAMPLE_H
#define BARECOUNT_BOOT_MEASURE_SAMPLE_H

#include "boot/measure/measure.h"
#include "boot/cpu/window.h"
#include "pmu/journal/evidence.h"

/* State that lasts from one sample of a kernel on one CPU to the next. */
struct sampling {
    const struct measure_task *task;
    const struct programmed *programmed; /* the current pass */
    bool meets_around; /* CPUs at the barrier also meet after `prepare` and after windows */
    struct machine_checks checks;
    struct surroundings start; /* before the first sample */
    uint32_t changed;          /* state that the last run changed: bits of CHANGED_LIST */
};

/*
 * Starts the samples of a kernel: records the machine-check banks and the log bits as they are
 * before the first sample. The caller sets `programmed`.
 */
void sample_start(struct sampling *sampling, const struct measure_task *task);

/*
 * Runs the kernel once in the programmed pass and fills in the sample except for pass, kind and
 * attempt. Restores what the run changed. There is a sample only if this returns WINDOW_DONE.
 * WINDOW_NOT_MET means that the CPUs at the barrier do not continue; the seat's status has the
 * reason.
 */
unsigned sample_take(struct sampling *sampling, struct window *window, struct sample *sample);

/*
 * Clears log bits that were set since sample_start(). Call this after the last sample or a fault.
 */
void sample_end(const struct sampling *sampling);

#endif
