/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups rows that have the same fault, because one fault may affect many rows and CPUs. */
#ifndef BARECOUNT_PMU_VERDICTS_FAULTS_H
#define BARECOUNT_PMU_VERDICTS_FAULTS_H

#include "pmu/verdicts/rows.h"

#define FAULTS_MAX       64u
#define FAULT_NAME_BYTES (2u * EVENT_NAME_BYTES)

/*
 * Rows have the same fault if kernel, verdict and reason are equal. The numbers in two reasons may
 * differ if the rows report exceptions, hangs, or the same event, because addresses and counts
 * depend on the CPU. Some faults are grouped over all kernels: faults of an event's counter,
 * unavailable events, and CPUs that do not answer.
 */
struct fault {
    const struct known_kernel *kernel; /* kernel, name and reason are those of the first row */
    enum verdict verdict;
    bool is_of_counter; /* row.counter_off: the counter is wrong, not the kernel */
    bool numbers_differ;
    bool has_other_kernels;
    uint32_t rows, of_rows;      /* affected rows; of_rows: all rows of their results */
    uint32_t events;             /* affected rows of the first result */
    const struct result *last;   /* the last result with an affected row */
    char name[FAULT_NAME_BYTES]; /* written by row_name() */
    char reason[REASON_BYTES];
    uint8_t cpus[VIEW_CPUS_MAX / 8]; /* bit i: CPU i is affected */
};

/* Must be initialised to zeros. Too large (35 KiB) for a stack. */
struct faults {
    unsigned count;
    uint32_t more; /* number of rows whose faults did not fit in fault[] */
    struct fault fault[FAULTS_MAX];
};

/* Adds a row that was made from rows->result to the fault that it shares with other rows. */
void faults_add(struct faults *faults, const struct rows *rows, const struct row *row);

/*
 * Writes "CPU 3", "CPUs 0-2,5", or "CPUs 0,2,4,6,8,10,12,14 and 4 more". Writes "all 4 CPUs" for
 * all CPUs, if there are at least two.
 */
void faults_cpus(const uint8_t cpus[VIEW_CPUS_MAX / 8], unsigned all, struct out *out);

#endif
