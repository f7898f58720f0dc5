/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of the run in fakes/run.h, rendered and read back. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_RUN_FILES_H
#define BARECOUNT_TESTS_UNIT_FAKES_RUN_FILES_H

#include "tests/unit/fakes/csv.h"
#include "tests/unit/fakes/json.h"
#include "tests/unit/fakes/run.h"
#include "pmu/files/render.h"

typedef bool render_file(const struct render *render, struct out *out);

static char text[1 << 20]; /* of the last file */
static const char *text_end;
static bool dropped; /* samples.csv did not fit */

static inline void render_as(render_file *file)
{
    struct out out = out_buffer(text, sizeof(text));
    struct render r = {.scratch = run_scratch, .scratch_count = 256, .samples_dropped = dropped};

    render_take(&r, run_bytes, run_journal.used);
    assert_true(file(&r, &out));
    text_end = text + strlen(out_end(&out));
    assert_int_equal(text_end - text, out.used);
}

static inline void render(void)
{
    render_as(render_run_json);
    if (!json_is_valid(text, strlen(text)))
        fail_msg("no JSON: %s", text);
}

static inline void has(const char *piece)
{
    if (!strstr(text, piece))
        fail_msg("'%s' is not in %s", piece, text);
}

static inline void has_not(const char *piece)
{
    if (strstr(text, piece))
        fail_msg("'%s' is in %s", piece, text);
}

static inline unsigned times(const char *piece)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, piece)); at++)
        count++;
    return count;
}

static struct csv_record names, record;
static const char *next_at;

/* False at the end. */
static inline bool next_line(void)
{
    bool right = true, found = csv_next(&next_at, text_end, &record, &right);

    assert_true(right);
    if (found)
        assert_int_equal(record.fields, names.fields);
    return found;
}

static inline void render_lines(render_file *file)
{
    bool right = true;

    render_as(file);
    next_at = text;
    assert_true(csv_next(&next_at, text_end, &names, &right));
}

static inline const char *value_of(const char *column)
{
    const char *value = csv_value(&names, &record, column);

    if (!value)
        fail_msg("there is no column %s", column);
    return value;
}

static inline void expect(const char *column, const char *value)
{
    if (strcmp(value_of(column), value) != 0)
        fail_msg("%s of CPU %s, %s, is '%s', not '%s'", column, value_of("cpu"), value_of("event"),
                 value_of(column), value);
}

/* `fields` is "column=value; column=value". */
static inline void expect_all(const char *fields)
{
    while (*fields) {
        int column = (int)strcspn(fields, "="), value = (int)strcspn(fields, ";") - column - 1;

        assert_true(column > 0 && value >= 0);
        expect(formatted("%.*s", column, fields), formatted("%.*s", value, fields + column + 1));
        fields += column + 1 + value;
        fields += strspn(fields, "; ");
    }
}

static inline void find(const char *cpu, const char *kernel, const char *event)
{
    static struct csv_record found;
    unsigned count = 0;

    render_lines(render_results_csv);
    while (next_line())
        if (strcmp(value_of("cpu"), cpu) == 0 && strcmp(value_of("kernel"), kernel) == 0 &&
            strcmp(value_of("event"), event) == 0) {
            found = record;
            count++;
        }
    if (count != 1)
        fail_msg("%u rows of CPU %s, %s, %s", count, cpu, kernel, event);
    record = found;
}

#endif
