/* SPDX-License-Identifier: BSD-2-Clause */
/* What a journal says on the topics of check.txt: check_look.c collects it, check.c writes it. */
#ifndef BARECOUNT_PMU_REPORT_CHECK_PARTS_H
#define BARECOUNT_PMU_REPORT_CHECK_PARTS_H

#include "pmu/files/render_parts.h"
#include "pmu/report/parts.h"

#define CHECK_PACKAGES_MAX 64u

/*
 * A set of CPUs, and the reason why its first CPU was added; STATUS_OK if this set needs no
 * reasons.
 */
struct cpu_set {
    uint8_t bit[VIEW_CPUS_MAX / 8];
    unsigned count;
    uint32_t why; /* enum status */
};

/* The lowest and highest of some numbers. If there are no numbers, `low` is greater than `high`. */
struct extent {
    uint32_t low, high;
};

/* Large (60 KiB): never on a stack. */
struct check {
    struct reading reading;
    const struct run_record *run;
    const char *machine;     /* the name of the first CPU that answered; null: none did */
    const char *cores;       /* the result of zen_cores_name() for that CPU */
    bool has_constant_tsc;   /* the time stamp of the first CPU that answered is constant */
    uint32_t errors;         /* notes of errors */
    uint32_t exceptions;     /* notes of registers not restored, after the first CPU's record */
    struct cpu_set measured; /* all CPUs with a record */
    struct cpu_set silent;   /* CPUs that at some time did not answer */

    /* Counters. */
    struct cpu_set without; /* CPUs without counters */
    struct cpu_set passed, faulty, untested;
    struct cpu_set lacking; /* CPUs that lack registers that CPUID promises */
    struct cpu_set in_use;
    struct extent version, general, fixed; /* PMU version, counters of the CPUs in `passed` */
    uint32_t vendor;                       /* the vendor of the last CPU added to `passed` */
    struct tested_counter fault;           /* the first counter that failed */
    uint32_t faults;                       /* number of failed counters, on all CPUs together */

    /* Counts. */
    struct tally tally;
    struct faults failed;          /* faults of failed rows, except those in of_bad_counters */
    uint32_t of_bad_counters;      /* failed rows of counters that failed test or calibration */
    uint32_t unchecked;            /* rows that have a declared count but could not be counted */
    uint32_t unchecked_why;        /* why the first of these rows could not be counted */
    uint32_t right[VIEW_CPUS_MAX]; /* for each CPU, number of rows whose count is as declared */
    struct run_sums sums;

    /* Noise. */
    struct cpu_set watched, unwatched, loud;
    struct cpu_set bad_tsc; /* CPUs whose time stamp stands still or goes backwards */
    uint32_t smis, nmis, least_available;
    uint64_t longest_ticks;
    bool smis_unknown;

    /* Uncore. Kinds are those of enum uncore_kind. */
    uint32_t package[CHECK_PACKAGES_MAX]; /* packages of CPUs that answered */
    unsigned packages;
    unsigned looked_at; /* packages with a record; the CPUs that count for them are in uncore_cpu */
    uint32_t uncore_cpu[CHECK_PACKAGES_MAX];
    uint32_t kinds_passed;        /* bit i: kind i passed its test in every package */
    uint32_t kinds_counted;       /* bit i: kind i is counted in every package, tested or not */
    uint32_t kinds_somewhere;     /* bit i: kind i is counted in at least one package */
    struct uncore_record of_bad;  /* the first package with a kind that failed its test */
    uint32_t bad;                 /* index of the failed group in of_bad; UNCORE_GROUPS_MAX: none */
    uint32_t lost_kind, lost_why; /* the first kind asked for but not counted, and why */
    uint32_t lost_package;
    uint32_t uncore_status; /* STATUS_OK, or why a package's units were not searched for */
};

/* Reads a journal into *check. */
void check_look(struct check *check, const struct render *render);

/*
 * The number of rows whose count is as declared, without rows of CPUs that did not always answer.
 */
uint32_t check_right(const struct check *check);

static inline bool set_has(const struct cpu_set *set, unsigned cpu)
{
    return set->bit[cpu / 8] >> cpu % 8 & 1;
}

#endif
