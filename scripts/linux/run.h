/* SPDX-License-Identifier: BSD-2-Clause */
/* A run under Linux: from a plan to a journal. */
#ifndef BARECOUNT_LINUX_RUN_H
#define BARECOUNT_LINUX_RUN_H

#include "pmu/plan/cpu_events.h"
#include "pmu/files/render.h"
#include "pmu/report/report.h"
#include "pmu/verdicts/zeros.h"
#include "scripts/linux/child.h"
#include "scripts/linux/files.h"
#include "scripts/linux/host.h"

/* A CPU in a run. */
struct run_cpu {
    struct cpu_record record;
    struct event *event;
    unsigned events;
    struct schedule *schedule;
    uint32_t pmu_type;
    struct child_report *report; /* shared with its children */
    size_t report_bytes;
    struct noise noise[2]; /* by enum noise_when */
};

struct linux_run {
    struct host *host;
    const struct tables_port *tables;
    struct plan plan;
    const char *plan_path; /* null: what is built in */
    const char *plan_text;
    size_t plan_bytes;
    struct kernel_offer offer;
    struct chosen_kernel kernel[CHOSEN_MAX];
    unsigned kernels;       /* that are run: the first of */
    unsigned kernels_asked; /* these, more where max_time= leaves some out */
    uint32_t runs_asked;    /* more than plan.runs when they were cut */
    uint64_t expected_us;
    uint64_t asked_us; /* with all kernels that are asked for */
    bool measured[PLAN_CPUS_MAX];
    struct run_cpu *cpu; /* those of the plan, in their order */
    unsigned cpus;
    struct cpu_events events;
    const char *folder; /* of the results */
    unsigned number;
    struct journal journal;
    int journal_file;
    size_t written;  /* of the journal's bytes */
    int write_errno; /* why the rest could not be; 0: it can */
    struct view view;
    struct journal_cursor cursor;
    int64_t *scratch;
    size_t scratch_count;
    struct rows rows; /* of the last result */
    struct tally tally;
    struct zeros zeros;
    struct report report;
    uint64_t started_us;
    volatile int *stopped; /* set by a signal */
};

/*
 * Reads the plan, with `cpus` (a line of [run], or null) in the place of its own, and works out
 * what it means here; errors stay in run->plan. False, after saying why: it cannot be measured at
 * all.
 */
bool run_prepare(struct linux_run *run, const char *path, const char *cpus);

/* The part of it that is the same on any machine, with the rings as the image has them. */
bool run_read(struct linux_run *run, const char *path, const char *cpus);

/*
 * Estimates how long it takes; cuts the plan's runs and leaves kernels out as time_fit() does. The
 * first CPU's events must be in run->events.
 */
void run_fit(struct linux_run *run);

/* The kernels that max_time= has no time for, in a sentence. */
void run_left_out(const struct linux_run *run, struct out *out);

/* Measures into the journal, and writes that. False, after saying why: there is no memory for it.
 */
bool run_measure(struct linux_run *run);

/* What a run's first record says of the program, the machine and the plan. */
void run_describe(const struct linux_run *run, struct run_record *record);

/* Where an error of the plan stands: "plan.cfg:3: "; "" where its text says so itself. */
#define PLACE_BYTES (PATH_BYTES + 16u)
const char *run_place(const struct linux_run *run, const struct plan_error *error,
                      char text[PLACE_BYTES]);

/* Memory for the journal and for what is read of it. False: there is none. */
bool run_make_journal(struct linux_run *run);

/* Adds a NOTE. */
void run_note(struct linux_run *run, enum note_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a record. False: there is no room, which counts as lost. */
bool run_append(struct linux_run *run, uint32_t type, const void *payload, size_t bytes);

/* Writes what the journal has gained, and takes it into the view and onto the console. */
void run_catch_up(struct linux_run *run);

/* What is counted outside the cores here: nothing. Context: unused. */
const struct uncore *uncore_of_linux(void *context);

/* Describes a CPU, finds its events, calibrates its window; all goes to the journal. */
bool run_cpu_start(struct linux_run *run, struct run_cpu *cpu, unsigned number);

/* Watches a CPU for gaps in time, unless the plan has noise_ms=0; appends the certificate. */
void run_noise(struct linux_run *run, struct run_cpu *cpu, enum noise_when when);

/* Behind a CPU's last kernel. */
void run_cpu_end(struct linux_run *run, struct run_cpu *cpu);

/* What a kernel's child is told; `kernel` is null for the empty one. */
struct child_task run_task(const struct linux_run *run, const struct run_cpu *cpu,
                           const struct chosen_kernel *kernel);

/* STATUS_OK, or why a CPU cannot run a kernel here. */
enum status run_can(const struct run_cpu *cpu, const struct chosen_kernel *kernel);

/* Appends a result that says why there is nothing. */
void run_leave_out(struct linux_run *run, unsigned cpu, uint32_t kernel, enum status why,
                   uint32_t partner);

/* Appends what a child left as a RESULT. */
void run_put_result(struct linux_run *run, const struct child_task *task, uint32_t kernel,
                    uint32_t partner, uint64_t elapsed_us);

#endif
