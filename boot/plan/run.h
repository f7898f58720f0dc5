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
#include "pmu/plan/arguments.h"
#include "pmu/plan/cpu_events.h"
#include "pmu/plan/plan.h"
#include "pmu/report/report.h"
#include "pmu/events/tables.h"
#include "pmu/verdicts/zeros.h"

#define PLAN_PATH "barecount\\plan.cfg"

struct request {
    struct arguments arguments;
    char plan_path[FILE_PATH_BYTES];
    char cpus[ARGUMENT_BYTES + 8]; /* "cpus=..." or "" */
};

/* A buffer for one CPU, or for all CPUs of a node in turn. */
struct run_buffer {
    char *at;
    unsigned cpu;  /* the first CPU that uses the buffer */
    uint32_t node; /* the requested NUMA node; NODE_UNKNOWN: any */
};

/* Only boot/plan/memory.c writes this struct. */
struct run_memory {
    struct run_buffer buffer[CPUS_MAX];
    unsigned buffers;
    uint64_t buffer_bytes; /* in whole pages */
    uint64_t buffer_align;
    char *spaces; /* memory for the spaces of all CPUs */
    uint64_t spaces_bytes;
    uint64_t space_bytes; /* of one CPU; 0: no memory */
};

/* What the plan means on this machine. Written by run_prepare(). */
struct run {
    const struct request *request;
    struct machine *machine;
    struct store *store;
    struct plan plan;
    char *plan_file;
    const char *plan_text; /* in plan_file */
    size_t plan_bytes;
    bool has_plan_file; /* false: built-in plan */
    struct kernel_offer offer;
    struct chosen_kernel kernel[CHOSEN_MAX];
    unsigned kernels;       /* number of kernels that run: kernel[0] to kernel[kernels - 1] */
    unsigned kernels_asked; /* number of kernels before max_time= leaves out any */
    unsigned cpus;          /* number of CPUs to measure; 0: all are left out */
    uint32_t runs_asked;    /* plan.runs before time_fit() */
    uint64_t expected_us;
    uint64_t asked_us; /* expected time of kernels_asked kernels */
    struct store_needs needs;
    struct run_memory memory;
    struct cpu_events *events; /* the boot CPU's, later the current CPU's */
};

/* The state of the rest of the machine while CPUs measure. Written by quiet.c and guard.c. */
struct quiet {
    struct bus_masters masters;
    bool timer_refused;      /* the firmware's timer could not be stopped when the run began */
    bool alone_told;         /* reported: the firmware runs only one CPU at a time */
    bool parks;              /* CPUs are parked in MWAIT */
    bool parked[CPUS_MAX];   /* CPUs that are parked while others measure */
    bool was_told[CPUS_MAX]; /* reported: the CPU did not return */
    bool nmi_told[CPUS_MAX]; /* reported: an NMI was sent to wake the CPU */
    unsigned guard;          /* the guard's number, or GUARD_NOBODY */
    struct watched boot_cpu; /* watched by the guard */
};

/* The remembered trust map (pmu/files/trusted.h). Written by boot/run/trusted.c. */
struct trust_memory {
    struct piece map; /* of CPUs with `signature` and `microcode` */
    bool is_read;     /* false: there is no usable map */
    uint32_t signature, microcode;
    uint32_t told; /* CRC of the wrong lines that were last noted */
};

/* Written by boot/run/ during the run. */
struct progress {
    const struct run *run;
    struct view view; /* the parsed journal */
    struct journal_cursor cursor;
    struct rows rows; /* of the last result */
    struct tally tally;
    struct zeros zeros;
    struct report report;
    struct quiet quiet;
    struct trust_memory trust;
    uint64_t started_us;
    uint64_t console_ticks; /* console_ticks() when the run began */
    unsigned spaces;        /* the next index for run_space() */
    unsigned done;          /* number of results so far, including those without data */
    enum stopped_by stopped;
    char *results; /* memory for results of CPUs that run together; kept for the next run */
    size_t results_bytes;
    bool unknown_said; /* reported: the uncore is not known */
};

#define UPLOAD_NAME_BYTES 64u

/* Where the results went. Written by boot/send/. */
struct delivery {
    bool on_volume;
    bool on_server;                   /* the plan's server */
    bool framed;                      /* over the serial line */
    char uploaded[UPLOAD_NAME_BYTES]; /* name prefix, UUID-NNNN */
};

/* Allocates the memory for a plan's file; null: no memory. */
char *run_plan_memory(void);

/*
 * Reads the request's plan, or sets the built-in plan. If unsigned code is refused, an unsigned
 * plan loses its code and its access to unsafe registers, and an unsigned plan from a server is
 * refused as a whole.
 */
void run_read_plan(struct run *run);

/* Writes a sentence about the kernels that max_time= leaves out. */
void run_left_out(const struct run *run, struct out *out);

/* Writes where an error is, such as "\barecount\plan.cfg:3:". */
void run_plan_place(const struct run *run, const struct plan_error *error, struct out *out);

/*
 * Allocates a buffer for each node, or for each CPU if CPUs run kernels at the same time. Leaves
 * out kernels whose buffers do not fit in memory.
 */
void run_take_buffers(struct run *run);

/* The buffer of a CPU; null: no kernel needs a buffer. */
char *run_buffer(const struct run *run, unsigned cpu);

/* Notes buffers that are on another node than requested, or not write-back. */
void run_note_buffers(const struct run *run);

/* Allocates each CPU's space, after run_take_buffers(). Without spaces, no kernel runs. */
void run_take_spaces(struct run *run);

/* Makes the space of CPU `index` of the run; null: no memory. */
struct cpu_space *run_space(const struct run *run, unsigned index);

/* The largest number of accepted samples at 2n that any kernel of the run needs. */
uint32_t run_twice_runs(const struct run *run);

/*
 * Whether the kernel, or any kernel of the run, is a pair or a crowd (docs/internals/kernels.md,
 * "Kernels with a second role").
 */
bool run_is_shared(const struct run *run, unsigned kernel);
bool run_has_shared(const struct run *run);

/*
 * Number of results of a kernel (one for each CPU, or two for each pair of CPUs), and of all
 * kernels.
 */
unsigned run_units_of(const struct run *run, unsigned kernel);
unsigned run_units(const struct run *run);

enum refused run_is_refused(const struct run *run);

/* run_plans_cpu(): whether the plan names the CPU. run_has_cpu(): whether the run measures it. */
bool run_plans_cpu(const struct run *run, unsigned number);
bool run_has_cpu(const struct run *run, unsigned number);

/* Whether any kernel of the run is from a file or of raw code, and so may never return. */
bool run_has_foreign(const struct run *run);

/* STATUS_OK, or why a CPU cannot run the kernel. */
enum status run_can(const struct run *run, const struct cpu_caps *caps, unsigned kernel);

/* Reads event tables from the folder \barecount\events. */
extern const struct tables_port EVENT_FILES;

#endif
