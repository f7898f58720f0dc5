/* SPDX-License-Identifier: BSD-2-Clause */
/* A run under Linux, from its plan to its journal. */
#ifndef BARECOUNT_LINUX_RUN_H
#define BARECOUNT_LINUX_RUN_H

#include "pmu/plan/cpu_events.h"
#include "pmu/files/render.h"
#include "pmu/report/report.h"
#include "pmu/verdicts/zeros.h"
#include "scripts/linux/child.h"
#include "scripts/linux/files.h"
#include "scripts/linux/host.h"

struct run_cpu {
    struct cpu_record record;
    struct event *event;
    unsigned events;
    struct schedule *schedule;
    uint32_t pmu_type;
    struct child_report *report; /* shared with the children that measure this CPU */
    size_t report_bytes;
    struct noise noise[2];
};

struct linux_run {
    struct host *host;
    const struct tables_port *tables;
    struct plan plan;
    const char *plan_path; /* null for the built-in plan */
    const char *plan_text;
    size_t plan_bytes;
    struct kernel_offer offer;
    struct chosen_kernel kernel[CHOSEN_MAX];
    unsigned kernels;       /* how many entries of `kernel` are run */
    unsigned kernels_asked; /* number of kernels in the plan; max_time= may leave out some */
    uint32_t runs_asked;    /* plan.runs before run_fit() reduced it */
    bool counters_asked;    /* whether the plan has counters=each, which Linux cannot do */
    uint64_t expected_us;
    uint64_t asked_us; /* expected time if no kernel were left out */
    bool measured[PLAN_CPUS_MAX];
    struct run_cpu *cpu; /* the plan's CPUs, in order */
    unsigned cpus;
    struct cpu_events events;
    const char *folder; /* contains index.csv and the folder of each run */
    unsigned number;
    struct journal journal;
    int journal_file;
    size_t written;  /* bytes of the journal that are in journal_file */
    int write_errno; /* errno of the write that failed; 0 if none failed */
    struct view view;
    struct journal_cursor cursor;
    int64_t *scratch;
    size_t scratch_count;
    struct rows rows; /* of the last result */
    struct tally tally;
    struct zeros zeros;
    struct report report;
    uint64_t started_us;
    uint64_t elapsed_us;   /* from started_us until the last CPU had ended */
    volatile int *stopped; /* set by a signal */
};

/*
 * Reads the plan and applies it to this machine; errors are stored in run->plan. If `cpus` is not
 * null, it is a line cpus= that replaces the plan's. On failure, prints the reason and returns
 * false.
 */
bool run_prepare(struct linux_run *run, const char *path, const char *cpus);

/* Does the part of run_prepare() that does not depend on the machine. */
bool run_read(struct linux_run *run, const char *path, const char *cpus);

/*
 * Fits the run into max_time=, as time_fit() does. The first CPU's events must be in run->events.
 */
void run_fit(struct linux_run *run);

/* Writes a sentence about the kernels that max_time= leaves out. */
void run_left_out(const struct linux_run *run, struct out *out);

/* Measures, and writes the journal. Without memory, prints an error and returns false. */
bool run_measure(struct linux_run *run);

/* Fills in what the journal's first record says about the program, the machine and the plan. */
void run_describe(const struct linux_run *run, struct run_record *record);

/* The place of an error in the plan, such as "plan.cfg:3: "; "" if no line is at fault. */
#define PLACE_BYTES (PATH_BYTES + 16u)
const char *run_place(const struct linux_run *run, const struct plan_error *error,
                      char text[PLACE_BYTES]);

/* Allocates the journal and the memory to read it back. False: no memory. */
bool run_make_journal(struct linux_run *run);

/* Appends a NOTE. */
void run_note(struct linux_run *run, enum note_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a record. False: there is no room, and the record counts as lost. */
bool run_append(struct linux_run *run, uint32_t type, const void *payload, size_t bytes);

/* Writes new journal records to journal_file, adds them to the view, and prints the results. */
void run_catch_up(struct linux_run *run);

/* An empty uncore, because the uncore is not counted under Linux. `context` is unused. */
const struct uncore *uncore_of_linux(void *context);

/* A CPU's capabilities, without the counter that the NMI watchdog uses. */
struct cpu_caps run_caps(const struct linux_run *run, const struct cpu_caps *caps);

/*
 * Describes a CPU, finds its events, and measures its noise and empty window. False if there is no
 * memory or a child cannot be started.
 */
bool run_cpu_start(struct linux_run *run, struct run_cpu *cpu, unsigned number);

/* Measures a CPU's noise and appends it to the journal, unless the plan has noise_ms=0. */
void run_noise(struct linux_run *run, struct run_cpu *cpu, enum noise_when when);

/* Ends a CPU's part in the run, after its last kernel. */
void run_cpu_end(struct linux_run *run, struct run_cpu *cpu);

/* Makes the task of a child that runs `kernel`, or the empty kernel if `kernel` is null. */
struct child_task run_task(const struct linux_run *run, const struct run_cpu *cpu,
                           const struct chosen_kernel *kernel);

/* STATUS_OK, or why a CPU cannot run a kernel under Linux. */
enum status run_can(const struct run_cpu *cpu, const struct chosen_kernel *kernel);

/* Appends a result that has no samples, only the reason `why`. */
void run_leave_out(struct linux_run *run, unsigned cpu, uint32_t kernel, enum status why,
                   uint32_t partner);

/* Appends a child's report as a RESULT. */
void run_put_result(struct linux_run *run, const struct child_task *task, uint32_t kernel,
                    uint32_t partner, uint64_t elapsed_us);

#endif
