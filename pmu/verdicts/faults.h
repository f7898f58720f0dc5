/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups rows that have the same fault. */
#ifndef BARECOUNT_PMU_VERDICTS_FAULTS_H
#define BARECOUNT_PMU_VERDICTS_FAULTS_H

#include "pmu/verdicts/rows.h"

#define FAULTS_MAX       64u
#define FAULT_NAME_BYTES (2u * EVENT_NAME_BYTES)

/*
 * Rows have the same fault if kernel, verdict and reason are equal. Numbers in the reasons may
 * differ if both rows are of the same event, or if the fault is an exception or a hang. The kernels
 * may differ if a counter is wrong, an event is unavailable, or a CPU does not answer.
 */
struct fault {
    const struct known_kernel *kernel;
    enum verdict verdict;
    bool is_of_counter; /* the counter is wrong, not the kernel */
    bool numbers_differ;
    bool has_other_kernels;
    uint32_t rows, of_rows; /* number of affected rows; number of all rows in the same results */
    uint32_t events;
    const struct result *last;
    char name[FAULT_NAME_BYTES]; /* from row_name() */
    char reason[REASON_BYTES];
    uint8_t cpus[VIEW_CPUS_MAX / 8]; /* bit i: CPU i is affected */
};

/* Must be initialised to zeros. Too large (35 KiB) for a stack. */
struct faults {
    unsigned count;
    uint32_t more;
    struct fault fault[FAULTS_MAX];
};

/* Adds a row of rows->result to a fault. */
void faults_add(struct faults *faults, const struct rows *rows, const struct row *row);

/* Writes "CPU 3", "CPUs 0-2,5", "CPUs 0,2,4,6,8,10,12,14 and 4 more", or "all 4 CPUs". */
void faults_cpus(const uint8_t cpus[VIEW_CPUS_MAX / 8], unsigned all, struct out *out);

#endif
