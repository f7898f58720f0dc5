/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result files, rendered from a journal. The same code runs in the image at the end of a run,
 * at the next boot after one that was cut off, and on a workstation (scripts/recover).
 */
#ifndef BARECOUNT_PMU_FILES_RENDER_H
#define BARECOUNT_PMU_FILES_RENDER_H

#include "pmu/journal/index_file.h"
#include "pmu/verdicts/rows.h"
#include "pmu/verdicts/sums.h"

/* A journal and room for the statistics of a result: as many values as a kernel has samples. */
struct render {
    const void *journal;
    size_t journal_bytes;
    int64_t *scratch;
    size_t scratch_count;
    bool samples_dropped; /* samples.csv had no room: run.json says so, even if END does not */
};

/* All return false when the output was lost. The caller flushes nothing: it is done here. */
bool render_results_csv(const struct render *render, struct out *out);
bool render_samples_csv(const struct render *render, struct out *out);
bool render_run_json(const struct render *render, struct out *out);

/*
 * summary.html: the run for a person with a browser, in one file of at most SUMMARY_BYTES_MAX that
 * asks for nothing from elsewhere. Long lists end early and say so.
 */
#define SUMMARY_BYTES_MAX (300u << 10)
bool render_summary_html(const struct render *render, struct out *out);

/* What is to be added to a results/index.csv that is not other: the run's line, and before it. */
bool render_index_line(const struct render *render, const struct index_file *index,
                       struct out *out);

/* The verdicts of all rows; false when the journal holds no run. */
bool render_tally(const struct render *render, struct tally *tally);

/* The run's number; 0 when the journal holds no run. */
unsigned render_number(const struct render *render);

/* The run's last record; false when the run was cut off before it. */
bool render_end(const struct render *render, struct end_record *end);

/* A sum of a run, and in how many results it holds, and does not. */
struct run_sum {
    struct sum sum; /* as the first CPU has it */
    uint32_t agrees, differs;
    /* Of the first result in which it differs. */
    const struct known_kernel *kernel;
    uint32_t cpu;
    struct sum_values values;
};

/* 6 KiB, which a stack has room for once. */
struct run_sums {
    unsigned count;
    bool more; /* there are further ones */
    struct run_sum of[SUMS_MAX];
};

/* The sums of a run that were computed anywhere; they are the journal's as long as that stays. */
void render_sums(const struct render *render, struct run_sums *sums);

/* "A + B = C: agrees 24 times", or where it differs, and by how much. */
#define RUN_SUM_WORDS_BYTES (SUM_WORDS_BYTES + 240u)
void render_sum_words(const struct run_sum *sum, struct out *out);

/* What a run was cut off in. */
struct cut_off {
    const struct run_record *run;
    const struct known_kernel *kernel;
    const struct next *next;
};

/* False when no kernel was running at the journal's end. */
bool render_cut_off(const struct render *render, struct cut_off *cut);

/* "the run was cut off while CPU 1 ran probe (probe.bin)". */
void render_cut_off_words(const struct cut_off *cut, struct out *out);

/* The same of any run that has no last record; without a kernel, "the run was cut off". */
void render_how_cut_off(const struct render *render, struct out *out);

/* A run's last line, "PASS"; of one that was cut off ", as far as the run came: …" follows. */
void render_verdict(const struct render *render, const struct tally *tally, struct out *out);

/* "CPU 1", "CPUs 1 and 2", "all CPUs"; "probe (probe.bin)". */
void render_cut_off_cpus(const struct cut_off *cut, struct out *out);
void render_cut_off_kernel(const struct cut_off *cut, struct out *out);

/* "fixed0", "pmc3", "cha2", or "" for a row without a counter. */
void render_counter(const struct row *row, struct out *out);

#endif
