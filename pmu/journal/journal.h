/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journal: a sequence of checksummed records, written during the run. Complete records can be
 * read even if garbage follows them. A record is a 32-byte head, its payload, and zeros up to a
 * multiple of 8 bytes.
 */
#ifndef BARECOUNT_PMU_JOURNAL_JOURNAL_H
#define BARECOUNT_PMU_JOURNAL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_MAGIC 0x314a4342u /* "BCJ1" */

struct journal_head {
    uint32_t magic;
    uint32_t type; /* enum record_type */
    uint64_t run_id;
    uint32_t sequence; /* from 0 */
    uint32_t payload_bytes;
    uint32_t payload_crc;
    uint32_t head_crc; /* of the fields above */
};
_Static_assert(sizeof(struct journal_head) == 32, "on the stick");

#define JOURNAL_BYTES(payload) (sizeof(struct journal_head) + (((payload) + 7ull) & ~7ull))

/* `bytes` is 8-byte aligned and is filled from the start. */
struct journal {
    char *bytes;
    size_t size;
    size_t used;
    uint64_t run_id;
    uint32_t sequence;
};

/* Returns room for the next record's payload; null if the payload does not fit. */
void *journal_reserve(struct journal *journal, size_t payload_bytes);

/* Completes the record whose payload is at the address from journal_reserve(). */
void journal_commit(struct journal *journal, uint32_t type, size_t payload_bytes);

/* Appends a record with a copy of the payload; false if there is no room. */
bool journal_append(struct journal *journal, uint32_t type, const void *payload,
                    size_t payload_bytes);

/* Updates the checksums of a record that was modified in memory. */
void journal_seal(struct journal_head *head);

struct journal_cursor {
    const char *bytes;
    size_t size;
    size_t at;
    uint64_t run_id;
    uint32_t sequence;
    bool is_checked; /* journal_next() need not compare the checksums again */
};

struct journal_cursor journal_start(const void *bytes, size_t size);

/* The next valid record; null at the end of the valid part. */
const struct journal_head *journal_next(struct journal_cursor *cursor);

static inline const void *journal_payload(const struct journal_head *head)
{
    return head + 1;
}

#endif
