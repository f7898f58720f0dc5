/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Corrupt journals with valid checksums: records are changed, dropped, doubled, truncated or
 * reordered. Rendering must not crash, and the rendered files must be well formed.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/pieces.h"
#include "tests/unit/fakes/random.h"

BEFORE_EACH(write_run);

BEFORE_ALL(random_start);

#define ROUNDS   500u
#define BUILT_IN 13u /* EVENTS_COUNT; the package's events follow */
#define BETWEEN  6u

/* Fields that the program uses as an index, divisor, shift count or text. */
#define FIELD(type, structure, field)                                                              \
    {                                                                                              \
        type, offsetof(struct structure, field), sizeof(((struct structure *)0)->field)            \
    }
#define EVENT(index, field)                                                                        \
    {                                                                                              \
        RECORD_EVENTS, (index) * sizeof(struct event) + offsetof(struct event, field),             \
            sizeof(((struct event *)0)->field)                                                     \
    }
static const struct {
    uint32_t type;
    size_t offset, size;
} FIELDS[] = {
    FIELD(RECORD_RUN, run_record, runs),
    FIELD(RECORD_RUN, run_record, number),
    FIELD(RECORD_RUN, run_record, tsc_hz),
    FIELD(RECORD_RUN, run_record, tsc_source),
    FIELD(RECORD_RUN, run_record, uefi_revision),
    FIELD(RECORD_RUN, run_record, parked),
    FIELD(RECORD_RUN, run_record, kernel_ring),
    FIELD(RECORD_RUN, run_record, method),
    FIELD(RECORD_RUN, run_record, source),
    FIELD(RECORD_RUN, run_record, secure_boot),
    FIELD(RECORD_RUN, run_record, emulated),
    FIELD(RECORD_RUN, run_record, linux_host.read_by),
    FIELD(RECORD_RUN, run_record, window_cost[WINDOW_OS][0]),
    FIELD(RECORD_RUN, run_record, window_cost[WINDOW_USR][4]),
    FIELD(RECORD_KERNEL, known_kernel, n),
    FIELD(RECORD_KERNEL, known_kernel, expect[0].kind),
    FIELD(RECORD_KERNEL, known_kernel, expect[0].low),
    FIELD(RECORD_KERNEL, known_kernel, expect[0].high),
    FIELD(RECORD_KERNEL, known_kernel, expect[4].low),
    FIELD(RECORD_KERNEL, known_kernel, expect[4].low_2n),
    FIELD(RECORD_CPU, cpu_record, caps.gp_count),
    FIELD(RECORD_CPU, cpu_record, caps.vendor),
    FIELD(RECORD_CPU, cpu_record, found.held),
    FIELD(RECORD_NOISE, noise, cpu),
    FIELD(RECORD_NOISE, noise, runtime_ticks),
    FIELD(RECORD_NOISE, noise, mperf),
    FIELD(RECORD_NOISE, noise, aperf),
    EVENT(0, declared),
    EVENT(0, unit),
    EVENT(0, rings),
    EVENT(0, fixed),
    EVENT(12, select),
    EVENT(12, extra_msr),
    EVENT(12, arch),
    EVENT(12, unit),
    EVENT(12, declared),
    EVENT(12, rings),
    EVENT(12, status),
    EVENT(12, fixed),
    EVENT(12, fixed_only),
    EVENT(12, name[EVENT_NAME_BYTES - 1]),
    EVENT(BUILT_IN, scope),
    EVENT(BUILT_IN, kind),
    EVENT(BUILT_IN, counters),
    EVENT(BUILT_IN, unit),
    EVENT(BUILT_IN + 1, status),
    EVENT(BUILT_IN + 1, extra),
    FIELD(RECORD_SCHEDULE, schedule, passes),
    FIELD(RECORD_SCHEDULE, schedule, pass[0].slots),
    FIELD(RECORD_SCHEDULE, schedule, pass[2].slots),
    FIELD(RECORD_SCHEDULE, schedule, pass[2].extras),
    FIELD(RECORD_SCHEDULE, schedule, pass[0].slot[0].event),
    FIELD(RECORD_SCHEDULE, schedule, pass[0].slot[0].where),
    FIELD(RECORD_SCHEDULE, schedule, pass[1].slot[3].event),
    FIELD(RECORD_SCHEDULE, schedule, pass[1].slot[3].where),
    FIELD(RECORD_SCHEDULE, schedule, pass[1].slot[3].counter),
    FIELD(RECORD_SCHEDULE, schedule, pass[1].slot[3].select_xor),
    FIELD(RECORD_SCHEDULE, schedule, pass[3].slot[3].where),
    FIELD(RECORD_SCHEDULE, schedule, pass[3].slot[3].counter),
    FIELD(RECORD_SCHEDULE, schedule, pass[3].slot[3].event),
    FIELD(RECORD_UNCORE, uncore_record, cpu),
    FIELD(RECORD_UNCORE, uncore_record, groups),
    FIELD(RECORD_UNCORE, uncore_record, status),
    FIELD(RECORD_UNCORE, uncore_record, model[39]),
    FIELD(RECORD_UNCORE, uncore_record, energy_step[0]),
    FIELD(RECORD_UNCORE, uncore_record, error[1].status),
    FIELD(RECORD_UNCORE, uncore_record, error[1].space),
    FIELD(RECORD_UNCORE, uncore_record, error[1].address),
    FIELD(RECORD_UNCORE, uncore_record, group[0].kind),
    FIELD(RECORD_UNCORE, uncore_record, group[0].fault),
    FIELD(RECORD_UNCORE, uncore_record, group[1].kind),
    FIELD(RECORD_UNCORE, uncore_record, group[1].fault),
    FIELD(RECORD_UNCORE, uncore_record, group[1].status),
    FIELD(RECORD_AGAIN, again, cpu),
    FIELD(RECORD_NEXT, next, cpu),
    FIELD(RECORD_NEXT, next, kernel),
    FIELD(RECORD_NEXT, next, partner),
    FIELD(RECORD_PHASE, phase, kind),
    FIELD(RECORD_PHASE, phase, detail),
    FIELD(RECORD_RESULT, result, cpu),
    FIELD(RECORD_RESULT, result, kernel),
    FIELD(RECORD_RESULT, result, status),
    FIELD(RECORD_RESULT, result, samples),
    FIELD(RECORD_RESULT, result, stride_bytes),
    FIELD(RECORD_RESULT, result, msrs_before),
    FIELD(RECORD_RESULT, result, msrs_after),
    FIELD(RECORD_RESULT, result, program_error.status),
    FIELD(RECORD_RESULT, result, uncore_error[0].status),
    FIELD(RECORD_RESULT, result, uncore_error[0].space),
    FIELD(RECORD_RESULT, result, uncore_error[0].kind),
    FIELD(RECORD_RESULT, result, uncore_error[0].pass),
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, pass), 2},
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, kind), 1},
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, uncounted), 2},
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, tsc), 8},
    {RECORD_RESULT, sizeof(struct result) + offsetof(struct sample, raw[0]), 8},
    FIELD(RECORD_NOTE, note, kind),
    FIELD(RECORD_NOISE, noise, when),
    FIELD(RECORD_NOISE, noise, status),
    FIELD(RECORD_NOISE, noise, threshold_ticks),
    FIELD(RECORD_NOISE, noise, noise_ticks),
    FIELD(RECORD_NOISE, noise, longest_ticks),
    FIELD(RECORD_NOISE, noise, bucket[NOISE_BUCKETS - 1]),
    FIELD(RECORD_NOISE, noise, gaps),
    FIELD(RECORD_NOISE, noise, nmi_gaps),
    FIELD(RECORD_NOISE, noise, unexplained),
    FIELD(RECORD_STATE, cpu_state, cpu),
    FIELD(RECORD_STATE, cpu_state, items),
    FIELD(RECORD_STATE, cpu_state, item[0].setting),
    FIELD(RECORD_STATE, cpu_state, item[0].msr),
    FIELD(RECORD_STATE, cpu_state, item[0].written),
    FIELD(RECORD_STATE, cpu_state, item[0].kept),
    FIELD(RECORD_STATE, cpu_state, item[0].status),
    FIELD(RECORD_STATE, cpu_state, item[STATE_ITEMS_MAX - 1].setting),
    FIELD(RECORD_STATE, cpu_state, item[STATE_ITEMS_MAX - 1].status),
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

