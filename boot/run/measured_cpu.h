/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU in a run, from its description to its last kernel. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_MEASURED_CPU_H
#define BARECOUNT_BOOT_RUN_MEASURED_CPU_H

#include "boot/measure/measure.h"
#include "boot/run/progress.h"
#include "boot/cpu/watch.h"

#define UNANSWERED_MAX 2u /* a CPU is given up after this many unanswered tasks */

struct measured_cpu {
    const struct cpu_record *cpu;
    const struct event *event;
    const struct schedule *schedule;
    struct cpu_uncore *uncore; /* null: none */
    struct cpu_space *space;   /* null: no memory */
    struct msr_saved saved;    /* MSRs to be restored */
    struct cpu_state state;    /* settings of [state] to be restored */
    unsigned unanswered;
    bool has_spare;          /* see pmu/counters/spare.h */
    bool left_open;          /* registers may need restoring */
    struct noise noise[2];   /* indexed by enum noise_when */
    uint32_t partner;        /* the other CPU of a pair, or CPU_NONE */
    uint32_t refused_msr;    /* MSR whose access failed for the previous kernel; 0: none */
    uint64_t refused_uncore; /* for note_uncore_errors() */
};

/*
 * Starts a CPU and records the results of each step: description, test of its counters, events,
 * [state], noise and calibration. If there is no memory, reports that and returns false.
 */
bool measured_cpu_start(struct progress *p, struct measured_cpu *cpu, unsigned number);

/* Whether the CPU gets no more tasks, because it failed to answer or was given up. */
bool measured_cpu_is_lost(const struct measured_cpu *cpu);

/* Notes what cannot be restored on a CPU that does not answer. */
void measured_cpu_note_lost(struct progress *p, const struct measured_cpu *cpu, const char *when);

/* Notes the machine check that ends the run. */
void measured_cpu_note_check(struct progress *p, unsigned number, const char *when);

/* Makes measured_cpu_is_lost() true. */
void measured_cpu_give_up(struct measured_cpu *cpu);

/*
 * measured_cpu_prepare() fills in those fields of a task that depend on the CPU. The function also
 * fills in the first fields of `result`, which has room for measured_cpu_result_bytes() bytes.
 */
size_t measured_cpu_result_bytes(const struct measured_cpu *cpu, const struct measure_task *task);
void measured_cpu_prepare(const struct run *run, struct measured_cpu *cpu,
                          struct measure_task *task, uint32_t kernel_number, struct result *result);

/* How long one run of the kernel may take before an NMI ends it. */
uint64_t measured_cpu_window_us(const struct plan *plan, const struct measure_task *task);

/*
 * How long a whole task may take, including NMIs. After this time, the firmware resets the CPU,
 * unless the CPU was parked.
 */
uint64_t measured_cpu_bound_us(const struct measured_cpu *cpu, const struct measure_task *task);

/* What guard_watch() needs to know about a task. Call this after measured_cpu_prepare(). */
struct watched measured_cpu_watched(const struct run *run, const struct measure_task *task);

/* Writes the outcome of a task into its result, before the result is appended. */
void measured_cpu_take(struct measured_cpu *cpu, struct measure_task *task, enum status status,
                       uint64_t elapsed_us);

/* Reports what went wrong in a task, after its result was appended. */
void measured_cpu_note(struct progress *p, struct measured_cpu *cpu, const struct result *result,
                       const char *name);

/* Runs a task on the CPU alone and appends its result. */
void measured_cpu_task(struct progress *p, struct measured_cpu *cpu, struct measure_task *task,
                       uint32_t kernel_number, const char *name);

/* Appends a result without data, which gives only the reason `why`. */
void measured_cpu_leave_out(struct progress *p, const struct measured_cpu *cpu,
                            uint32_t kernel_number, enum status why);

/*
 * Measures the CPU's noise again, and restores registers and the settings of [state]. CPUs may
 * share a setting. CPUs must end in the reverse order of their start, so that the CPU that found
 * the original value restores it last.
 */
void measured_cpu_end(struct progress *p, struct measured_cpu *cpu);

#endif
