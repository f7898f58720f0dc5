/* SPDX-License-Identifier: BSD-2-Clause */
/* A run: the request, what the plan means on this machine, and the run's progress. */
#ifndef BARECOUNT_BOOT_PLAN_RUN_H
#define BARECOUNT_BOOT_PLAN_RUN_H

#include "boot/cpu/space.h"
#include "boot/cpu/watch.h"
#include "boot/efi/bus_masters.h"
#include "boot/plan/machine.h"
#include "boot/store/store.h"
#include "kernels/chosen.h"
#include "pmu/cpu/other.h"
#include "pmu/plan/arguments.h"
#include "pmu/plan/cpu_events.h"
#include "pmu/plan/plan.h"
#include "pmu/report/report.h"
#include "pmu/events/tables.h"
#include "pmu/verdicts/zeros.h"

#define PLAN_PATH "barecount\\plan.cfg"

/* What the user asks for: set by boot/command.c; boot/menu.c sets the path of the next plan. */
struct request {
    struct arguments arguments; /* of the command line */
    char plan_path[FILE_PATH_BYTES];
    char cpus[ARGUMENT_BYTES + 8]; /* "cpus=..."; "": not given */
    struct other_cpus other;       /* CPUs of --for; count 0: this machine */
};

/* A buffer for one CPU, or for all CPUs of a node that run one after the other. */
struct run_buffer {
    char *at;
    unsigned cpu;  /* the first CPU that uses the buffer */
    uint32_t node; /* requested node; NODE_UNKNOWN: any */
};

/* Memory that kernels run in. Only boot/plan/memory.c writes this struct. */
struct run_memory {
    struct run_buffer buffer[CPUS_MAX];
    unsigned buffers;
    uint64_t buffer_bytes; /* the largest buffer of any kernel, in whole pages */
    uint64_t buffer_align;
    char *spaces; /* spaces of all CPUs; see boot/cpu/space.h */
    uint64_t spaces_bytes;
    uint64_t space_bytes; /* bytes of one CPU's space; 0: no memory for spaces */
};

/* What the plan means on this machine. Written by run_prepare(). */
struct run {
    const struct request *request;
    struct machine *machine;
    struct store *store;
    struct plan plan;
    char *plan_file;       /* from run_plan_memory() */
    const char *plan_text; /* the plan's text, in plan_file */
    size_t plan_bytes;
    bool has_plan_file;                      /* false: the built-in plan is used */
    struct kernel_offer offer;               /* the kernels that the plan can name */
    struct chosen_kernel kernel[CHOSEN_MAX]; /* the plan's kernels */
    unsigned kernels;                        /* how many kernels run: the first ones in `kernel` */
    unsigned kernels_asked;                  /* `kernels` without the limit of max_time= */
    unsigned cpus;                           /* how many CPUs are measured; 0: all are left out */
    uint32_t runs_asked;                     /* plan.runs before max_time= reduced it */
    uint64_t expected_us;
    uint64_t asked_us; /* expected_us without the limit of max_time= */
    struct store_needs needs;
    struct run_memory memory;
    struct cpu_events *events; /* first the boot CPU's, for estimates; later the current CPU's */
};

/*
 * The state of the rest of the machine while CPUs measure. Written by boot/run/quiet.c and guard.c.
 */
struct quiet {
    struct bus_masters masters;
    bool timer_refused;      /* the timer could not be stopped when the run began */
    bool alone_told;         /* the user was told that the firmware runs one CPU at a time */
    bool parks;              /* this run parks CPUs in MWAIT */
    bool parked[CPUS_MAX];   /* these CPUs are parked while others measure */
    bool was_told[CPUS_MAX]; /* the user was told that these CPUs did not return */
    bool nmi_told[CPUS_MAX]; /* the user was told that an NMI was sent to these CPUs */
    unsigned guard;          /* the CPU that watches the boot CPU, or GUARD_NOBODY */
    struct watched boot_cpu; /* what the guard watches */
};

