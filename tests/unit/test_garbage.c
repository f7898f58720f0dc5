/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Journals that nobody wrote: records changed, dropped, doubled, cut and put in another order, with
 * checksums that match. Whatever they hold, the files are rendered without a fault and in form.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_csv.h"
#include "fake_json.h"
#include "fake_random.h"
#include "fake_run.h"
#include "pmu/render.h"

#define RECORDS_MAX   40u
#define SCRATCH_COUNT 3u /* fewer than a pass has samples */
#define ROUNDS        1500u

static char text[1 << 20];

struct piece {
    uint32_t type;
    size_t size;
    char *payload;
};
static struct piece pieces[RECORDS_MAX];
static unsigned pieces_count;

static void no_pmu(struct cpu_caps *caps)
{
    caps->pmu_version = 0;
}

static int write_run(void **state)
{
    struct counter_tests tested = {.counters = 1, .counter = {{.fault = COUNTER_CARRY}}};

    (void)state;
    run_begin(NULL, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        run_cpu(cpu, cpu ? no_pmu : NULL);
        run_append(RECORD_TEST, &tested, sizeof(tested));
        run_calibration();
        run_result_of(0, STATUS_OK, RUN_RUNS, 1);
        run_result_of(1, STATUS_OK, RUN_RUNS, 0);
    }
    run_note(NOTE_ERROR, "an error");
    run_end();
    return 0;
}

/* Takes the journal of write_run() to pieces. */
static void take_apart(void)
{
    struct journal_cursor cursor = journal_start(run_bytes, run_journal.used);
    const struct journal_head *head;

    for (pieces_count = 0; (head = journal_next(&cursor)); pieces_count++) {
        struct piece *piece = &pieces[pieces_count];

        *piece = (struct piece){head->type, head->payload_bytes, malloc(head->payload_bytes + 1)};
        assert_non_null(piece->payload);
        memcpy(piece->payload, journal_payload(head), piece->size);
    }
}

static void throw_away(void)
{
    while (pieces_count > 0)
        free(pieces[--pieces_count].payload);
}

static void check_csv(size_t size, unsigned fields)
{
    const char *at = text;
    struct csv_record record;
    bool right = true;

    while (csv_next(&at, text + size, &record, &right))
        assert_int_equal(record.fields, fields);
    assert_true(right);
}

static void render_all(const void *journal, size_t size)
{
    int64_t *scratch = malloc(SCRATCH_COUNT * sizeof(*scratch));
    struct render r = {journal, size, scratch, SCRATCH_COUNT, false};
    struct out out = out_buffer(text, sizeof(text));

    assert_non_null(scratch);
    assert_true(render_results_csv(&r, &out));
    check_csv(out.used, 29);
    out = out_buffer(text, sizeof(text));
    assert_true(render_samples_csv(&r, &out));
    check_csv(out.used, 13);
    out = out_buffer(text, sizeof(text));
    if (render_index_line(&r, &out))
        check_csv(out.used, 6);
    out = out_buffer(text, sizeof(text));
    assert_true(render_run_json(&r, &out));
    if (!json_is_valid(text, out.used))
        fail_msg("no JSON: %s", out_end(&out));
    free(scratch);
}

/* Writes the pieces with checksums that match, into no more memory than they need. */
static void render_pieces(void)
{
    struct journal journal = {.run_id = RUN_ID};

    for (unsigned i = 0; i < pieces_count; i++)
        journal.size += JOURNAL_BYTES(pieces[i].size);
    journal.bytes = malloc(journal.size + (journal.size == 0));
    assert_non_null(journal.bytes);
    for (unsigned i = 0; i < pieces_count; i++)
        assert_true(journal_append(&journal, pieces[i].type, pieces[i].payload, pieces[i].size));
    render_all(journal.bytes, journal.size);
    free(journal.bytes);
}

/* What a later line of the program indexes, divides, shifts or ends a text with. */
#define FIELD(type, structure, field)                                                              \
    {                                                                                              \
        type, offsetof(struct structure, field), sizeof(((struct structure *)0)->field)            \
    }
