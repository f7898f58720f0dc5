/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of pmu/files/ share: the journal read in its order, and parts of run.json. */
#ifndef BARECOUNT_PMU_FILES_RENDER_PARTS_H
#define BARECOUNT_PMU_FILES_RENDER_PARTS_H

#include "pmu/files/render.h"
#include "pmu/base/json.h"
#include "pmu/verdicts/clock.h"
#include "pmu/journal/record.h"
#include "pmu/uncore/uncore.h"

struct reading {
    struct journal_cursor cursor;
    struct view view;            /* of all that was read so far */
    const struct result *result; /* the record just read, if it can be made into rows; else null */
    struct result cut_off;       /* of the kernel that has no result: the run was cut off in it */
    bool is_cut_off;
};

struct reading reading_start(const struct render *render);

/* The next record, taken into the view; null at the end. */
const struct journal_head *reading_next(struct reading *reading);

/*
 * The next record that can be made into rows; null at the end. The last one of a run that was cut
 * off in a kernel is of that kernel, with STATUS_CUT_OFF.
 */
const struct result *reading_next_result(struct reading *reading);

/*
 * What tells a run from all others: its number and its journal's id, "0001-000000128c5f03d1". The
 * column `run` of results.csv, and `run` in run.json.
 */
void render_run_id(const struct run_record *run, uint64_t journal_id, struct out *out);
/* The text of a note of this kind; null: the record is none. */
const char *render_note(const struct journal_head *head, uint32_t kind);

/* All rows of the result that was read last; they are good until the next call of anybody. */
const struct rows *reading_rows(const struct reading *reading, const struct result *result);

/* A run as it begins. */
struct beginning {
    const struct run_record *run; /* null: the journal holds none */
    const struct cpu_record *cpu; /* the first one; null: none was described */
    unsigned passes;              /* that this CPU takes; 0: not known */
};

struct beginning render_beginning(const struct render *render);

/*
 * The frequency that a row counts at, in its very kernel; 0: not known, a wrong counter's, or of
 * too few reference cycles to tell.
 */
uint64_t render_khz(const struct view *view, const struct result *result, const struct row *row);

/* The array `buffers`: an object for each place that a CPU's buffer had. */
void render_json_buffers(const struct render *render, struct json *json);

/* The view's CPU as an element of run.json's "cpus": identity, PMU, passes, calibration, clock. */
void render_json_cpu(struct json *json, const struct view *view, const struct clock *clock);

/* What was set on a CPU, as elements of run.json's "state". */
void render_json_state(struct json *json, const struct cpu_state *state);

/* What the declared counts are called in run.json. */
extern const char *const RENDER_DECLARED[DECLARED_COUNT];

void render_json_kernel(struct json *json, const struct known_kernel *kernel);

/*
 * A certificate as an element of run.json's "noise_certificates": in the units of Linux' hwnoise,
 * and the ticks that they are made from. Times are left out where the time stamp's frequency is a
 * guess. `noise` is one that noise_is_right() has seen.
 */
void render_json_noise(struct json *json, const struct noise *noise, const struct run_record *run);

/* The object "noise": what disturbed the samples, of all kernels on all CPUs. */
void render_json_disturbed(const struct render *render, struct json *json);

/* The array "sums": what must agree, where it does not, and in how many results it does. */
void render_json_sums(const struct render *render, struct json *json);

/*
 * A package as an element of run.json's "packages": what it is, which units of it could be found,
 * and what the test of their counters said. `package` is one that the view has taken.
 */
void render_json_uncore(struct json *json, const struct uncore_record *uncore);

#endif
