/* SPDX-License-Identifier: BSD-2-Clause */
/* A run: what is asked for, what that comes to on this machine, and what has come of it. */
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

/* What is asked for. command.c writes it, and menu.c the next plan's path. */
struct request {
    struct arguments arguments; /* of the command line */
    char plan_path[FILE_PATH_BYTES];
    char cpus[ARGUMENT_BYTES + 8]; /* "cpus=..."; "" without */
    struct other_cpus other;       /* of --for; count 0: it is about this machine */
};

/* Memory for one CPU, or for all CPUs of a node when they run one after the other. */
struct run_buffer {
    char *at;
    unsigned cpu;  /* the first that it is for */
    uint32_t node; /* where it was wanted; NODE_UNKNOWN: anywhere */
};

/* What kernels run in. memory.c alone writes it. */
struct run_memory {
    struct run_buffer buffer[CPUS_MAX];
    unsigned buffers;
    uint64_t buffer_bytes; /* of each: what the largest kernel wants, in whole pages */
    uint64_t buffer_align;
    char *spaces; /* of all CPUs: boot/cpu/space.h */
    uint64_t spaces_bytes;
    uint64_t space_bytes; /* of one; 0: there is no memory for them */
};

/* What the plan comes to here. run_prepare() writes it. */
struct run {
    const struct request *request;
    struct machine *machine;
    struct store *store;
    struct plan plan;
    char *plan_text; /* PLAN_FILE_BYTES_MAX */
    size_t plan_bytes;
    bool has_plan_file;        /* false: there is none at the path, the defaults are taken */
    struct kernel_offer offer; /* what the plan's words can mean */
    struct chosen_kernel kernel[CHOSEN_MAX]; /* those of the plan */
    unsigned kernels;                        /* that are run: the first of */
    unsigned kernels_asked;                  /* these, more where max_time= leaves some out */
    unsigned cpus;                           /* how many are planned */
    uint32_t runs_asked;                     /* more than plan.runs when they were cut */
    uint64_t expected_us;
    uint64_t asked_us; /* with all kernels that are asked for */
    struct store_needs needs;
    struct run_memory memory;
    struct cpu_events *events; /* of the boot CPU, for estimates; then of the present one */
};

/* The rest of the machine while CPUs measure. boot/run/quiet.c and guard.c write it. */
struct quiet {
    struct bus_masters masters;
    bool timer_refused;      /* when the run began */
    bool parks;              /* CPUs are parked in MWAIT in this run: */
    bool parked[CPUS_MAX];   /* these, while others measure */
    bool was_told[CPUS_MAX]; /* these do not come back, and that was said */
    unsigned guard;          /* the CPU that watches the boot CPU, or GUARD_NOBODY */
    struct watched boot_cpu; /* what it watches */
};

/* How far it is, and what has come of it. boot/run/ writes it while the run is measured. */
struct progress {
    const struct run *run;
    struct view view; /* the journal, read back */
    struct journal_cursor cursor;
    struct rows rows; /* of the last result */
    struct tally tally;
    struct zeros zeros;
    struct report report;
    struct quiet quiet;
    uint64_t started_us;
    uint64_t console_ticks; /* console_ticks() at its start */
    unsigned spaces;        /* that CPUs have */
    unsigned done;          /* kernels on CPUs that are finished, of run_units() */
    bool stopped;           /* by the user */
    char *results;          /* of CPUs that run kernels together; kept for the next run */
    size_t results_bytes;
    bool unknown_said; /* that no table has what the CPU model counts outside its cores */
};

#define UPLOAD_NAME_BYTES 64u

/* Where the results went. boot/send/ writes it. */
struct delivery {
    bool on_volume;                   /* all files are on one */
    bool on_server;                   /* all files are on the plan's server */
    bool framed;                      /* they went over the serial line, whole */
    char uploaded[UPLOAD_NAME_BYTES]; /* UUID-NNNN, which their names on the server start with */
};

/* The kernels that max_time= has no time for, in a sentence. */
void run_left_out(const struct run *run, struct out *out);

/* Where an error of the plan stands: "\barecount\plan.cfg:3:". */
void run_plan_place(const struct run *run, const struct plan_error *error, struct out *out);

/*
 * Memory for the largest buffer of each node, or of each CPU when several run together, on the
 * CPU's node where there is so much; kernels that want more than there is are left out.
 */
void run_take_buffers(struct run *run);

/* The buffer of a CPU of the plan; null when no kernel wants one. */
char *run_buffer(const struct run *run, unsigned cpu);

/* Says of buffers that they are not where they should be, or not write-back. */
void run_note_buffers(const struct run *run);

/* Memory for the space of each CPU, behind run_take_buffer(). Without it no kernel runs. */
void run_take_spaces(struct run *run);

/* A space for the run's CPU number `index`, as they come, to run kernels in; null: there is none.
 */
struct cpu_space *run_space(const struct run *run, unsigned index);

/* Accepted samples at 2n, of the kernel that has most. */
uint32_t run_twice_runs(const struct run *run);

/* Whether a kernel has roles for several CPUs: a pair, or a crowd; and whether any has. */
bool run_is_shared(const struct run *run, unsigned kernel);
bool run_has_shared(const struct run *run);

/* Results of a kernel: one for each CPU, or two for each pair; and of all kernels. */
unsigned run_units_of(const struct run *run, unsigned kernel);
unsigned run_units(const struct run *run);

/* Whether CPU `number` is to be measured. */
bool run_has_cpu(const struct run *run, unsigned number);

/* Whether a kernel of the run is not built in: it need not return. */
bool run_has_foreign(const struct run *run);

/* STATUS_OK, or why a CPU cannot run a kernel. */
enum status run_can(const struct run *run, const struct cpu_caps *caps, unsigned kernel);

/* The folder of event tables on the stick, \barecount\events. Boot CPU only. */
extern const struct tables_port EVENT_FILES;

#endif