/* Progress and results so far. Written by boot/run/ during the run. */
struct progress {
    const struct run *run;
    struct view view; /* the journal, parsed */
    struct journal_cursor cursor;
    struct rows rows; /* the rows of the last result */
    struct tally tally;
    struct zeros zeros;
    struct report report;
    struct quiet quiet;
    uint64_t started_us;
    uint64_t console_ticks; /* console_ticks() when the run began */
    unsigned spaces;        /* index of the space for the next CPU (run_space()) */
    unsigned done;          /* results so far, even those without data; at most run_units() */
    enum stopped_by stopped;
    char *results; /* results of CPUs that run kernels together; the next run reuses the memory */
    size_t results_bytes;
    bool unknown_said; /* the user was told that no table contains this CPU model's uncore */
};

#define UPLOAD_NAME_BYTES 64u

/* Where the results went. Written by boot/send/. */
struct delivery {
    bool on_volume;                   /* all files are on a volume */
    bool on_server;                   /* all files are on the plan's server */
    bool framed;                      /* all files went over the serial line */
    char uploaded[UPLOAD_NAME_BYTES]; /* UUID-NNNN, the prefix of names on the server */
};

/* Allocates plan_file; null: no memory. */
char *run_plan_memory(void);

/*
 * Reads and parses the request's plan, or sets the built-in plan. If unsigned code is refused
 * (secure_boot_refuses_unsigned()), an unsigned plan from a server is refused as well, and any
 * other unsigned plan loses its code and its access to unsafe registers.
 */
void run_read_plan(struct run *run);

/* Writes a sentence about the kernels that max_time= leaves out. */
void run_left_out(const struct run *run, struct out *out);

/* Writes where in the plan an error is, such as "\barecount\plan.cfg:3:". */
void run_plan_place(const struct run *run, const struct plan_error *error, struct out *out);

/*
 * Allocates a buffer for each node, or for each CPU if CPUs run kernels at the same time. Each
 * buffer is as large as the largest that a kernel needs, and is on the node of its CPU if that node
 * has enough memory. Leaves out kernels whose buffers do not fit in memory.
 */
void run_take_buffers(struct run *run);

/* A CPU's buffer; null: no kernel needs one. */
char *run_buffer(const struct run *run, unsigned cpu);

/* Notes buffers that are on another node than requested, or not write-back. */
void run_note_buffers(const struct run *run);

/*
 * Allocates each CPU's space. Call this function after run_take_buffers(). Without spaces no kernel
 * runs.
 */
void run_take_spaces(struct run *run);

/* Makes a space for CPU `index` of the run, counted from 0; null: no memory. */
struct cpu_space *run_space(const struct run *run, unsigned index);

/* The largest number of accepted samples at 2n that a kernel needs. */
uint32_t run_twice_runs(const struct run *run);

/* Whether the kernel, or any kernel of the run, is for several CPUs (a pair or a crowd). */
bool run_is_shared(const struct run *run, unsigned kernel);
bool run_has_shared(const struct run *run);

/*
 * Number of results of a kernel (one for each CPU, or two for each pair of CPUs), and of all
 * kernels.
 */
unsigned run_units_of(const struct run *run, unsigned kernel);
unsigned run_units(const struct run *run);

enum refused run_is_refused(const struct run *run);

/*
 * run_plans_cpu(): whether the plan names CPU `number`. run_has_cpu(): whether the run also
 * measures this CPU.
 */
bool run_plans_cpu(const struct run *run, unsigned number);
bool run_has_cpu(const struct run *run, unsigned number);

/* Whether the run contains a kernel from a file or of raw code, which may never return. */
bool run_has_foreign(const struct run *run);

/* STATUS_OK, or why a CPU cannot run the kernel. */
enum status run_can(const struct run *run, const struct cpu_caps *caps, unsigned kernel);

/* The folder of event tables, \barecount\events. Boot CPU only. */
extern const struct tables_port EVENT_FILES;

#endif
