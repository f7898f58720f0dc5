/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a journal for the files of pmu/files, and declares the parts of run.json. */
#ifndef BARECOUNT_PMU_FILES_RENDER_PARTS_H
#define BARECOUNT_PMU_FILES_RENDER_PARTS_H

#include "pmu/files/render.h"
#include "pmu/base/json.h"
#include "pmu/verdicts/clock.h"
#include "pmu/journal/record.h"
#include "pmu/uncore/uncore.h"

struct reading {
    struct journal_cursor cursor;
    struct view view;            /* covers all records read so far */
    const struct result *result; /* the last record if rows can be made from it, otherwise null */
    struct result cut_off;       /* for an interrupted kernel: a result without samples */
    bool is_cut_off;
};

struct reading reading_start(const struct render *render);

/* Adds the next record to the view and returns it; null at the end. */
const struct journal_head *reading_next(struct reading *reading);

/*
 * The next result from which rows can be made; null at the end. If the run was cut off in a kernel,
 * the last result is that of this kernel, with STATUS_CUT_OFF.
 */
const struct result *reading_next_result(struct reading *reading);

/*
 * Writes a run's unique name, made of its number and its journal's id: "0001-000000128c5f03d1". The
 * name is the column `run` of results.csv, and `run` in run.json.
 */
void render_run_id(const struct run_record *run, uint64_t journal_id, struct out *out);
/* The text of a note of this kind; null for other records. */
const char *render_note(const struct journal_head *head, uint32_t kind);

/* Makes all rows of a result. The rows are valid until this function is called again. */
const struct rows *reading_rows(const struct reading *reading, const struct result *result);

/* The first records of a run. */
struct beginning {
    const struct run_record *run; /* null: there is none */
    const struct cpu_record *cpu; /* the first CPU's record; null: there is none */
    unsigned passes;              /* the number of passes of the first CPU; 0: not known */
};

struct beginning render_beginning(const struct render *render);

/*
 * The frequency, in kHz, of a row's counter during the kernel. 0 if the row has no accepted samples
 * or counts neither core cycles nor ticks at the time stamp's rate, if the time stamp's frequency
 * is not known, if the counter failed, or if there are too few reference cycles.
 */
uint64_t render_khz(const struct view *view, const struct result *result, const struct row *row);

/* Writes the array "buffers" of run.json: an object each time the buffer of a CPU changes. */
void render_json_buffers(const struct render *render, struct json *json);

/* Writes the view's CPU into run.json's "cpus": identity, PMU, passes, calibration, clock. */
void render_json_cpu(struct json *json, const struct view *view, const struct clock *clock);

/* Writes a CPU's settings into run.json's "state". */
void render_json_state(struct json *json, const struct cpu_state *state);

/* The names of declared counts in run.json. */
extern const char *const RENDER_DECLARED[DECLARED_COUNT];

void render_json_kernel(struct json *json, const struct known_kernel *kernel);

/*
 * Writes a noise measurement into run.json's "noise_certificates", in the units of Linux's hwnoise
 * and in ticks. Writes no times if the time stamp's frequency is a guess. Requires
 * noise_is_right().
 */
void render_json_noise(struct json *json, const struct noise *noise, const struct run_record *run);

/* Writes the object "noise" of run.json: disturbances of samples in all kernels on all CPUs. */
void render_json_disturbed(const struct render *render, struct json *json);

/*
 * Writes the array "sums" of run.json: which sums must agree, in how many results they agree, and
 * where they do not.
 */
void render_json_sums(const struct render *render, struct json *json);

/*
 * Writes a valid package record into run.json's "packages": the package, the units found, and the
 * results of the counter test.
 */
void render_json_uncore(struct json *json, const struct uncore_record *uncore);

#endif
