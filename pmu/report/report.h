/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a person is told of a run while it goes on, by the image and by barecount-linux alike: a
 * table of the first CPU of each kind with a line for each kernel, a line for every other CPU, and
 * what went wrong. Text goes to report->out, which is flushed after each call.
 */
#ifndef BARECOUNT_PMU_REPORT_REPORT_H
#define BARECOUNT_PMU_REPORT_REPORT_H

#include "pmu/files/render.h"
#include "pmu/files/table.h"
#include "pmu/plan/plan.h"
#include "pmu/verdicts/clock.h"
#include "pmu/verdicts/differs.h"
#include "pmu/verdicts/faults.h"

#define REPORT_COLUMNS     79u /* the 80th would wrap on some consoles */
#define REPORT_INDENT      10u /* of what follows a name at the start of a line */
#define REPORT_PAIR_CPUS   10u
#define REPORT_CORE_TYPES  4u
#define REPORT_STATE_BYTES 200u
#define REPORT_NO_CPU      0xffffffffu

/* A kernel with roles for several CPUs: what each pair, or each CPU among the others, came to. */
struct report_pairs {
    unsigned cpu[REPORT_PAIR_CPUS];
    unsigned cpus;
    uint64_t milli[REPORT_PAIR_CPUS][REPORT_PAIR_CPUS]; /* thousandths for each n; 0: nothing */
    bool is_cycles; /* or ticks of the time stamp: then of all */
    bool has_any;
    enum status status; /* why there is nothing, of the last result */
};

/* What was told of a run so far. Large (270 KiB): never on a stack. */
struct report {
    struct out *out;
    unsigned cpus; /* that the plan names */

    unsigned table_cpu;               /* whose kernels have lines now, or REPORT_NO_CPU */
    unsigned type[REPORT_CORE_TYPES]; /* core types that had a table */
    unsigned types;
    struct table_columns columns;

    struct report_cpu {
        struct tally tally;
        unsigned kernels;
        struct clock clock;
    } cpu[PLAN_CPUS_MAX];

    /* Rows of core cycles, those with enough samples to tell. */
    struct differs differs;
    unsigned cycles, cycles_stable, passes_differ, cpus_differ;

    /* The plan's [state] as it was told last, for each type of core. */
    struct {
        uint32_t core_type;
        char words[REPORT_STATE_BYTES];
    } state[REPORT_CORE_TYPES];
    unsigned states;

    struct report_pairs pairs;
    bool has_sums; /* a CPU has sums that must hold */

    struct faults failed; /* to be told at the end */
};

/* A run begins: nothing of it was told. The plan names so many CPUs. */
void report_start(struct report *report, struct out *out, unsigned cpus);

/* Starts the view's CPU. */
void report_cpu(struct report *report, const struct view *view);

/* What the plan's [state] has set on a CPU: unless another of its type was told the same. */
void report_state(struct report *report, const struct cpu_record *cpu,
                  const struct cpu_state *state);

/* The calibration of the view's CPU: which counters do not count the empty window right. */
void report_calibration(struct report *report, const struct view *view);

/* A result whose rows were just judged. */
void report_result(struct report *report, const struct rows *rows);

/* Around the results of a kernel with roles for several CPUs. */
void report_pairs_start(struct report *report);
void report_pairs_end(struct report *report, const struct known_kernel *kernel);

/* Ends a CPU, with its two certificates of noise; all zeros: it was not watched. */
void report_cpu_end(struct report *report, const struct run_record *run, unsigned cpu,
                    const struct noise noise[2]);

/* What failed, how many rows bear each verdict, and how stable cycles were. */
void report_rows(struct report *report, const struct tally *tally);

/*
 * Sums that must hold: how often they agree, each kernel on each CPU, and how often not; first
 * those that differ somewhere, all of them. Nothing at all when no CPU has any.
 */
void report_sums(struct report *report, const struct render *render);

/*
 * summary.txt: what the console said of a run, read from its journal; without the times and places
 * that only the console can know.
 */
bool report_summary_txt(const struct render *render, struct out *out);

/* How many kernels max_time= left out, if it did. */
void report_left_out(unsigned kernels, unsigned asked, struct out *out);

/* "Time      25.9 s, ended early by a key"; `stopped` is 0 or what ended it. */
void report_time(uint64_t us, const char *stopped, struct out *out);

/* "! plan errors: 2; the rest of the plan holds", with `more` behind their number. */
void report_plan_errors(unsigned errors, const char *more, bool strict, struct out *out);

/*
 * The first lines: the program, the machine, and one of its CPUs (null: none is known). What is
 * read of the record describes the program and the machine.
 */
void report_machine(const struct run_record *run, const struct cpu_caps *caps, struct out *out);

/* Of them the line that says which PMU a CPU has. */
void report_pmu(const struct cpu_caps *caps, struct out *out);

/* The lines of the plan: what it comes to, in so many passes (0: that is left out). */
void report_plan(const struct run_record *run, unsigned passes, struct out *out);

/* A sentence and the end of its line; where it is too long it goes on below, `indent` columns in.
 */
void report_wrapped(const char *sentence, unsigned indent, struct out *out);

#endif
