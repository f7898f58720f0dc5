/* SPDX-License-Identifier: BSD-2-Clause */
/* The tasks of one CPU: describing itself, testing its counters, and measuring a kernel. */
#ifndef BARECOUNT_BOOT_MEASURE_MEASURE_H
#define BARECOUNT_BOOT_MEASURE_MEASURE_H

#include "boot/measure/uncore_registers.h"
#include "boot/cpu/space.h"
#include "pmu/cpu/barrier.h"
#include "pmu/files/machine_file.h"
#include "pmu/journal/record.h"

#define TWICE_RUNS       3u  /* accepted samples at 2n */
#define CALIBRATION_RUNS 32u /* of the empty window */
#define INSPECT_BOUND_US 5000000u

#define CALIBRATION_TWICE_RUNS 8u /* of two empty calls */

/* The largest number of attempts to get `runs` accepted samples. */
#define ATTEMPTS_MAX(runs) (2u * (runs))

struct inspect_task {
    struct cpu_context *context;
    struct cpu_record *record;   /* out: all fields except cpu, siblings and status */
    struct machine_cpu *answers; /* out; null: not wanted */
};

/* `argument`: struct inspect_task. */
void inspect_cpu(void *argument);

struct test_task {
    struct cpu_context *context;
    const struct cpu_record *cpu;
    struct cpu_space *space;
    uint64_t ticks_per_us;       /* time stamp ticks */
    struct cpu_caps *caps;       /* in: a copy of cpu->caps; out: only counters that exist */
    struct counter_tests *tests; /* out */
};

/* Reads the machine-check banks into context->check. */
void measure_look_at_banks(struct cpu_context *context);

/* `argument`: struct test_task. */
void check_counters(void *argument);

struct uncore_task {
    struct cpu_context *context;
    const struct cpu_caps *caps;
    struct cpu_uncore *uncore;         /* find_uncore() fills in `found` */
    uint64_t ticks_per_us;             /* time stamp ticks */
    struct uncore_record *record;      /* check_uncore() adds results */
    struct uncore_error restore_error; /* first register not restored */
    struct machine_reads *reads;       /* out; null: not wanted */
};

/* Finds the package's counters by reads alone. `argument` is a struct uncore_task. */
void find_uncore(void *argument);

/*
 * Tests the package's counters of uncore->kinds. Removes from uncore->kinds the kinds that cannot
 * be taken over. Adds to uncore->faulty the kinds that fail. `argument` is a struct uncore_task.
 */
void check_uncore(void *argument);

struct measure_task {
    struct cpu_context *context;
    const struct cpu_record *cpu;
    uint64_t apic_id;          /* from the firmware */
    const struct event *event; /* this CPU's events */
    const struct schedule *schedule;
    struct cpu_uncore *uncore; /* null: none */
    struct cpu_space *space;   /* null: no memory */
    enum count_method method;  /* METHOD_DELTAS is allowed only at CPL 0 */
    uint32_t overflow_after;   /* number of events before the overflow; 0: counters start at 0 */
    struct space_kernel kernel;
    struct barrier *barrier;  /* null: runs alone */
    unsigned seat;            /* index in barrier->seat */
    uint64_t window_bound_us; /* a longer window counts as a hang */
    /* Cycles after which the spare counter ends a window (pmu/counters/spare.h); 0: not used. */
    uint64_t spare_cycles;
    unsigned spare_counter; /* a general counter's index */
    uint32_t runs;
    uint32_t warmup;
    uint32_t twice_runs;                     /* samples at 2n; 0: none */
    bool beside_others;                      /* other CPUs measure too */
    const struct msr_script *before, *after; /* null: none */
    struct msr_saved *saved;                 /* MSRs to restore */
    struct result *result; /* out; the samples and the scripts' results follow in memory */
    uint32_t samples_max;  /* how many samples fit; the scripts' results always fit */

    struct pmu_error restore_error; /* set by restore_cpu() */
    struct uncore_error uncore_restore_error;
};

/* For barriers in which each seat's `holder` is a struct measure_task. */
extern const struct barrier_port MEASURE_BARRIER;

/* `argument`: struct measure_task. */
void measure_kernel(void *argument);

/* Restores a CPU after a task that was cut off. `argument` is a struct measure_task. */
void restore_cpu(void *argument);

/* The largest number of a kernel's samples, and the size of each in bytes. */
uint32_t measure_samples_max(const struct schedule *schedule, uint32_t runs, uint32_t twice_runs);
uint32_t measure_stride_bytes(const struct schedule *schedule);

#endif
