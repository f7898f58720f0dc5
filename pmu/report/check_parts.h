/* SPDX-License-Identifier: BSD-2-Clause */
/* What a journal says on the topics of check.txt: check_look.c collects it, check.c writes it. */
#ifndef BARECOUNT_PMU_REPORT_CHECK_PARTS_H
#define BARECOUNT_PMU_REPORT_CHECK_PARTS_H

#include "pmu/files/render_parts.h"
#include "pmu/report/parts.h"

#define CHECK_PACKAGES_MAX 64u

/* `why` is the reason why the first CPU was added, if the set needs reasons. */
struct cpu_set {
    uint8_t bit[VIEW_CPUS_MAX / 8];
    unsigned count;
    uint32_t why; /* enum status */
};

/* Without numbers, `low` is greater than `high`. */
struct extent {
    uint32_t low, high;
};

/* Large (60 KiB): never on a stack. */
struct check {
    struct reading reading;
    const struct run_record *run;
    const char *machine;   /* the first CPU that answered; null: none did */
    const char *cores;     /* zen_cores_name() */
    bool has_constant_tsc; /* of the first CPU that answered */
    uint32_t errors;
    uint32_t exceptions;     /* failed restores that are noted after the first CPU's record */
    struct cpu_set measured; /* CPUs with a record */
    struct cpu_set silent;   /* CPUs that at some time did not answer */

    /* Counters. */
    struct cpu_set without; /* CPUs without counters */
    struct cpu_set passed, faulty, untested;
    struct cpu_set lacking; /* CPUs without registers that CPUID promises */
    struct cpu_set in_use;
    struct extent version, general, fixed; /* of CPUs in `passed` */
    uint32_t vendor;                       /* of a CPU in `passed` */
    struct tested_counter fault;           /* the first failed counter */
    uint32_t faults;                       /* number of failed counters on all CPUs */

    /* Counts. */
    struct tally tally;
    struct faults failed;          /* failed rows, except those in of_bad_counters */
    uint32_t of_bad_counters;      /* failed rows of counters that failed test or calibration */
    uint32_t unchecked;            /* number of rows with a declared count that were not counted */
    uint32_t unchecked_why;        /* status of the first of these rows */
    uint32_t right[VIEW_CPUS_MAX]; /* for each CPU: number of rows with a count as declared */
    struct run_sums sums;

    /* Noise. */
    struct cpu_set watched, unwatched, loud;
    struct cpu_set bad_tsc; /* the time stamp stands still or goes backwards */
    uint32_t smis, nmis, least_available;
    uint64_t longest_ticks;
    bool smis_unknown;

    /* Uncore. Kinds are those of enum uncore_kind. */
    uint32_t package[CHECK_PACKAGES_MAX]; /* packages of CPUs that answered */
    unsigned packages;
    unsigned looked_at; /* packages with a record; uncore_cpu has the CPUs that count for them */
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

void check_look(struct check *check, const struct render *render);

/* The number of rows whose count is as declared, on CPUs that always answered. */
uint32_t check_right(const struct check *check);

static inline bool set_has(const struct cpu_set *set, unsigned cpu)
{
    return set->bit[cpu / 8] >> cpu % 8 & 1;
}

#endif
