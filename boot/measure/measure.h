/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one CPU does: it describes itself, tests its counters, or runs one kernel in every pass of
 * its schedule.
 */
#ifndef BARECOUNT_BOOT_MEASURE_MEASURE_H
#define BARECOUNT_BOOT_MEASURE_MEASURE_H

#include "boot/measure/uncore_registers.h"
#include "boot/cpu/space.h"
#include "pmu/cpu/barrier.h"
#include "pmu/journal/record.h"

#define TWICE_RUNS       3u  /* accepted samples at 2n, for the second method */
#define CALIBRATION_RUNS 32u /* accepted samples of the empty window */
#define INSPECT_BOUND_US 5000000u

/* Attempts at the most, so that a noisy CPU ends too. */
#define ATTEMPTS_MAX(runs) (2u * (runs))

struct inspect_task {
    struct cpu_context *context;
    struct cpu_record *record; /* out: all but cpu, siblings and status */
};

/* Fills in the CPU's record. Argument: struct inspect_task. */
void inspect_cpu(void *argument);

struct test_task {
    struct cpu_context *context;
    const struct cpu_record *cpu;
    struct cpu_space *space;
    struct cpu_caps *caps;       /* in: the CPU's; out: without counters that do not exist */
    struct counter_tests *tests; /* out; status is that of the registers */
};

/* Tests the counters. Argument: struct test_task. */
void check_counters(void *argument);

struct uncore_task {
    struct cpu_context *context;
    const struct cpu_caps *caps;
    struct cpu_uncore *uncore;         /* uncore->found: out of the first, in of the second */
    uint64_t ticks_per_us;             /* of the time stamp */
    struct uncore_record *record;      /* out of the second, all but cpu and package */
    struct uncore_error restore_error; /* out of the second */
};

/* Finds what the CPU's package has. Reads only. Argument: struct uncore_task. */
void find_uncore(void *argument);

/*
 * Tests the package's counters of package->kinds, and leaves there the kinds that it could take
 * over. Argument: struct uncore_task.
 */
void check_uncore(void *argument);

struct measure_task {
    struct cpu_context *context;
    const struct cpu_record *cpu;
    uint64_t apic_id;          /* of that CPU, as the firmware has it */
    const struct event *event; /* of that CPU */
    const struct schedule *schedule;
    struct cpu_uncore *uncore; /* what it counts outside the cores; null: nothing */
    struct cpu_space *space;   /* where the kernel runs; null: there is no memory for one */
    enum count_method method;  /* METHOD_DELTAS: at CPL 0 only */
    uint32_t overflow_after; /* the counters start so many events before their overflow; 0: at 0 */
    struct space_kernel kernel;
    struct barrier *barrier;  /* where they wait for each other before each window; null: alone */
    unsigned seat;            /* of this CPU there */
    uint64_t window_bound_us; /* one window takes no longer, or the kernel hangs */
    uint64_t
        spare_cycles; /* until the spare counter ends it (pmu/counters/spare.h); 0: others do */
    uint32_t runs;
    uint32_t warmup;
    uint32_t twice_runs;                     /* 0: none at 2n */
    bool beside_others;                      /* other CPUs measure at the same time */
    const struct msr_script *before, *after; /* null: none */
    struct msr_saved *saved; /* what the scripts overwrote on this CPU and is not put back yet */
    struct result *result;   /* out; the samples follow it, and what the scripts gave */
    uint32_t samples_max;    /* room for samples; there is always room for the scripts */

    struct pmu_error restore_error; /* out, of restore_cpu(), as the next */
    struct uncore_error uncore_restore_error;
};

/* What the CPUs at a barrier wait with; the holders of its seats are their tasks. */
extern const struct barrier_port MEASURE_BARRIER;

/* Measures. Argument: struct measure_task. */
void measure_kernel(void *argument);

/* Puts a CPU's PMU back after a task that did not come to its end. Argument: measure_task. */
void restore_cpu(void *argument);

/* Samples that a kernel takes at the most, and bytes of each, with a schedule. */
uint32_t measure_samples_max(const struct schedule *schedule, uint32_t runs, uint32_t twice_runs);
uint32_t measure_stride_bytes(const struct schedule *schedule);

#endif
