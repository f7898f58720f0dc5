/* SPDX-License-Identifier: BSD-2-Clause */
/* Which journals of other versions can be read. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/pieces.h"

#include "tests/unit/fakes/old.h"

static char before[3][sizeof(text)];

enum { CSV = 2, ALL = 3 };

/* Renders the first `files` files, and stores them in `before` or compares them with `before`. */
static void render_again(const void *journal, size_t size, unsigned files, bool compare)
{
    static bool (*const RENDER[])(const struct render *render, struct out *out) = {
        render_results_csv, render_samples_csv, render_run_json};
    struct render r = {journal, size, run_scratch, 256, false, false};

    for (unsigned i = 0; i < files; i++) {
        struct out out = out_buffer(text, sizeof(text));

        assert_true(RENDER[i](&r, &out));
        out_end(&out);
        if (compare)
            assert_string_equal(text, before[i]);
        else
            strcpy(before[i], text);
    }
}

static void put_together(void)
{
    memset(run_bytes, 0, sizeof(run_bytes));
    run_journal = (struct journal){.bytes = run_bytes, .size = sizeof(run_bytes), .run_id = RUN_ID};
    for (unsigned i = 0; i < pieces_count; i++)
        run_append(pieces[i].type, pieces[i].payload, pieces[i].size);
}

static void grow(struct journal_piece *piece, size_t at, size_t bytes)
{
    char *longer = malloc(piece->size + bytes);

    assert_non_null(longer);
    memcpy(longer, piece->payload, at);
    memset(longer + at, 0xa5, bytes);
    memcpy(longer + at + bytes, piece->payload + at, piece->size - at);
    free(piece->payload);
    piece->payload = longer;
    piece->size += bytes;
}

/*
 * Unknown records are ignored, and so are new fields at the end of a record or of a result's head.
 */
TEST(newer_fields_are_passed_over)
{
    const struct note note = {.kind = NOTE_REMARK, .text = "unknown"};

    for (size_t bytes = 8; bytes <= 64; bytes += 56)
        for (uint32_t type = RECORD_RUN; type <= RECORD_PHASE; type++) {
            bool found = false;

            write_run();
            render_again(run_bytes, run_journal.used, ALL, false);
            take_apart();
            for (unsigned i = 0; i < pieces_count; i++) {
                struct journal_piece *piece = &pieces[i];

                if (piece->type != type || type == RECORD_PLAN || type == RECORD_EVENTS ||
                    type == RECORD_SCHEDULE)
                    continue;
                grow(piece, type == RECORD_RESULT ? sizeof(struct result) : piece->size, bytes);
                found = true;
            }
            put_together();
            run_append(RECORD_PHASE + 1, &note, sizeof(note));
            throw_away();
            if (type == RECORD_RESULT) {
                assert_true(found);
                renew(run_bytes, run_journal.used);
                render_again(renewed_bytes, renewed.used, ALL, true);
            } else {
                assert_int_equal(renew_look(run_bytes, run_journal.used).need, RENEW_NOTHING);
                render_again(run_bytes, run_journal.used, ALL, true);
            }
        }
}

static void shrink(struct journal_piece *piece, size_t at, size_t bytes)
{
    piece->size -= bytes;
    memmove(piece->payload + at, piece->payload + at + bytes, piece->size - at);
}

static void drop(uint32_t type)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < pieces_count; i++)
        if (pieces[i].type == type)
            free(pieces[i].payload);
        else
            pieces[kept++] = pieces[i];
    pieces_count = kept;
}

