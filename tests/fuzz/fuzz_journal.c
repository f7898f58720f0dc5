/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads arbitrary bytes as a journal of any schema. A conversion must give exactly the announced
 * size, and everything rendered from the journal must be well formed.
 */
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/asserts.h"

#include "pmu/base/bytes.h"
#include "pmu/journal/renew.h"
#include "tests/unit/fakes/pieces.h"

#define CHANGES_MAX 4u

/* Renders what render_all() does not. */
static void render_rest(const void *journal, size_t size)
{
    static int64_t values[SCRATCH_COUNT];
    struct render r = {.scratch = values, .scratch_count = SCRATCH_COUNT};
    struct tally tally;
    struct end_record end;
    struct cut_off cut;
    struct out out = out_buffer(text, sizeof(text));

    render_take(&r, journal, size);
    if (render_tally(&r, &tally))
        tally_line(&tally, &out);
    if (!render_end(&r, &end) && render_cut_off(&r, &cut))
        render_cut_off_words(&cut, &out);
    FUZZ_CHECK(!out.failed);
}

static void read_journal(const void *bytes, size_t size)
{
    const struct renewal renewal = renew_look(bytes, size);
    struct out why = out_buffer(text, sizeof(text));

    renew_why(&renewal, &why);
    FUZZ_CHECK((why.used == 0) == renew_can(&renewal));
    if (renewal.need == RENEW_ANEW && renewal.bytes <= 4 * size + 4096) {
        struct journal anew = {.bytes = malloc(renewal.bytes), .size = renewal.bytes};

        FUZZ_CHECK(anew.bytes && renew_write(bytes, size, &anew) && anew.used == renewal.bytes);
        FUZZ_CHECK(renew_look(anew.bytes, anew.used).need == RENEW_NOTHING);
        render_all(anew.bytes, anew.used);
        render_rest(anew.bytes, anew.used);
        free(anew.bytes);
    } else { /* rendering must not crash */
        FUZZ_CHECK(renewal.need != RENEW_ANEW);
        render_all(bytes, size);
        render_rest(bytes, size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + (size == 0)); /* this copy is aligned, and ASan finds overruns */

    FUZZ_CHECK(bytes);
    memcpy(bytes, data, size);
    read_journal(bytes, size);
    free(bytes);
    return 0;
}

static unsigned random_state;

static size_t below(size_t bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return bound ? (random_state >> 8) % bound : 0;
}

/* Splits the bytes into records, even if their checksums are wrong. */
static void take_records(const uint8_t *data, size_t size)
{
    struct journal_head head;

    for (pieces_count = 0; pieces_count < RECORDS_MAX && size >= sizeof(head); pieces_count++) {
        struct journal_piece *piece = &pieces[pieces_count];
        size_t room = size - sizeof(head);

        memcpy(&head, data, sizeof(head));
        if (head.magic != JOURNAL_MAGIC)
            return;
        *piece = (struct journal_piece){head.type, head.payload_bytes, NULL};
        piece->size = piece->size < room ? piece->size : room;
        piece->payload = malloc(piece->size + 1);
        FUZZ_CHECK(piece->payload);
        memcpy(piece->payload, data + sizeof(head), piece->size);
        room = JOURNAL_BYTES(piece->size);
        data += room < size ? room : size;
        size -= room < size ? room : size;
    }
}

static size_t put_records(uint8_t *data, size_t size_max)
{
    struct journal journal = {.size = size_max & ~(size_t)7, .run_id = RUN_ID};

    journal.bytes = malloc(size_max + 8);
    FUZZ_CHECK(journal.bytes);
    for (unsigned i = 0; i < pieces_count; i++)
        if (!journal_append(&journal, pieces[i].type, pieces[i].payload, pieces[i].size))
            break;
    memcpy(data, journal.bytes, journal.used);
    free(journal.bytes);
    return journal.used;
}

static void set_number(struct journal_piece *piece)
{
    size_t width = (size_t)1 << below(4);
    uint64_t value = EDGES[below(EDGES_COUNT)];
    size_t places = (piece->size < 1024 ? piece->size : 1024) / width;

    if (places > 0)
        memcpy(piece->payload + below(places) * width, &value, width);
}

static void resize(struct journal_piece *piece, size_t size)
{
    char *payload = calloc(1, size + 1);

    FUZZ_CHECK(payload);
    memcpy(payload, piece->payload, size < piece->size ? size : piece->size);
    free(piece->payload);
    piece->payload = payload;
    piece->size = size;
}

static void change_record(void)
{
    struct journal_piece *piece = &pieces[below(pieces_count)];
    struct journal_piece *other = &pieces[below(pieces_count)];
    struct journal_piece kept = *piece;
    uint32_t schema = (uint32_t)below(RECORD_SCHEMA + 2);

    switch (below(12)) {
    case 0:
        resize(piece, below(piece->size + 1));
        break;
    case 1:
        resize(piece, piece->size + 8 * (1 + below(8)));
        break;
    case 2:
        *piece = *other;
        *other = kept;
        break;
    case 3:
        piece->type = (uint32_t)below(RECORD_TRUST + 2);
        break;
    case 4:
        if (piece != other) {
            resize(piece, other->size);
            memcpy(piece->payload, other->payload, other->size);
            piece->type = other->type;
        }
        break;
    case 5:
        if (pieces[0].size >= sizeof(schema))
            memcpy(pieces[0].payload, &schema, sizeof(schema));
        break;
    case 6:
    case 7:
        if (piece->size > 0)
            piece->size = LLVMFuzzerMutate((uint8_t *)piece->payload, piece->size, piece->size);
        break;
    default:
        set_number(piece);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
    random_state = seed;
    take_records(data, size);
    if (pieces_count == 0) {
        write_run();
        take_apart();
    }
    if (pieces_count == 0 || below(64) == 0) {
        throw_away();
        return LLVMFuzzerMutate(data, size, size_max);
    }
    for (size_t changes = 1 + below(CHANGES_MAX); changes > 0; changes--)
        change_record();
    size = put_records(data, size_max);
    throw_away();
    return size;
}
