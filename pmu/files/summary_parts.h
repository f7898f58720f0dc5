/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of summary.html, shared by the files that write its sections. */
#ifndef BARECOUNT_PMU_FILES_SUMMARY_PARTS_H
#define BARECOUNT_PMU_FILES_SUMMARY_PARTS_H

#include "pmu/files/html.h"
#include "pmu/files/render_parts.h"
#include "pmu/files/table.h"
#include "pmu/verdicts/faults.h"

#define SUMMARY_TYPES     4u  /* core types with a table */
#define SUMMARY_PAIR_CPUS 16u /* CPUs in a matrix of pairs */
#define SUMMARY_NO_CPU    0xffffffffu

/* The results of a kernel on the CPUs of a core type. */
struct summary_cell {
    uint32_t cpus, failing;     /* failing: CPUs with a failed row */
    int64_t low, high;          /* lowest, highest median of cycles or ticks, in thousandths */
    uint32_t low_cpu, high_cpu; /* SUMMARY_NO_CPU: none */
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
        uint32_t first; /* the CPU whose values are in the table */
        const char *name;
    } type[SUMMARY_TYPES];
    struct summary_cell cell[SUMMARY_TYPES][KERNELS_MAX];
    struct summary_cpu cpu[VIEW_CPUS_MAX];
    unsigned cpus;                 /* CPUs with results */
    unsigned drawings;             /* number of drawings written so far */
    struct faults failed, missing; /* missing: rows that are unavailable or have noisy_by */
    struct html html;
};

/* Reads the run; false if the journal contains no run. */
bool summary_look(struct summary *summary, const struct render *render);

void summary_add_faults(struct summary *summary, const struct rows *rows);
void summary_put_faults(struct summary *summary);

void summary_put_medians(struct summary *summary);
void summary_put_pairs(struct summary *summary);
void summary_put_cpus(struct summary *summary);

/* Draws kernels that ran with several sizes. */
void summary_put_sweeps(struct summary *summary);

/* Whether a result of the kernel involves several CPUs: a pair, or all CPUs at once. */
static inline bool summary_is_shared(const struct known_kernel *kernel)
{
    return kernel->flags & (KNOWN_PAIR | KNOWN_CROWD);
}

#endif
