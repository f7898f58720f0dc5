/* SPDX-License-Identifier: BSD-2-Clause */
/* A run: what a plan asks for on this machine, and the doing of it. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_H
#define BARECOUNT_BOOT_RUN_H

#include "boot/session.h"
#include "boot/store.h"
#include "pmu/plan.h"

#define PLAN_PATH "barecount\\plan.cfg"

struct run {
    const struct session *session;
    struct store *store;
    struct plan plan;
    char plan_path[FILE_PATH_BYTES];
    bool has_plan_file; /* false: there is none at plan_path, the defaults are taken */
    char *plan_text;    /* PLAN_FILE_BYTES_MAX */
    size_t plan_bytes;

    const struct kernel_record *kernel[SESSION_KERNELS_MAX]; /* those of the plan */
    unsigned kernels;
    unsigned cpus;       /* how many are planned */
    uint32_t runs_asked; /* more than plan.runs when they were cut */
    uint64_t expected_us;
    struct store_needs needs;

    char *buffer; /* for the kernels, as large as the largest wants */
    uint64_t buffer_bytes;
    struct schedule schedule; /* of the boot CPU: for estimates */

    struct tally tally;
    uint64_t started_us;
    unsigned cpu_now;
    unsigned done; /* kernels on CPUs that are finished, of run_units() */
    bool stopped;  /* by the user */
    bool cpu_lost; /* a CPU may still run what it was given, in this run or an earlier one */
};

/* Reads the plan at run->plan_path and works out what it means here. Errors stay in run->plan. */
void run_prepare(struct run *run);

/* Where an error of the plan stands: "\barecount\plan.cfg:3:". */
void run_plan_place(const struct run *run, const struct plan_error *error, struct out *out);

/* CPU × kernel pairs of the run. */
unsigned run_units(const struct run *run);

/* The n that a kernel is run with. */
uint64_t run_n(const struct run *run, const struct kernel_record *kernel);

/* Measures. False, after saying why, when it could not even begin. */
bool run_measure(struct run *run);

#endif
