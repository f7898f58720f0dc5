/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report that the image and barecount-linux write during a run. The first CPU of each kind (in
 * parallel mode, only the first CPU) gets a table with a line for each kernel; every other CPU gets
 * one line. report->out is flushed after each call.
 */
#ifndef BARECOUNT_PMU_REPORT_REPORT_H
#define BARECOUNT_PMU_REPORT_REPORT_H

#include "pmu/counters/errata.h"
#include "pmu/files/render.h"
#include "pmu/files/table.h"
#include "pmu/plan/plan.h"
#include "pmu/verdicts/clock.h"
#include "pmu/verdicts/differs.h"
#include "pmu/verdicts/faults.h"

#define REPORT_COLUMNS     79u /* an 80th column would wrap on some consoles */
#define REPORT_INDENT      10u /* width of a name */
#define REPORT_PAIR_CPUS   10u
#define REPORT_CORE_TYPES  4u
#define REPORT_STATE_BYTES 200u
#define REPORT_NO_CPU      0xffffffffu

/* Results for each pair of CPUs, or for each CPU while all others run the same kernel. */
struct report_pairs {
    unsigned cpu[REPORT_PAIR_CPUS];
    unsigned cpus;
    uint64_t milli[REPORT_PAIR_CPUS][REPORT_PAIR_CPUS]; /* thousandths per n; 0: none */
    bool is_cycles;                                     /* false: TSC ticks */
    bool has_any;
    enum status status; /* status of the last result */
};

/* Too large (310 KiB) for a stack. */
struct report {
    struct out *out;
    unsigned cpus; /* number of CPUs that the plan selects */

    unsigned table_cpu;               /* the CPU whose kernels get lines, or REPORT_NO_CPU */
    unsigned type[REPORT_CORE_TYPES]; /* core types with a table */
    unsigned types;
    struct table_columns columns;
    uint64_t errata_told; /* see report_events() */
    struct report_erratum {
        const struct erratum *erratum; /* null: the end */
        unsigned declared, off;        /* rows with a declared count, and how many differ from it */
    } errata[ERRATA_MAX + 1];          /* only errata that affect rows; each name occurs once */

    struct report_cpu {
        struct tally tally;
        unsigned kernels;
        struct clock clock;
    } cpu[PLAN_CPUS_MAX];

    /*
     * Numbers of rows of core cycles with enough samples: all, those that are stable, those whose
     * passes differ, and those whose CPUs differ.
     */
    struct differs differs;
    unsigned cycles, cycles_stable, passes_differ, cpus_differ;

    /* The settings that were last reported for each core type. */
    struct {
        uint32_t core;
        char words[REPORT_STATE_BYTES];
    } state[REPORT_CORE_TYPES];
    unsigned states;

    struct report_pairs pairs;
    bool has_sums; /* some sums must hold */

    struct faults failed, missing; /* missing: rows that are unavailable or have noisy_by */
};

/* `cpus` is how many CPUs the plan selects. */
void report_start(struct report *report, struct out *out, unsigned cpus);

/* Writes the first lines about the view's CPU. */
void report_cpu(struct report *report, const struct view *view);

/* Reports a CPU's settings if they differ from those last reported for its core type. */
void report_state(struct report *report, const struct cpu_record *cpu,
                  const struct cpu_state *state);

/*
 * Reports wrong counters of the view's CPU, and whether IRETQ or WRMSR's microcode changes the
 * window's declared cost.
 */
void report_calibration(struct report *report, const struct view *view);

/* Reports a result with its judged rows. */
void report_result(struct report *report, const struct rows *rows);

/* Call these before and after the results of a kernel that runs on several CPUs. */
void report_pairs_start(struct report *report);
void report_pairs_end(struct report *report, const struct known_kernel *kernel);

/* Writes the last lines about a CPU. A noise measurement that was not made is all zeros. */
void report_cpu_end(struct report *report, const struct run_record *run, unsigned cpu,
                    const struct noise noise[2]);

/* Reports failures, unavailable rows, the number of rows by verdict, and how stable cycles are. */
void report_rows(struct report *report, const struct tally *tally);

/*
 * For each sum that must hold, reports how often it agrees and how often it differs. Lists all sums
 * that differ, and at most six that always agree.
 */
void report_sums(struct report *report, const struct render *render);

/* Shows the trust maps of a run with counters=each: a table for each kind of CPU. */
void report_trust(const struct render *render, struct out *out);

/* Writes summary.txt from the journal: the console's report without times and file locations. */
bool report_summary_txt(const struct render *render, struct out *out);

/* report_check_txt() writes check.txt. report_has_check() says whether the plan requests it. */
bool report_check_txt(const struct render *render, struct out *out);
bool report_has_check(const struct render *render);

/* Reports how many kernels max_time= left out, if any. */
void report_left_out(unsigned kernels, unsigned asked, struct out *out);

/* Writes "Time      25.9 s, ended early by a key"; `source`: enum run_source. */
void report_time(uint64_t us, enum stopped_by stopped, unsigned source, struct out *out);

/* Writes "! plan errors: 2; the rest of the plan applies", with `more` after the number. */
void report_plan_errors(unsigned errors, const char *more, bool strict, struct out *out);

/*
 * Describes the program, the machine, and one of the machine's CPUs (null: not known). Reads only
 * the fields of `run` that describe program and machine.
 */
void report_machine(const struct run_record *run, const struct cpu_caps *caps, struct out *out);

/* Writes the line about a CPU's PMU. */
void report_pmu(const struct cpu_caps *caps, struct out *out);

/* Writes the lines about the plan. `passes` is 0 if the number of passes is not known. */
void report_plan(const struct run_record *run, unsigned passes, struct out *out);

/* Wraps a sentence; further lines are indented by `indent`. */
void report_wrapped(const char *sentence, unsigned indent, struct out *out);

#endif
