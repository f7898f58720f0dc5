/* SPDX-License-Identifier: BSD-2-Clause */
/* Appends and reads checksummed records. */
#include "pmu/base/bytes.h"
#include "pmu/journal/journal.h"

#define HEAD_CRC_BYTES offsetof(struct journal_head, head_crc)

void *journal_reserve(struct journal *journal, size_t payload_bytes)
{
    if (JOURNAL_BYTES(payload_bytes) > journal->size - journal->used)
        return 0;
    return journal->bytes + journal->used + sizeof(struct journal_head);
}

void journal_seal(struct journal_head *head)
{
    head->payload_crc = crc32_ieee(0, head + 1, head->payload_bytes);
    head->head_crc = crc32_ieee(0, head, HEAD_CRC_BYTES);
}

void journal_commit(struct journal *journal, uint32_t type, size_t payload_bytes)
{
    struct journal_head *head = (struct journal_head *)(journal->bytes + journal->used);
    char *payload = (char *)(head + 1);

    for (size_t i = payload_bytes; i % 8 != 0; i++)
        payload[i] = 0;
    *head = (struct journal_head){
        .magic = JOURNAL_MAGIC,
        .type = type,
        .run_id = journal->run_id,
        .sequence = journal->sequence++,
        .payload_bytes = (uint32_t)payload_bytes,
    };
    journal_seal(head);
    journal->used += JOURNAL_BYTES(payload_bytes);
}

bool journal_append(struct journal *journal, uint32_t type, const void *payload,
                    size_t payload_bytes)
{
    char *to = journal_reserve(journal, payload_bytes);
    const char *from = payload;

    if (!to)
        return false;
    for (size_t i = 0; i < payload_bytes; i++)
        to[i] = from[i];
    journal_commit(journal, type, payload_bytes);
    return true;
}

struct journal_cursor journal_start(const void *bytes, size_t size)
{
    return (struct journal_cursor){.bytes = bytes, .size = size};
}

const struct journal_head *journal_next(struct journal_cursor *cursor)
{
    const struct journal_head *head = (const struct journal_head *)(cursor->bytes + cursor->at);
    size_t left = cursor->size - cursor->at;

    if (left < sizeof(*head) || head->magic != JOURNAL_MAGIC ||
        (!cursor->is_checked && head->head_crc != crc32_ieee(0, head, HEAD_CRC_BYTES)))
        return 0;
    if (cursor->sequence > 0 && head->run_id != cursor->run_id)
        return 0;
    if (head->sequence != cursor->sequence || JOURNAL_BYTES(head->payload_bytes) > left ||
        (!cursor->is_checked && head->payload_crc != crc32_ieee(0, head + 1, head->payload_bytes)))
        return 0;
    cursor->run_id = head->run_id;
    cursor->sequence++;
    cursor->at += JOURNAL_BYTES(head->payload_bytes);
    return head;
}