static const struct {
    uint32_t type;
    size_t offset, size;
} FIELDS[] = {
    FIELD(RECORD_RUN, run_record, events),
    FIELD(RECORD_RUN, run_record, runs),
    FIELD(RECORD_RUN, run_record, number),
    FIELD(RECORD_RUN, run_record, tsc_source),
    FIELD(RECORD_RUN, run_record, uefi_revision),
    FIELD(RECORD_RUN, run_record, window_cost[0]),
    FIELD(RECORD_RUN, run_record, window_cost[4]),
    FIELD(RECORD_RUN, run_record, event[0].declared),
    FIELD(RECORD_RUN, run_record, event[0].unit),
    FIELD(RECORD_RUN, run_record, event[12].arch),
    FIELD(RECORD_RUN, run_record, event[12].unit),
    FIELD(RECORD_RUN, run_record, event[12].declared),
    FIELD(RECORD_KERNEL, known_kernel, n),
    FIELD(RECORD_KERNEL, known_kernel, expect[0].kind),
    FIELD(RECORD_KERNEL, known_kernel, expect[0].low),
    FIELD(RECORD_KERNEL, known_kernel, expect[0].high),
    FIELD(RECORD_KERNEL, known_kernel, expect[4].low),
    FIELD(RECORD_KERNEL, known_kernel, expect[4].low_2n),
    FIELD(RECORD_CPU, cpu_record, caps.gp_count),
    FIELD(RECORD_CPU, cpu_record, caps.vendor),
    FIELD(RECORD_CPU, cpu_record, found.held),
    FIELD(RECORD_CPU, cpu_record, schedule.passes),
    FIELD(RECORD_CPU, cpu_record, schedule.pass[0].slots),
    FIELD(RECORD_CPU, cpu_record, schedule.pass[2].slots),
    FIELD(RECORD_CPU, cpu_record, schedule.pass[0].slot[0].event),
    FIELD(RECORD_CPU, cpu_record, schedule.pass[1].slot[3].event),
    FIELD(RECORD_CPU, cpu_record, schedule.pass[1].slot[3].counter),
    FIELD(RECORD_CPU, cpu_record, schedule.status[3]),
    FIELD(RECORD_RESULT, result, cpu),
    FIELD(RECORD_RESULT, result, kernel),
    FIELD(RECORD_RESULT, result, status),
    FIELD(RECORD_RESULT, result, samples),
    FIELD(RECORD_RESULT, result, stride_bytes),
    FIELD(RECORD_RESULT, result, program_error.status),
    FIELD(RECORD_RESULT, result, program_error_passes),
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, pass), 1},
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, kind), 1},
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, tsc), 8},
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, raw[0]), 8},
    FIELD(RECORD_NOTE, note, kind),
    FIELD(RECORD_TEST, counter_tests, cpu),
    FIELD(RECORD_TEST, counter_tests, status),
    FIELD(RECORD_TEST, counter_tests, counters),
    FIELD(RECORD_TEST, counter_tests, counter[0].fault),
    FIELD(RECORD_TEST, counter_tests, counter[0].counter),
};
static const uint64_t VALUES[] = {
    0,   1,   2,          3,          7,          8,         9,          12,
    16,  17,  24,         32,         111,        112,       113,        255,
    511, 512, 1ull << 31, UINT32_MAX, 1ull << 52, INT64_MAX, 1ull << 63, UINT64_MAX};

/* Each of these fields of each record with each value that lies at some edge. */
static void every_field_at_its_edges(void **state)
{
    (void)state;
    take_apart();
    for (unsigned p = 0; p < pieces_count; p++)
        for (size_t f = 0; f < sizeof(FIELDS) / sizeof(FIELDS[0]); f++)
            for (size_t v = 0; v < sizeof(VALUES) / sizeof(VALUES[0]); v++) {
                char kept[8];

                if (FIELDS[f].type != pieces[p].type ||
                    FIELDS[f].offset + FIELDS[f].size > pieces[p].size)
                    continue;
                memcpy(kept, pieces[p].payload + FIELDS[f].offset, FIELDS[f].size);
                memcpy(pieces[p].payload + FIELDS[f].offset, &VALUES[v], FIELDS[f].size);
                render_pieces();
                memcpy(pieces[p].payload + FIELDS[f].offset, kept, FIELDS[f].size);
            }
    throw_away();
}

/* Every record filled up from any byte on, 64 at a time: no text has an end there. */
static void texts_without_an_end(void **state)
{
    static const char FILL[] = {'x', '\x01', '"', ','};

    (void)state;
    take_apart();
    for (unsigned p = 0; p < pieces_count; p++)
        for (size_t at = 0; at < pieces[p].size && at < sizeof(struct run_record); at += 8) {
            size_t size = pieces[p].size - at < 64 ? pieces[p].size - at : 64;
            char kept[64];

            memcpy(kept, pieces[p].payload + at, size);
            memset(pieces[p].payload + at, FILL[at / 8 % sizeof(FILL)], size);
            render_pieces();
            memcpy(pieces[p].payload + at, kept, size);
        }
    throw_away();
}

static void change_at_random(void)
{
    struct piece *piece = &pieces[random_below(pieces_count)];
    struct piece *other = &pieces[random_below(pieces_count)];
    struct piece kept = *piece;
    uint64_t value =
        random_below(2) ? VALUES[random_below(sizeof(VALUES) / sizeof(VALUES[0]))] : random_bits();
    size_t width = 1u << random_below(4);

    switch (random_below(10)) {
    case 0: /* cut, perhaps to nothing */
        piece->size = random_below(piece->size + 1);
        break;
    case 1: /* change places */
        *piece = *other;
        *other = kept;
        break;
    case 2:
        piece->type = (uint32_t)random_below(9);
        break;
    case 3: /* become a copy of another */
        if (other->size > 0 && piece != other) {
            free(piece->payload);
            *piece = *other;
            piece->payload = malloc(other->size);
            assert_non_null(piece->payload);
            memcpy(piece->payload, other->payload, other->size);
        }
        break;
    default:
        if (piece->size >= 8)
            memcpy(piece->payload + random_below(piece->size / 8) * 8 +
                       random_below(8 / width) * width,
                   &value, width);
    }
}

static void random_changes(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        take_apart();
        for (uint64_t changes = 1 + random_below(6); changes > 0; changes--)
            change_at_random();
        render_pieces();
        throw_away();
    }
}

static void random_bytes(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        size_t size = random_below(4096);
        char *bytes = malloc(size + (size == 0));

        assert_non_null(bytes);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)random_bits();
        render_all(bytes, size);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_field_at_its_edges, write_run),
        cmocka_unit_test_setup(texts_without_an_end, write_run),
        cmocka_unit_test_setup(random_changes, write_run),
        cmocka_unit_test(random_bytes),
    };

    random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
