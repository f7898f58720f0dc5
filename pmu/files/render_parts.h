/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a journal for the files of pmu/files, and declares the parts of run.json. */
#ifndef BARECOUNT_PMU_FILES_RENDER_PARTS_H
#define BARECOUNT_PMU_FILES_RENDER_PARTS_H

#include "pmu/files/render.h"
#include "pmu/base/json.h"
#include "pmu/verdicts/clock.h"
#include "pmu/journal/record.h"
#include "pmu/uncore/uncore.h"
#include "pmu/verdicts/trust.h"

struct reading {
    struct journal_cursor cursor;
    struct view view;            /* of all records read */
    const struct result *result; /* the last record if it has rows, otherwise null */
    struct result cut_off;       /* of an interrupted kernel */
    bool is_cut_off;
};

struct journal_cursor render_records(const struct render *render);

struct reading reading_start(const struct render *render);

/* Adds the next record to the view and returns it; null at the end. */
const struct journal_head *reading_next(struct reading *reading);

/*
 * The next result that has rows; null at the end. If a kernel was cut off, the last result is one
 * for this kernel, with STATUS_CUT_OFF.
 */
const struct result *reading_next_result(struct reading *reading);

/* Writes a run's unique name, such as "0001-000000128c5f03d1": its number and its journal's id. */
void render_run_id(const struct run_record *run, uint64_t journal_id, struct out *out);
/* The text of a note of this kind; null for other records. */
const char *render_note(const struct journal_head *head, uint32_t kind);

/* The rows are valid until the next call. */
const struct rows *reading_rows(const struct reading *reading, const struct result *result);

/* Reads a whole run, for render_trust(). */
void render_trust_ready(const struct render *render, struct reading *whole);

/* The trust map of a CPU, valid until the next call; null if the run has no result of the CPU. */
const struct trust *render_trust(const struct reading *whole, uint32_t cpu);

/* The name of rings in results.csv: "os", "usr" or "both"; "": none. */
const char *render_rings(unsigned rings);

struct beginning {
    const struct run_record *run; /* null: none */
    const struct cpu_record *cpu; /* null: none */
    unsigned passes;              /* 0: not known */
};

struct beginning render_beginning(const struct render *render);

/*
 * The frequency, in kHz, of the clock that a row counts during the kernel. 0 if the row counts no
 * clock, or if the frequency is not known.
 */
uint64_t render_khz(const struct view *view, const struct result *result, const struct row *row);

/*
 * Writes an event's encoding in perf's form: event fields of IA32_PERFEVTSELx, or uncore unit and
 * select. The number and value of an extra MSR follow (`:0x1a6=0x1`); perf does not accept them.
 */
void render_encoding(const struct event *event, struct out *out);

void render_json_buffers(const struct render *render, struct json *json);

void render_json_cpu(struct json *json, const struct view *view, const struct clock *clock);

void render_json_state(struct json *json, const struct cpu_state *state);

extern const char *const RENDER_DECLARED[DECLARED_COUNT];

void render_json_kernel(struct json *json, const struct known_kernel *kernel);

/*
 * Writes an entry of "noise_certificates", in ticks and in the units of Linux's hwnoise. Writes no
 * times if the time stamp's frequency is a guess. Requires noise_is_right().
 */
void render_json_noise(struct json *json, const struct noise *noise, const struct run_record *run);

/* Writes the object "noise": the disturbances of all samples. */
void render_json_disturbed(const struct render *render, struct json *json);

void render_json_sums(const struct render *render, struct json *json);

/* Requires a valid record. */
void render_json_uncore(struct json *json, const struct uncore_record *uncore);

#endif
