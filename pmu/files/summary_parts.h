/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of summary.html, shared by the files that write its sections. */
#ifndef BARECOUNT_PMU_FILES_SUMMARY_PARTS_H
#define BARECOUNT_PMU_FILES_SUMMARY_PARTS_H

#include "pmu/files/html.h"
#include "pmu/files/render_parts.h"
#include "pmu/files/table.h"
#include "pmu/verdicts/faults.h"

#define SUMMARY_TYPES     4u  /* core types with a table; CPUs of further types are in no table */
#define SUMMARY_PAIR_CPUS 16u /* the most CPUs in a matrix of pairs */
#define SUMMARY_NO_CPU    0xffffffffu

/* The results of a kernel on the CPUs of a core type. */
struct summary_cell {
    uint32_t cpus, failing;     /* how many CPUs ran the kernel, how many have a failed row */
    int64_t low, high;          /* lowest and highest median of cycles or ticks, in thousandths */
    uint32_t low_cpu, high_cpu; /* the CPUs with `low` and `high`; SUMMARY_NO_CPU: none */
    /* Values of the type's first CPU, in thousandths; 0: not known, failed, or cold. */
    uint64_t latency; /* cycles per load */
    uint64_t rate;    /* GB/s */
};

struct summary_cpu {
    bool is_seen;
    uint8_t type; /* SUMMARY_TYPES: none */
    uint32_t kernels;
    struct tally tally;
    struct clock clock;
};

/* Too large (400 KiB) for a stack. */
struct summary {
    const struct render *render;
    const struct run_record *run;
    const struct known_kernel *const *kernel;
    unsigned kernels;
    struct reading reading;
    struct tally tally;
    unsigned types;
    struct summary_type {
        uint32_t core; /* caps_core() */
        uint32_t cpus;
        uint32_t first; /* the CPU whose values are in the type's table */
        const char *name;
    } type[SUMMARY_TYPES];
    struct summary_cell cell[SUMMARY_TYPES][KERNELS_MAX];
    struct summary_cpu cpu[VIEW_CPUS_MAX];
    unsigned cpus;                 /* number of CPUs with results */
    unsigned drawings;             /* number of drawings written so far */
    struct faults failed, missing; /* failed rows; rows that are unavailable or have noisy_by */
    struct html html;
};

/* summary_look.c: reads the run. False if the journal contains no run. */
bool summary_look(struct summary *summary, const struct render *render);

/* summary_faults.c: collects and lists the faults of rows. */
void summary_add_faults(struct summary *summary, const struct rows *rows);
void summary_put_faults(struct summary *summary);

/* summary_tables.c: medians of each kernel, pairs, and results of each CPU. */
void summary_put_medians(struct summary *summary);
void summary_put_pairs(struct summary *summary);
void summary_put_cpus(struct summary *summary);

/* summary_sweeps.c: drawings of kernels that ran with several sizes. */
void summary_put_sweeps(struct summary *summary);

/*
 * Whether a kernel runs on several CPUs: each result is then for a pair of CPUs, or for one CPU
 * while all other CPUs run the same kernel.
 */
static inline bool summary_is_shared(const struct known_kernel *kernel)
{
    return kernel->flags & (KNOWN_PAIR | KNOWN_CROWD);
}

#endif