/* Gives a payload the layout of schema 6. */
static void age(struct journal_piece *piece)
{
    const size_t extra = offsetof(struct cpu_record, found.extra) + 4 * 8;
    const size_t selects = offsetof(struct cpu_record, found.select) + 8 * 8;

    if (piece->type == RECORD_CPU) {
        shrink(piece, extra, 4 * 8);
        shrink(piece, selects, 2 * 8);
    } else if (piece->type == RECORD_TEST) {
        piece->size = 32 + 12 * sizeof(struct tested_counter);
    } else if (piece->type == RECORD_SCHEDULE) {
        for (uint32_t p = ((struct schedule *)(void *)piece->payload)->passes; p-- > 0;) {
            const size_t pass = offsetof(struct schedule, pass) + p * sizeof(struct pass);

            shrink(piece, pass + offsetof(struct pass, extra) + 4 * sizeof(struct pass_extra),
                   4 * sizeof(struct pass_extra));
            shrink(piece, pass + offsetof(struct pass, slot) + 12 * sizeof(struct slot),
                   2 * sizeof(struct slot));
        }
    }
}

TEST(schema_6_is_read)
{
    const struct schedule *schedule;

    write_run();
    render_again(run_bytes, run_journal.used, CSV, false);
    take_apart();
    ((struct run_record *)(void *)pieces[0].payload)->schema = 6;
    for (unsigned i = 0; i < pieces_count; i++) {
        if (pieces[i].type == RECORD_CPU)
            ((struct cpu_record *)(void *)pieces[i].payload)->caches_bytes = 123;
        if (pieces[i].type == RECORD_SCHEDULE)
            ((struct schedule *)(void *)pieces[i].payload)->pass[0].extra[3].msr = 0x3f7;
        age(&pieces[i]);
    }
    put_together();
    throw_away();
    renew(run_bytes, run_journal.used);
    render_again(renewed_bytes, renewed.used, CSV, true);
    assert_int_equal(
        ((const struct cpu_record *)journal_payload(renewed_record(RECORD_CPU)))->caches_bytes,
        123);
    schedule = journal_payload(renewed_record(RECORD_SCHEDULE));
    assert_int_equal(schedule->pass[0].extra[3].msr, 0x3f7);
}

TEST(statuses_of_schema_6_stay_as_they_are)
{
    static const uint32_t STATUSES[] = {STATUS_OK, STATUS_DIED, STATUS_UNCORE_UNKNOWN,
                                        STATUS_MACHINE_CHECK, STATUS_COUNT - 1};

    for (unsigned s = 0; s < sizeof(STATUSES) / sizeof(STATUSES[0]); s++) {
        const struct result *result;
        bool is_set = false;

        write_run();
        take_apart();
        ((struct run_record *)(void *)pieces[0].payload)->schema = 6;
        for (unsigned i = 0; i < pieces_count; i++) {
            if (pieces[i].type == RECORD_RESULT && !is_set) {
                ((struct result *)(void *)pieces[i].payload)->status = STATUSES[s];
                is_set = true;
            }
            age(&pieces[i]);
        }
        put_together();
        throw_away();
        renew(run_bytes, run_journal.used);
        result = journal_payload(renewed_record(RECORD_RESULT));
        assert_int_equal(result->status, STATUSES[s]);
    }
}

/*
 * Schema 4 has no package records. Its RUN ends before `source`, and its RESULT before
 * `uncore_error`.
 */
