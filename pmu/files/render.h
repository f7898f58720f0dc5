/* SPDX-License-Identifier: BSD-2-Clause */
/* Renders the result files from a journal: in the image, and on a workstation (scripts/recover). */
#ifndef BARECOUNT_PMU_FILES_RENDER_H
#define BARECOUNT_PMU_FILES_RENDER_H

#include "pmu/journal/index_file.h"
#include "pmu/verdicts/rows.h"
#include "pmu/verdicts/sums.h"

/* `scratch` has room for one value of each sample of a result. */
struct render {
    const void *journal;
    size_t journal_bytes;
    int64_t *scratch;
    size_t scratch_count;
    bool samples_dropped; /* samples.csv was left out; run.json says so even if END does not */
    bool is_checked;      /* render_take() has compared the checksums of the journal */
};

/*
 * Sets the journal, up to its last valid record. The journal is checked here, once, because a run's
 * files need about thirty readings of it.
 */
void render_take(struct render *render, const void *journal, size_t journal_bytes);

/* The functions below flush `out`, and return false if output was lost. */
bool render_results_csv(const struct render *render, struct out *out);
bool render_samples_csv(const struct render *render, struct out *out);
bool render_run_json(const struct render *render, struct out *out);

/*
 * render_trust_csv() writes trust.csv. render_has_trust() says whether the run has a trust.csv: it
 * has one if the plan has counters=each.
 */
bool render_trust_csv(const struct render *render, struct out *out);
bool render_has_trust(const struct render *render);

/*
 * Writes the run's trust maps for later runs (pmu/files/trusted.h), and the name of their file:
 * maps of CPUs with the signature and microcode of the first CPU that has one. There is no name if
 * no pair of event and counter was judged, or if the run was ended early.
 */
bool render_trust_map(const struct render *render, struct out *out);
bool render_trust_name(const struct render *render, struct out *out);

/* Writes summary.html, of at most SUMMARY_BYTES_MAX. */
#define SUMMARY_BYTES_MAX (300u << 10)
bool render_summary_html(const struct render *render, struct out *out);

/*
 * Writes the run's line for results/index.csv, after the text that must precede it
 * (index_before()). index->is_other must be false.
 */
bool render_index_line(const struct render *render, const struct index_file *index,
                       struct out *out);

/* Counts the verdicts of all rows; false if the journal contains no run. */
bool render_tally(const struct render *render, struct tally *tally);

/* The run's number; 0 if the journal contains no run. */
unsigned render_number(const struct render *render);

/* Copies the record END; false if there is none, because the run was cut off. */
bool render_end(const struct render *render, struct end_record *end);

/*
 * A sum of a run. `agrees` is the number of results in which the sum agrees with its total.
 * `differs` is the number of results in which it differs from its total.
 */
struct run_sum {
    struct sum sum; /* has the events of the first CPU with this sum */
    uint32_t agrees, differs;
    /* The first result in which the sum differs. */
    const struct known_kernel *kernel;
    uint32_t cpu;
    struct sum_values values;
};

/* 5 KiB: a stack has room for only one. */
struct run_sums {
    unsigned count;
    bool more; /* more than SUMS_MAX */
    struct run_sum of[SUMS_MAX];
};

/* Finds the sums that can be checked in at least one result. These sums point into the journal. */
void render_sums(const struct render *render, struct run_sums *sums);

/* Writes "A + B = C: agrees 24 times", or where and by how much the sum differs. */
#define RUN_SUM_WORDS_BYTES (SUM_WORDS_BYTES + 240u)
void render_sum_words(const struct run_sum *sum, struct out *out);

/* Where a run was interrupted. */
struct cut_off {
    const struct run_record *run;
    const struct phase *phase; /* null: a kernel was running */
    const struct known_kernel *kernel;
    const struct next *next;
    uint32_t uptime_s; /* from the machine's reset to the phase or kernel; 0: not known */
    uint32_t ran_s;    /* from the run's first phase to the phase or kernel; 0: not known */
};

/* False if the journal's end does not say what the machine did next. */
bool render_cut_off(const struct render *render, struct cut_off *cut);

/* Write a phase's name ("phase state turbo"), or a phase in words ("setting turbo on CPU 1"). */
void render_phase_name(const struct phase *phase, struct out *out);
void render_phase_words(const struct phase *phase, struct out *out);

/* Writes "the run was cut off while CPU 1 ran probe (probe.bin)", or "... while parking CPUs". */
void render_cut_off_words(const struct cut_off *cut, struct out *out);

/* Like render_cut_off_words(), or only "the run was cut off" if the journal does not say where. */
void render_how_cut_off(const struct render *render, struct out *out);

#define VERDICT_LINE_BYTES (TALLY_LINE_BYTES + 40u)

/* Writes a run's last line: "PASS", or "PASS, up to where the run was cut off". */
void render_verdict(const struct render *render, const struct tally *tally, struct out *out);

/* Write the CPUs on which the run was cut off ("CPU 1"), or the kernel ("probe (probe.bin)"). */
void render_cut_off_cpus(const struct cut_off *cut, struct out *out);
void render_cut_off_kernel(const struct cut_off *cut, struct out *out);

/* Writes "fixed0", "pmc3" or "cha2"; nothing if the row's counter is not known. */
void render_counter(const struct row *row, struct out *out);

#endif
