/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts journals of older versions of this program. */
#include "pmu/journal/renew_layouts.h"

/* The beginning of RUN in every schema. */
struct first {
    uint32_t schema;
    uint32_t number;
    char version[24];
};

struct change {
    bool right;    /* valid in its schema */
    bool as_it_is; /* size and layout stay */
    size_t bytes;  /* of the new payload */
    size_t head;   /* bytes before old samples */
};

static const struct first *first_of(const struct journal_head *head)
{
    return head && head->type == RECORD_RUN && head->payload_bytes >= sizeof(struct first)
               ? journal_payload(head)
               : 0;
}

static uint64_t msr_bytes(const struct result *result)
{
    return ((uint64_t)result->msrs_before + result->msrs_after) * sizeof(struct msr_result);
}

/* A RESULT ends with its samples and MSR results, whose sizes follow from struct result. */
static struct change change_result(const struct journal_head *head, uint32_t schema)
{
    const struct layout *layout = layout_of(RECORD_RESULT, schema);
    const struct result *result = journal_payload(head);
    const uint32_t sample = layout_sample_bytes(schema), more = SAMPLE_BYTES(0) - sample;
    uint64_t behind;

    if (head->payload_bytes < layout->bytes)
        return (struct change){.as_it_is = true};
    behind = (uint64_t)result->samples * result->stride_bytes + msr_bytes(result);
    if (head->payload_bytes < layout->bytes + behind || result->stride_bytes % 8 != 0 ||
        (schema < APPENDING_SCHEMA && head->payload_bytes != layout->bytes + behind) ||
        (result->samples > 0 &&
         (result->stride_bytes < sample || result->stride_bytes + more > sizeof(struct sample))))
        return (struct change){.as_it_is = true};
    return (struct change){
        .right = true,
        .as_it_is =
            schema == RECORD_SCHEMA && head->payload_bytes - behind == sizeof(struct result),
        .head = (size_t)(head->payload_bytes - behind),
        .bytes = (size_t)(sizeof(struct result) + behind + (uint64_t)more * result->samples),
    };
}

/* Since schema 7, a pass has more slots and extras. */
static struct change change_schedule(const struct journal_head *head, uint32_t schema)
{
    const struct schedule *schedule = journal_payload(head);
    const size_t start = SCHEDULE_BYTES(0);
    const bool right = head->payload_bytes >= start && schedule->passes <= PASSES_MAX &&
                       head->payload_bytes >= start + schedule->passes * sizeof(struct old_pass);

    if (schema == RECORD_SCHEMA || !right)
        return (struct change){.right = schema == RECORD_SCHEMA, .as_it_is = true};
    return (struct change){.right = true, .bytes = SCHEDULE_BYTES(schedule->passes)};
}

/*
 * Whether, in schemas before APPENDING_SCHEMA, a record of this type contains a text or a list of
 * any length.
 */
static bool is_list(uint32_t type)
{
    return type == RECORD_PLAN || type == RECORD_EVENTS;
}

static struct change change_of(const struct journal_head *head, uint32_t schema)
{
    const struct layout *layout = layout_of(head->type, schema);
    const bool older = schema < RECORD_SCHEMA;

    if (head->type == RECORD_RESULT)
        return change_result(head, schema);
    if (head->type == RECORD_SCHEDULE)
        return change_schedule(head, schema);
    if (!layout)
        return (struct change){.right = schema >= APPENDING_SCHEMA || is_list(head->type),
                               .as_it_is = !older || head->type != RECORD_EVENTS,
                               .bytes = head->payload_bytes};
    if (schema < APPENDING_SCHEMA && head->payload_bytes != layout->bytes)
        return (struct change){.as_it_is = true};
    return (struct change){.right = head->payload_bytes >= layout->bytes,
                           .as_it_is = !older && (head->payload_bytes < layout->bytes ||
                                                  head->payload_bytes >= layout->today),
                           .bytes = layout->today};
}

static void printable(char to[24], const char from[24])
{
    bool right = from[0] != 0 && from[23] == 0;

    for (unsigned i = 0; right && i < 24 && from[i]; i++)
        right = from[i] > ' ' && from[i] <= '~';
    for (unsigned i = 0; i < 24; i++)
        to[i] = right ? from[i] : (char)(i == 0 ? '?' : 0);
}

static struct note remark(const struct first *first)
{
    struct note note = {.kind = NOTE_REMARK};
    char version[24];

    printable(version, first->version);
    out_put(note.text, sizeof(note.text),
            "rendered from a journal of schema %u, which barecount %s wrote; fields that the "
            "journal lacks are 0, false or empty",
            first->schema, version);
    return note;
}

struct renewal renew_look(const void *journal, size_t journal_bytes)
{
    struct journal_cursor cursor = journal_start(journal, journal_bytes);
    const struct journal_head *head = journal_next(&cursor);
    const struct first *first = first_of(head);
    struct renewal renewal = {.need = RENEW_NO_RUN};

