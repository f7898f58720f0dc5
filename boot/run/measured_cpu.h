/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU in a run: from its description to the end of its last kernel. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_MEASURED_CPU_H
#define BARECOUNT_BOOT_RUN_MEASURED_CPU_H

#include "boot/measure/measure.h"
#include "boot/run/progress.h"
#include "boot/cpu/watch.h"

#define UNANSWERED_MAX 2u /* a CPU that did not answer so often is left alone */

/* What a CPU has in the journal, and how it has answered so far. */
struct measured_cpu {
    const struct cpu_record *cpu;
    const struct event *event;
    const struct schedule *schedule;
    struct cpu_uncore *uncore; /* that it counts for; null: none (boot/run/uncore.h) */
    struct cpu_space *space;   /* where its kernels run; null: there is no memory for one */
    struct msr_saved saved;    /* of the MSR scripts: what is not put back yet */
    struct cpu_state state;    /* of the plan's [state]: what is not put back yet */
    unsigned unanswered;
    bool has_spare; /* pmu/counters/spare.h */
    bool left_open; /* its last task did not come to its end: its registers may be ours still */
    struct noise noise[2];   /* by enum noise_when; as they come, all 0 with noise_ms=0 */
    uint32_t partner;        /* the CPU of the other role in the present kernel, or CPU_NONE */
    uint32_t refused_msr;    /* of the last error that was noted of this CPU; 0: none */
    uint64_t refused_uncore; /* the same, outside the cores */
};

/*
 * Describes a CPU, tests its counters, finds its events, sets the plan's [state], watches its noise
 * and calibrates its window; all of it goes to the journal. False, said and counted as lost, when
 * there is no memory for its records.
 */
bool measured_cpu_start(struct progress *p, struct measured_cpu *cpu, unsigned number);

/* Whether the CPU did not answer so often that it is left alone. */
bool measured_cpu_is_lost(const struct measured_cpu *cpu);

/* Says what stays as it is on a CPU that nobody can ask any more. */
void measured_cpu_note_lost(struct progress *p, const struct measured_cpu *cpu, const char *when);

/* From now on it counts as such a CPU. */
void measured_cpu_give_up(struct measured_cpu *cpu);

/*
 * Makes the task complete for the CPU: with its records, and with room for its result at `result`,
 * as much as measured_cpu_result_bytes() says.
 */
size_t measured_cpu_result_bytes(const struct measured_cpu *cpu, const struct measure_task *task);
void measured_cpu_prepare(const struct run *run, struct measured_cpu *cpu,
                          struct measure_task *task, uint32_t kernel_number, struct result *result);

/* How long one run of the kernel may take; then an NMI ends it. */
uint64_t measured_cpu_window_us(const struct plan *plan, const struct measure_task *task);

/*
 * How long a complete task may take, with the NMIs; then the firmware takes the CPU back. That is
 * the last resort, for a CPU that does not take NMIs either.
 */
uint64_t measured_cpu_bound_us(const struct measured_cpu *cpu, const struct measure_task *task);

/* What guard_watch() wants of a complete task. */
struct watched measured_cpu_watched(const struct run *run, const struct measure_task *task);

/* What became of a task, before its result is appended: the result is made to say it. */
void measured_cpu_take(struct measured_cpu *cpu, struct measure_task *task, enum status status,
                       uint64_t elapsed_us);

/* Behind it: says on the console what went wrong. */
void measured_cpu_note(struct progress *p, struct measured_cpu *cpu, const struct result *result,
                       const char *name);

/* Runs a task with the CPU alone, and appends its result. */
void measured_cpu_task(struct progress *p, struct measured_cpu *cpu, struct measure_task *task,
                       uint32_t kernel_number, const char *name);

/* Appends a result that says why there is nothing; counts it as lost when there is no memory. */
void measured_cpu_leave_out(struct progress *p, const struct measured_cpu *cpu,
                            uint32_t kernel_number, enum status why);

/*
 * Watches the CPU's noise again, puts back the registers that a task which was broken off has left,
 * then the plan's [state]; says what could not be, and tells boot/run/quiet.h of a CPU that is
 * lost. CPUs may share what [state] sets: the last one that was started ends first.
 */
void measured_cpu_end(struct progress *p, struct measured_cpu *cpu);

#endif
