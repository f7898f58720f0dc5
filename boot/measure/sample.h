/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes samples: runs a kernel in windows, on the measured CPU. */
#ifndef BARECOUNT_BOOT_MEASURE_SAMPLE_H
#define BARECOUNT_BOOT_MEASURE_SAMPLE_H

#include "boot/measure/measure.h"
#include "boot/cpu/window.h"
#include "pmu/journal/evidence.h"

struct sampling {
    /* In one cache line, so that samples at n and at 2n access the same number of cache lines. */
    struct window window[SAMPLE_2N + 1] __attribute__((aligned(64)));
    const struct measure_task *task;
    const struct programmed *programmed; /* the current pass */
    bool counts;                         /* this CPU takes samples */
    bool meets_around; /* CPUs at the barrier also meet after `prepare` and after windows */
    bool is_preset;    /* pmu_start_from() has chosen start values */
    struct evidence_watch watched;
    struct sample discarded; /* sample of a warm-up, or of a run that only other CPUs need */
    uint32_t changed;        /* bits of CHANGED_LIST */
};

/* Records the machine-check banks and the log bits before the first sample of a kernel. */
void sample_start(struct sampling *sampling, const struct measure_task *task);

/* If `counts` is false, this CPU only runs the kernel along with other CPUs. */
void sample_pass(struct sampling *sampling, struct programmed *programmed, bool counts);

/*
 * *any becomes true if `more` is true on any CPU at the barrier. If *any is true, all CPUs take
 * another sample. Returns false if this CPU must stop.
 */
bool sample_agree(const struct measure_task *task, bool more, bool *any);

/*
 * Takes samples at n and at 2n in one pass until enough samples are accepted or the attempts are
 * used up. If other CPUs need further runs, this CPU takes part and discards its own samples.
 * WINDOW_NOT_MET means that this CPU must leave the barrier; the seat's status gives the reason.
 */
unsigned samples_take(struct sampling *sampling, unsigned pass);

/*
 * Clears the log bits that were set since sample_start(). Call this after the last sample or a
 * fault.
 */
void sample_end(struct sampling *sampling);

#endif
