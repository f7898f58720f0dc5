/* SPDX-License-Identifier: BSD-2-Clause */
/* The task that measures a CPU's noise for its certificate (pmu/journal/noise.h). */
#ifndef BARECOUNT_BOOT_MEASURE_NOISE_H
#define BARECOUNT_BOOT_MEASURE_NOISE_H

#include "boot/cpu/cpu.h"
#include "pmu/journal/record.h"

struct noise_task {
    struct cpu_context *context;
    const struct cpu_record *cpu;
    uint64_t threshold_ticks; /* requested minimum gap; a slow loop uses a longer one */
    uint64_t runtime_ticks;   /* how long to watch */
    uint64_t readings_max;    /* number of readings after which status is STATUS_TSC (broken TSC) */
    struct noise *noise;      /* in: `cpu` and `when`; out: all other fields */
    struct pmu_error error;   /* out: a PMU register that was not restored */
};

/* `argument`: struct noise_task. The time for recording a gap is not part of the runtime. */
void watch_noise(void *argument);

#endif