    if (!first)
        return renewal;
    renewal.schema = first->schema;
    printable(renewal.version, first->version);
    renewal.need = first->schema < RENEW_SCHEMA_OLDEST ? RENEW_TOO_OLD
                   : first->schema > RECORD_SCHEMA     ? RENEW_TOO_NEW
                   : first->schema < RECORD_SCHEMA     ? RENEW_ANEW
                                                       : RENEW_NOTHING;
    if (!renew_can(&renewal))
        return renewal;
    if (renewal.need == RENEW_ANEW)
        renewal.bytes = JOURNAL_BYTES(sizeof(struct note));
    for (; head; head = journal_next(&cursor)) {
        struct change change = change_of(head, first->schema);

        if (!change.right && first->schema < RECORD_SCHEMA) {
            renewal.need = RENEW_STRANGE;
            return renewal;
        }
        if (!change.as_it_is)
            renewal.need = RENEW_ANEW;
        renewal.bytes += JOURNAL_BYTES(change.as_it_is ? head->payload_bytes : change.bytes);
    }
    return renewal;
}

static void copy(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[i];
}

/* For the fields that an old sample lacks, zeros are inserted before its counts. */
static void write_result(const char *from, size_t from_bytes, uint32_t schema, size_t head,
                         char *to)
{
    const struct layout *layout = layout_of(RECORD_RESULT, schema);
    const uint32_t sample = layout_sample_bytes(schema), more = SAMPLE_BYTES(0) - sample;
    struct result *result = (struct result *)(void *)to;
    const uint32_t stride = ((const struct result *)(const void *)from)->stride_bytes;
    const char *end = from + from_bytes;

    layout_take(layout, from, head, to);
    if (layout->bytes <= offsetof(struct result, partner)) {
        result->partner = CPU_NONE;
        result->node = NODE_UNKNOWN;
    }
    from += head;
    to += sizeof(*result);
    for (uint32_t i = 0; i < result->samples; i++) {
        copy(to, from, sample);
        for (uint32_t k = 0; k < more; k++)
            to[sample + k] = 0;
        copy(to + sample + more, from + sample, stride - sample);
        from += stride;
        to += stride + more;
    }
    copy(to, from, (size_t)(end - from));
    if (result->samples > 0)
        result->stride_bytes = stride + more;
}

static void write_schedule(const char *from, char *to)
{
    const struct schedule *old = (const struct schedule *)(const void *)from;
    const struct old_pass *pass = (const struct old_pass *)(const void *)old->pass;
    struct schedule *schedule = (struct schedule *)(void *)to;

    schedule->events = old->events;
    schedule->passes = old->passes;
    for (uint32_t p = 0; p < old->passes; p++) {
        struct pass *made = &schedule->pass[p];

        for (size_t i = 0; i < sizeof(*made); i++)
            ((char *)made)[i] = 0;
        made->slots = pass[p].slots;
        made->extras = pass[p].extras;
        copy((char *)made->slot, (const char *)pass[p].slot, sizeof(pass[p].slot));
        copy((char *)made->extra, (const char *)pass[p].extra, sizeof(pass[p].extra));
    }
}

static bool write_record(const struct journal_head *head, uint32_t schema, struct journal *to)
{
    const struct change change = change_of(head, schema);
    const size_t bytes = change.as_it_is ? head->payload_bytes : change.bytes;
    const char *from = journal_payload(head);
    const struct layout *layout = layout_of(head->type, schema);
    char *payload = journal_reserve(to, bytes);

    if (!payload)
        return false;
    if (head->type == RECORD_SCHEDULE && !change.as_it_is)
        write_schedule(from, payload);
    else if (change.as_it_is || !layout)
        copy(payload, from, bytes);
    else if (head->type == RECORD_RESULT)
        write_result(from, head->payload_bytes, schema, change.head, payload);
    else
        layout_take(layout, from, head->payload_bytes, payload);
    if (schema < RECORD_SCHEMA)
        layout_statuses(head->type, schema, payload, bytes);
    if (head->type == RECORD_RUN && !change.as_it_is)
        ((struct run_record *)(void *)payload)->schema = RECORD_SCHEMA;
    journal_commit(to, head->type, bytes);
    return true;
}

bool renew_write(const void *journal, size_t journal_bytes, struct journal *to)
{
    struct journal_cursor cursor = journal_start(journal, journal_bytes);
    const struct journal_head *head = journal_next(&cursor);
    const struct first *first = first_of(head);
    bool fits = first != 0;

    if (first)
        to->run_id = head->run_id;
    for (bool is_first = true; fits && head; head = journal_next(&cursor), is_first = false) {
        fits = write_record(head, first->schema, to);
        if (fits && is_first && first->schema < RECORD_SCHEMA) {
            struct note note = remark(first);

            fits = journal_append(to, RECORD_NOTE, &note, sizeof(note));
        }
    }
    return fits;
}

void renew_why(const struct renewal *renewal, struct out *out)
{
    switch (renewal->need) {
    case RENEW_NO_RUN:
        out_text(out, "its first record is missing or damaged");
        break;
    case RENEW_TOO_OLD:
    case RENEW_TOO_NEW:
        out_printf(out,
                   "barecount %s wrote it, in schema %u; this version reads %u to %u. Use that "
                   "version's scripts/recover",
                   renewal->version, renewal->schema, RENEW_SCHEMA_OLDEST, RECORD_SCHEMA);
        break;
    case RENEW_STRANGE:
        out_printf(out, "its records do not match schema %u, which its first record names",
                   renewal->schema);
        break;
    default:
        break;
    }
}
