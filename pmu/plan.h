/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan file: what to measure.
 *
 *   version=1
 *   [run]
 *   cpus=all            all, boot, or numbers and ranges: 0,2-5
 *   label=rack 7        any words, for results\index.csv
 *   runs=default        accepted samples of each kernel in each pass; by default 100, but fewer
 *                       when the run would take over ten minutes
 *   warmup=5            runs before them that are thrown away
 *   kernels=all         all, or names separated by commas
 *   n=default           each kernel's own n, or one for all
 *   at_end=menu         menu, shutdown, reboot or leave
 *
 * '#' starts a comment. A line that cannot be understood is reported and left out; the default
 * stands in its place. Of a list of kernels only the names that do not exist are left out.
 */
#ifndef BARECOUNT_PMU_PLAN_H
#define BARECOUNT_PMU_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_CPUS_MAX       1024u
#define PLAN_KERNELS_MAX    64u
#define PLAN_LABEL_BYTES    32u
#define PLAN_NAME_BYTES     32u
#define PLAN_RUNS_MAX       10000u
#define PLAN_WARMUP_MAX     1000u
#define PLAN_N_MAX          1000000000ull
#define PLAN_ERRORS_MAX     16u
#define PLAN_ERROR_BYTES    160u
#define PLAN_FILE_BYTES_MAX 65536u
#define PLAN_RUNS_DEFAULT   100u
#define PLAN_WARMUP_DEFAULT 5u

enum plan_at_end { AT_END_MENU, AT_END_SHUTDOWN, AT_END_REBOOT, AT_END_LEAVE };

struct plan_error {
    uint32_t line; /* from 1 */
    char text[PLAN_ERROR_BYTES];
};

struct plan {
    bool all_cpus;
    bool boot_cpu_only;
    uint8_t cpus[PLAN_CPUS_MAX / 8]; /* bit set: measured, unless one of the two above is true */
    uint32_t cpus_line;              /* where they stand */
    char label[PLAN_LABEL_BYTES];
    bool runs_given; /* false: they may be cut */
    uint32_t runs;
    uint32_t warmup;
    uint64_t n;       /* 0: each kernel's default */
    uint32_t kernels; /* 0: all */
    char kernel[PLAN_KERNELS_MAX][PLAN_NAME_BYTES];
    uint32_t kernel_line[PLAN_KERNELS_MAX];
    enum plan_at_end at_end;

    uint32_t errors; /* may be more than are kept */
    struct plan_error error[PLAN_ERRORS_MAX];
};

void plan_default(struct plan *plan);

/* Reads a plan over the defaults. plan->errors says how many lines were left out, and why. */
void plan_parse(const char *text, size_t size, struct plan *plan);

/* Adds an error of a line, found by the caller: a kernel that does not exist, for instance. */
void plan_complain(struct plan *plan, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether CPU `number` is to be measured. */
bool plan_has_cpu(const struct plan *plan, unsigned number, bool is_boot_cpu);

#endif
