/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU in a run, from its description to its last kernel. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_MEASURED_CPU_H
#define BARECOUNT_BOOT_RUN_MEASURED_CPU_H

#include "boot/measure/measure.h"
#include "boot/run/progress.h"
#include "boot/cpu/watch.h"

#define UNANSWERED_MAX 2u /* a CPU that failed to answer this many times is not asked again */

/* A CPU's records in the journal, and how it has answered so far. */
struct measured_cpu {
    const struct cpu_record *cpu;
    const struct event *event;
    const struct schedule *schedule;
    struct cpu_uncore *uncore; /* the uncore that this CPU counts; null: none */
    struct cpu_space *space;   /* space of this CPU's kernels; null: no memory */
    struct msr_saved saved;    /* values that MSR scripts have overwritten, to be restored */
    struct cpu_state state;    /* what [state] has changed, to be restored */
    unsigned unanswered;
    bool has_spare;          /* a counter is reserved to end hung kernels: pmu/counters/spare.h */
    bool left_open;          /* a task was cut off; the CPU's registers may need to be restored */
    struct noise noise[2];   /* indexed by enum noise_when; without data if noise_ms=0 */
    uint32_t partner;        /* the other CPU of the pair that runs, or CPU_NONE */
    uint32_t refused_msr;    /* register of the last error noted for this CPU; 0: none */
    uint64_t refused_uncore; /* `refused` of note_uncore_errors() (boot/run/notes.h) */
};

/*
 * Starts a CPU and records the results of each step in the journal: describes the CPU, tests its
 * counters, finds its events, sets the plan's [state], measures its noise and calibrates its
 * window. If there is no memory for the CPU's records, reports that, counts its kernels as lost and
 * returns false.
 */
bool measured_cpu_start(struct progress *p, struct measured_cpu *cpu, unsigned number);

/*
 * Whether the CPU gets no more tasks, because it has failed to answer UNANSWERED_MAX times, was
 * given up, or has not ended a task that it got while parked (park_lost()).
 */
bool measured_cpu_is_lost(const struct measured_cpu *cpu);

/* Notes what cannot be restored on a CPU that does not answer. */
void measured_cpu_note_lost(struct progress *p, const struct measured_cpu *cpu, const char *when);

/* Notes the error of a machine check from which the CPU could not continue, and ends the run. */
void measured_cpu_note_check(struct progress *p, unsigned number, const char *when);

/* Makes measured_cpu_is_lost() true. */
void measured_cpu_give_up(struct measured_cpu *cpu);

/*
 * Fills in the rest of a task from the CPU's records; `result` has room for
 * measured_cpu_result_bytes() bytes.
 */
size_t measured_cpu_result_bytes(const struct measured_cpu *cpu, const struct measure_task *task);
void measured_cpu_prepare(const struct run *run, struct measured_cpu *cpu,
                          struct measure_task *task, uint32_t kernel_number, struct result *result);

/* How long one run of the kernel may take before an NMI ends it. */
uint64_t measured_cpu_window_us(const struct plan *plan, const struct measure_task *task);

/*
 * How long a whole task may take, including NMIs, before it counts as timed out. The firmware then
 * resets the CPU, unless the CPU was parked. This reset is the last resort for a CPU that does not
 * even accept NMIs.
 */
uint64_t measured_cpu_bound_us(const struct measured_cpu *cpu, const struct measure_task *task);

/* Returns what guard_watch() needs to watch a task that measured_cpu_prepare() has filled in. */
struct watched measured_cpu_watched(const struct run *run, const struct measure_task *task);

/* Writes the outcome of a task into its result. Call this before the result is appended. */
void measured_cpu_take(struct measured_cpu *cpu, struct measure_task *task, enum status status,
                       uint64_t elapsed_us);

/* Reports what went wrong in a task. Call this after its result has been appended. */
void measured_cpu_note(struct progress *p, struct measured_cpu *cpu, const struct result *result,
                       const char *name);

/* Runs a task on the CPU alone and appends its result. */
void measured_cpu_task(struct progress *p, struct measured_cpu *cpu, struct measure_task *task,
                       uint32_t kernel_number, const char *name);

/*
 * Appends a result without data, which gives only the reason `why`. If there is no memory for the
 * result, the result counts as lost.
 */
void measured_cpu_leave_out(struct progress *p, const struct measured_cpu *cpu,
                            uint32_t kernel_number, enum status why);

/*
 * Measures the CPU's noise again. Then restores registers that a cut-off task has left changed, and
 * the settings that the plan's [state] has changed. Reports what failed, and marks the CPU if it is
 * lost. CPUs may share a setting of [state], so they must end in the reverse order of their start.
 */
void measured_cpu_end(struct progress *p, struct measured_cpu *cpu);

#endif
