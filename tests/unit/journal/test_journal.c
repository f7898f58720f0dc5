/* SPDX-License-Identifier: BSD-2-Clause */
/* Only complete records of a journal can be read back. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/base/bytes.h"
#include "pmu/journal/journal.h"

#define RUN_ID 0x0123456789abcdefull

static alignas(8) char bytes[512];
static struct journal journal;

static const struct {
    uint32_t type;
    const char *payload;
    size_t size;
} RECORDS[] = {
    {1, "first", 5}, {2, "12345678", 8}, {3, "", 0}, {4, "\0\0\0", 3}, {1, "last one.", 9}};
#define RECORDS_COUNT (sizeof(RECORDS) / sizeof(RECORDS[0]))

static void write_all(void)
{
    memset(bytes, 0, sizeof(bytes));
    journal = (struct journal){.bytes = bytes, .size = sizeof(bytes), .run_id = RUN_ID};
    for (size_t i = 0; i < RECORDS_COUNT; i++)
        assert_true(journal_append(&journal, RECORDS[i].type, RECORDS[i].payload, RECORDS[i].size));
}

BEFORE_EACH(write_all);

/* The readable records must be the first ones written. */
static size_t read_all(const void *from, size_t size)
{
    struct journal_cursor cursor = journal_start(from, size);
    const struct journal_head *head;
    size_t count = 0;

    while ((head = journal_next(&cursor))) {
        assert_true(count < RECORDS_COUNT);
        assert_int_equal(head->type, RECORDS[count].type);
        assert_int_equal(head->sequence, count);
        assert_int_equal(head->payload_bytes, RECORDS[count].size);
        assert_memory_equal(journal_payload(head), RECORDS[count].payload, RECORDS[count].size);
        count++;
    }
    assert_null(journal_next(&cursor));
    return count;
}

/* A head has 32 bytes, and a payload is padded to a multiple of 8 bytes. */
static size_t bytes_of(size_t count)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        size += 32 + (RECORDS[i].size + 7) / 8 * 8;
    return size;
}

TEST(what_was_appended_is_read)
{
    assert_int_equal(journal.used, bytes_of(RECORDS_COUNT));
    assert_int_equal(read_all(bytes, sizeof(bytes)), RECORDS_COUNT);
    assert_int_equal(read_all(bytes, journal.used), RECORDS_COUNT);
    assert_int_equal(read_all(bytes, 0), 0);
}

TEST(a_record_that_is_sealed_again)
{
    struct journal_head *second = (struct journal_head *)(bytes + bytes_of(1));
    char *payload = (char *)(second + 1);

    payload[0] = 'x';
    assert_int_equal(read_all(bytes, sizeof(bytes)), 1);
    journal_seal(second);
    payload[0] = RECORDS[1].payload[0];
    assert_int_equal(read_all(bytes, sizeof(bytes)), 1);
    journal_seal(second);
    assert_int_equal(read_all(bytes, sizeof(bytes)), RECORDS_COUNT);
}

TEST(layout_is_as_documented)
{
    const struct journal_head *head = (const struct journal_head *)bytes;

    assert_memory_equal(bytes, "BCJ1", 4);
    assert_int_equal(head->run_id, RUN_ID);
    assert_int_equal(head->payload_crc, crc32_ieee(0, "first", 5));
    assert_int_equal(head->head_crc, crc32_ieee(0, bytes, 28));
    assert_memory_equal(bytes + 32, "first\0\0\0", 8);
    assert_int_equal(JOURNAL_BYTES(0), 32);
    assert_int_equal(JOURNAL_BYTES(1), 40);
    assert_int_equal(JOURNAL_BYTES(8), 40);
    assert_int_equal(JOURNAL_BYTES(9), 48);
}

