/* SPDX-License-Identifier: BSD-2-Clause */
/* What a CPU does for the certificate of its noise (pmu/journal/noise.h). */
#ifndef BARECOUNT_BOOT_MEASURE_NOISE_H
#define BARECOUNT_BOOT_MEASURE_NOISE_H

#include "boot/cpu/cpu.h"
#include "pmu/journal/record.h"

struct noise_task {
    struct cpu_context *context;
    const struct cpu_record *cpu;
    uint64_t threshold_ticks; /* that is wanted */
    uint64_t runtime_ticks;   /* at least so many are watched */
    uint64_t readings_max;    /* then the time stamp cannot be right: STATUS_TSC */
    struct noise *noise;      /* in: cpu and when; out: the rest */
};

/*
 * Watches the time stamp. What it takes to take a gap down is not watched and is not part of the
 * runtime. The threshold is raised where the loop itself is too slow for it. Argument: struct
 * noise_task.
 */
void watch_noise(void *argument);

#endif
