/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that say the same, gathered: one fault of a kernel, however many rows and CPUs it cost. */
#ifndef BARECOUNT_PMU_VERDICTS_FAULTS_H
#define BARECOUNT_PMU_VERDICTS_FAULTS_H

#include "pmu/verdicts/rows.h"

#define FAULTS_MAX       64u
#define FAULT_NAME_BYTES (2u * EVENT_NAME_BYTES)

/*
 * Rows are of one fault when they have the same kernel, verdict and reason. Reasons of exceptions
 * and hangs, and of one event, may differ in their numbers: addresses and counts do from CPU to
 * CPU. Where a counter is wrong its event matters, but not the kernel; what is unavailable, and a
 * CPU that does not answer, is of all kernels alike.
 */
struct fault {
    const struct known_kernel *kernel; /* of the first row, as the name and the reason are */
    enum verdict verdict;
    bool is_of_counter; /* it is wrong in all rows of its event */
    bool numbers_differ;
    bool has_other_kernels;
    uint32_t rows, of_rows;      /* of all that the same kernels have on the same CPUs */
    uint32_t events;             /* of the first kernel and CPU */
    const struct result *last;   /* that had a row of it */
    char name[FAULT_NAME_BYTES]; /* of the event */
    char reason[REASON_BYTES];
    uint8_t cpus[VIEW_CPUS_MAX / 8]; /* bit i: CPU i */
};

/* Starts as zeros. Large (36 KiB): never on a stack. */
struct faults {
    unsigned count;
    uint32_t more; /* rows that have no place among these */
    struct fault fault[FAULTS_MAX];
};

/* Adds a row of the result that `rows` is of. */
void faults_add(struct faults *faults, const struct rows *rows, const struct row *row);

/*
 * "CPU 3", "CPUs 0-2,5", "CPUs 0,2,4,6,8,10,12,14 and 4 more", and, where `all` CPUs are more than
 * one, "all 4 CPUs".
 */
void faults_cpus(const uint8_t cpus[VIEW_CPUS_MAX / 8], unsigned all, struct out *out);

#endif