/* Rendering takes milliseconds, so most cases are tried only with BARECOUNT_FULL. */
static unsigned thinned(void)
{
    return getenv("BARECOUNT_FULL") != NULL ? 1 : 5;
}

/*
 * Only every n-th part of a record is changed. Returns n, which is larger for records that are not
 * the first of their type.
 */
static size_t stride_of(unsigned p, size_t stride)
{
    for (unsigned before = 0; before < p; before++)
        if (pieces[before].type == pieces[p].type)
            return stride * thinned();
    return thinned();
}

TEST(every_field_at_its_edges)
{
    assert_int_equal(EVENTS_COUNT, BUILT_IN);
    take_apart();
    for (unsigned p = 0; p < pieces_count; p++)
        for (size_t f = 0; f < sizeof(FIELDS) / sizeof(FIELDS[0]); f++)
            for (size_t step = stride_of(p, 12), v = random_below(step);
                 v < sizeof(VALUES) / sizeof(VALUES[0]); v += step) {
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

TEST(texts_without_an_end)
{
    static const char FILL[] = {'x', '\x01', '"', ','};

    take_apart();
    for (unsigned p = 0; p < pieces_count; p++)
        for (size_t step = 8 * stride_of(p, 6), at = 8 * random_below(step / 8);
             at < pieces[p].size && at < sizeof(struct run_record); at += step) {
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
    struct journal_piece *piece = &pieces[random_below(pieces_count)];
    struct journal_piece *other = &pieces[random_below(pieces_count)];
    struct journal_piece kept = *piece;
    uint64_t value =
        random_below(2) ? VALUES[random_below(sizeof(VALUES) / sizeof(VALUES[0]))] : random_bits();
    size_t width = 1u << random_below(4);

    switch (random_below(10)) {
    case 0: /* truncate */
        piece->size = random_below(piece->size + 1);
        break;
    case 1:
        *piece = *other;
        *other = kept;
        break;
    case 2:
        piece->type = (uint32_t)random_below(RECORD_UNCORE + 2);
        break;
    case 3:
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

TEST(random_changes)
{
    for (unsigned round = 0; round < ROUNDS / thinned(); round++) {
        take_apart();
        for (uint64_t changes = 1 + random_below(6); changes > 0; changes--)
            change_at_random();
        render_pieces();
        throw_away();
    }
}

TEST(events_and_schedules_out_of_step)
{
    take_apart();
    for (unsigned of = 0; of < pieces_count; of++) {
        struct journal_piece copy = pieces[of];
        size_t step = copy.type == RECORD_EVENTS ? sizeof(struct event) : sizeof(struct pass);

        if (copy.type != RECORD_EVENTS && copy.type != RECORD_SCHEDULE)
            continue;
        for (size_t less = 0; less <= pieces[of].size; less += step)
            for (uint64_t before = random_below(BETWEEN); before < pieces_count;
                 before += BETWEEN) {
                copy.size = pieces[of].size - less;
                render_with(&copy, (unsigned)before);
            }
    }
    throw_away();
}

TEST(random_bytes)
{
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