/* The copies have exact sizes, so that overruns are caught. */
TEST(every_length_gives_a_prefix)
{
    for (size_t size = 0; size <= journal.used; size++) {
        char *cut = malloc(size + (size == 0));
        size_t whole = 0;

        assert_non_null(cut);
        while (whole < RECORDS_COUNT && bytes_of(whole + 1) <= size)
            whole++;
        memcpy(cut, bytes, size);
        assert_int_equal(read_all(cut, size), whole);
        free(cut);
    }
}

/* A flipped bit ends the journal at the record that contains it, unless it is in the padding. */
TEST(every_flipped_bit_gives_a_prefix)
{
    for (size_t bit = 0; bit < 8 * journal.used; bit++) {
        size_t byte = bit / 8, before = 0, count;
        bool padding;

        while (bytes_of(before + 1) <= byte)
            before++;
        padding = byte >= bytes_of(before) + 32 + RECORDS[before].size;
        bytes[byte] ^= (char)(1 << bit % 8);
        count = read_all(bytes, journal.used);
        assert_int_equal(count, padding ? RECORDS_COUNT : before);
        bytes[byte] ^= (char)(1 << bit % 8);
    }
}

TEST(stale_records_are_not_taken)
{
    struct journal other;

    for (size_t ours = 1; ours < RECORDS_COUNT; ours++) {
        write_all();
        other = (struct journal){
            .bytes = bytes, .size = sizeof(bytes), .run_id = RUN_ID + (1ull << 63)};
        for (size_t i = 0; i < ours; i++)
            assert_true(
                journal_append(&other, RECORDS[i].type, RECORDS[i].payload, RECORDS[i].size));
        assert_int_equal(read_all(bytes, sizeof(bytes)), ours);
    }
    /* a record of the same run, out of sequence */
    write_all();
    memcpy(bytes + bytes_of(3), bytes + bytes_of(1), bytes_of(2) - bytes_of(1));
    assert_int_equal(read_all(bytes, sizeof(bytes)), 3);
    /* a journal must begin with the first record */
    assert_int_equal(read_all(bytes + bytes_of(1), bytes_of(1)), 0);
}

TEST(a_full_journal_refuses)
{
    char small[80], *nine = malloc(9), *exact = aligned_alloc(8, 40);

    assert_non_null(nine);
    assert_non_null(exact);
    for (size_t room = 0; room < 80; room++) {
        memset(small, '-', sizeof(small));
        journal = (struct journal){.bytes = bytes, .size = room, .run_id = RUN_ID};
        memcpy(bytes, small, sizeof(small));
        memcpy(nine, "123456789", 9);
        assert_int_equal(journal_append(&journal, 1, nine, 9), room >= 48);
        assert_int_equal(journal.used, room >= 48 ? 48 : 0);
        assert_int_equal(journal.sequence, room >= 48);
        if (room < 48)
            assert_memory_equal(bytes, small, sizeof(small));
        assert_null(journal_reserve(&journal, 80));
    }
    journal = (struct journal){.bytes = bytes, .size = 48 + 39, .run_id = RUN_ID};
    assert_true(journal_append(&journal, 1, "123456789", 9));
    assert_false(journal_append(&journal, 1, "1", 1));
    journal.size++;
    assert_true(journal_append(&journal, 1, "1", 1));
    journal = (struct journal){.bytes = exact, .size = 40, .run_id = RUN_ID};
    assert_true(journal_append(&journal, 1, "12345678", 8));
    free(nine);
    free(exact);
}

TEST(reserved_room_is_committed_in_place)
{
    char *room;

    memset(bytes, '-', sizeof(bytes));
    journal = (struct journal){.bytes = bytes, .size = sizeof(bytes), .run_id = RUN_ID};
    room = journal_reserve(&journal, 200);
    assert_ptr_equal(room, bytes + 32);
    assert_int_equal(journal.used, 0);
    memcpy(room, RECORDS[0].payload, RECORDS[0].size);
    journal_commit(&journal, RECORDS[0].type, RECORDS[0].size);
    assert_memory_equal(bytes + 32, "first\0\0\0-", 9);
    assert_int_equal(read_all(bytes, sizeof(bytes)), 1);
}
