/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one CPU does: it describes itself, tests its counters, or runs one kernel in every pass of
 * its schedule.
 */
#ifndef BARECOUNT_BOOT_MEASURE_H
#define BARECOUNT_BOOT_MEASURE_H

#include "boot/cpu.h"
#include "pmu/record.h"

#define TWICE_RUNS       3u  /* accepted samples at 2n, for the second method */
#define CALIBRATION_RUNS 32u /* accepted samples of the empty window */
#define INSPECT_BOUND_US 5000000u

/* Attempts at the most, so that a noisy CPU ends too. */
#define ATTEMPTS_MAX(runs) (2u * (runs))

struct inspect_task {
    struct cpu_context *context;
    struct cpu_record *record; /* out: caps, found, flags, microcode; cpu and siblings are left */
};

/* Fills in the CPU's record. Argument: struct inspect_task. */
void inspect_cpu(void *argument);

struct test_task {
    struct cpu_context *context;
    const struct cpu_record *cpu;
    struct cpu_caps *caps;       /* in: the CPU's; out: without counters that do not exist */
    struct counter_tests *tests; /* out; status is that of the registers */
};

/* Tests the counters. Argument: struct test_task. */
void test_counters(void *argument);

struct measure_task {
    struct cpu_context *context;
    const struct cpu_record *cpu;
    const void *record; /* of the kernel: fault offsets count from here */
    const void *entry;
    const void *prepare; /* null: none */
    uint64_t n;
    void *buffer;
    uint64_t buffer_bytes;
    uint32_t runs;
    uint32_t warmup;
    uint32_t twice_runs;   /* 0: none at 2n */
    struct result *result; /* out; the samples follow it */
    uint32_t samples_max;  /* room for them */

    struct pmu_error restore_error; /* out, of restore_cpu() */
};

/* Measures. Argument: struct measure_task. */
void measure_kernel(void *argument);

/* Puts a CPU's PMU back after a task that did not come to its end. Argument: measure_task. */
void restore_cpu(void *argument);

/* Samples that a kernel takes at the most, and bytes of each, with a schedule. */
uint32_t measure_samples_max(const struct schedule *schedule, uint32_t runs, uint32_t twice_runs);
uint32_t measure_stride_bytes(const struct schedule *schedule);

#endif