TEST(fields_that_are_missing_are_zero)
{
    static const char REMARK[] = "\"rendered from a journal of schema 4, which barecount 1.0 wrote";
    struct run_record *run;

    write_run();
    take_apart();
    drop(RECORD_PHASE);
    drop(RECORD_UNCORE);
    drop(RECORD_TRUST);
    for (unsigned i = 0; i < pieces_count; i++)
        if (pieces[i].type == RECORD_RESULT) {
            struct result *result = (struct result *)(void *)pieces[i].payload;

            result->uncore_ratio_low = result->uncore_ratio_high = 0;
        }
    put_together();
    render_again(run_bytes, run_journal.used, ALL, false);
    run = (struct run_record *)(void *)pieces[0].payload;
    run->schema = 4;
    pieces[0].size = offsetof(struct run_record, source);
    for (unsigned i = 0; i < pieces_count; i++)
        age(&pieces[i]);
    for (unsigned i = 0; i < pieces_count; i++)
        if (pieces[i].type == RECORD_RESULT)
            shrink(&pieces[i], offsetof(struct result, uncore_error),
                   sizeof(struct result) - offsetof(struct result, uncore_error));
        else if (pieces[i].type == RECORD_KERNEL)
            pieces[i].size = offsetof(struct known_kernel, round);
        else if (pieces[i].type == RECORD_CPU)
            pieces[i].size = 400;
    put_together();
    throw_away();
    renew(run_bytes, run_journal.used);
    assert_int_equal(((const struct run_record *)journal_payload(
                          (const struct journal_head *)(void *)renewed_bytes))
                         ->schema,
                     RECORD_SCHEMA);
    render_again(renewed_bytes, renewed.used, CSV, true);
    render_again(renewed_bytes, renewed.used, ALL, false);
    assert_non_null(strstr(before[2], REMARK));
}

static void refused(enum renew_need need, const char *why)
{
    const struct renewal renewal = renew_look(run_bytes, run_journal.used);

    assert_int_equal(renewal.need, need);
    assert_false(renew_can(&renewal));
    assert_written(renew_why(&renewal, &out), why);
}

TEST(others_are_refused)
{
    static const char zeros[1024];

    begin_old(1, 784);
    refused(RENEW_TOO_OLD, "barecount " VERSION " wrote it, in schema 1; this version reads 2 to "
                           "7. Use that version's scripts/recover");
    begin_old(RECORD_SCHEMA + 1, 784);
    refused(RENEW_TOO_NEW, "barecount " VERSION " wrote it, in schema 8; this version reads 2 to "
                           "7. Use that version's scripts/recover");
    begin_old(UINT32_MAX, 32);
    run_bytes[32 + 8] = '\n';
    refused(RENEW_NO_RUN, "its first record is missing or damaged");
    run_journal.used = 0;
    run_journal.sequence = 0;
    run_append(RECORD_NOTE, zeros, sizeof(struct note));
    refused(RENEW_NO_RUN, "its first record is missing or damaged");
    for (size_t i = 0; i < OLDS; i++) {
        const struct {
            uint32_t type, bytes;
        } part[] = {{RECORD_KERNEL, OLD[i].kernel},
                    {RECORD_CPU, OLD[i].cpu},
                    {RECORD_RESULT, OLD[i].result}};
        char why[] = "its records do not match schema 0, which its first record names";

        *strchr(why, '0') = (char)('0' + OLD[i].schema);
        for (int off = -8; off <= 8; off += 8)
            for (size_t k = 0; k < 3; k++) {
                begin_old(OLD[i].schema, OLD[i].run);
                run_append(part[k].type, zeros, part[k].bytes + (uint32_t)off);
                if (off != 0)
                    refused(RENEW_STRANGE, why);
                else
                    renew(run_bytes, run_journal.used);
            }
        begin_old(OLD[i].schema, OLD[i].run + 8);
        refused(RENEW_STRANGE, why);
        begin_old(OLD[i].schema, OLD[i].run);
        run_append(RECORD_UNCORE + 1, zeros, 16);
        refused(RENEW_STRANGE, why);
    }
}

/*
 * A version is shown as ? if it is empty or too long, or contains blanks or unprintable characters.
 */
TEST(versions_are_printable)
{
    static const char *const VERSIONS[] = {"", "a b", "1\n", "\x80", "123456789012345678901234"};

    for (size_t i = 0; i < sizeof(VERSIONS) / sizeof(VERSIONS[0]); i++) {
        struct run_record run = {.schema = 9};

        strncpy(run.version, VERSIONS[i], sizeof(run.version));
        run_journal.used = 0;
        run_journal.sequence = 0;
        run_append(RECORD_RUN, &run, sizeof(run));
        assert_string_equal(renew_look(run_bytes, run_journal.used).version, "?");
    }
}
