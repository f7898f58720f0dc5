/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journal: checksummed records one after the other, written as the run goes on. What has been
 * written whole can be read whatever comes after it: zeros, an older file's remains, or garbage.
 *
 * A record: 32 bytes of head, its payload, zeros up to a multiple of 8.
 */
#ifndef BARECOUNT_PMU_JOURNAL_JOURNAL_H
#define BARECOUNT_PMU_JOURNAL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_MAGIC 0x314a4342u /* "BCJ1" */

struct journal_head {
    uint32_t magic;
    uint32_t type;     /* enum record_type */
    uint64_t run_id;   /* the same in all records of a run, different in another's */
    uint32_t sequence; /* from 0 */
    uint32_t payload_bytes;
    uint32_t payload_crc;
    uint32_t head_crc; /* of the fields above */
};
_Static_assert(sizeof(struct journal_head) == 32, "on the stick");

/* Bytes that a payload takes in the journal. */
#define JOURNAL_BYTES(payload) (sizeof(struct journal_head) + (((payload) + 7ull) & ~7ull))

/* A journal in memory, 8-byte aligned, written from its start. */
struct journal {
    char *bytes;
    size_t size;
    size_t used;
    uint64_t run_id;
    uint32_t sequence;
};

/* Where the next record's payload goes; null when `payload_bytes` do not fit any more. */
void *journal_reserve(struct journal *journal, size_t payload_bytes);

/* Completes the record whose payload was put where journal_reserve() said. */
void journal_commit(struct journal *journal, uint32_t type, size_t payload_bytes);

/* Both at once, with the payload copied. False when it does not fit. */
bool journal_append(struct journal *journal, uint32_t type, const void *payload,
                    size_t payload_bytes);

/* Makes a record whole again whose payload was changed where it stands, in memory. */
void journal_seal(struct journal_head *head);

/* Reading, from the first record on. */
struct journal_cursor {
    const char *bytes;
    size_t size;
    size_t at;
    uint64_t run_id;
    uint32_t sequence;
};

struct journal_cursor journal_start(const void *bytes, size_t size);

/* The next whole record, or null at the end of what can be trusted. */
const struct journal_head *journal_next(struct journal_cursor *cursor);

static inline const void *journal_payload(const struct journal_head *head)
{
    return head + 1;
}

#endif
