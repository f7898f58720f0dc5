/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups rows with the same fault, however many rows and CPUs a kernel's fault affects. */
#ifndef BARECOUNT_PMU_VERDICTS_FAULTS_H
#define BARECOUNT_PMU_VERDICTS_FAULTS_H

#include "pmu/verdicts/rows.h"

#define FAULTS_MAX       64u
#define FAULT_NAME_BYTES (2u * EVENT_NAME_BYTES)

/*
 * Rows have the same fault if kernel, verdict and reason are equal. In reasons of exceptions, hangs
 * and the same event, numbers may differ, as addresses and counts depend on the CPU. Faults of a
 * counter are grouped by event for all kernels, as are unavailable events, and CPUs that do not
 * answer.
 */
struct fault {
    const struct known_kernel *kernel; /* of the first row, like the name and the reason */
    enum verdict verdict;
    bool is_of_counter; /* the counter is wrong in all rows of its event */
    bool numbers_differ;
    bool has_other_kernels;
    uint32_t rows, of_rows;      /* rows affected, and all rows of these kernels and CPUs */
    uint32_t events;             /* affected on the first kernel and CPU */
    const struct result *last;   /* the last result with an affected row */
    char name[FAULT_NAME_BYTES]; /* of the event */
    char reason[REASON_BYTES];
    uint8_t cpus[VIEW_CPUS_MAX / 8]; /* bit i: CPU i */
};

/* Initialised to zeros. Large (36 KiB): never on a stack. */
struct faults {
    unsigned count;
    uint32_t more; /* rows beyond FAULTS_MAX */
    struct fault fault[FAULTS_MAX];
};

/* Adds a row, made from the result of `rows`. */
void faults_add(struct faults *faults, const struct rows *rows, const struct row *row);

/*
 * Writes "CPU 3", "CPUs 0-2,5", "CPUs 0,2,4,6,8,10,12,14 and 4 more", or, if these are all of
 * several CPUs, "all 4 CPUs".
 */
void faults_cpus(const uint8_t cpus[VIEW_CPUS_MAX / 8], unsigned all, struct out *out);

#endif
