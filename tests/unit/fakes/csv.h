/* SPDX-License-Identifier: BSD-2-Clause */
/* A strict CSV reader (RFC 4180), independent of the writer that it checks. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_CSV_H
#define BARECOUNT_TESTS_UNIT_FAKES_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define CSV_FIELDS_MAX 64u
#define CSV_FIELD_MAX  512u

struct csv_record {
    unsigned fields;
    char field[CSV_FIELDS_MAX][CSV_FIELD_MAX];
};

/* Returns the field's end, or null if the field is invalid. */
static inline const char *csv_field(const char *at, const char *end, char to[CSV_FIELD_MAX])
{
    bool quoted = at < end && *at == '"';
    size_t used = 0;

    at += quoted;
    for (; at < end; at++) {
        if (quoted && *at == '"') {
            if (at + 1 >= end || at[1] != '"') {
                to[used] = 0;
                return at + 1;
            }
            at++;
        } else if (!quoted && (*at == ',' || *at == '\r')) {
            break;
        } else if (!quoted && (*at == '"' || *at == '\n')) {
            return NULL;
        }
        if (used + 1 >= CSV_FIELD_MAX)
            return NULL;
        to[used++] = *at;
    }
    to[used] = 0;
    return quoted ? NULL : at;
}

/* Returns false at the end, and for invalid text. Invalid text also sets *right to false. */
static inline bool csv_next(const char **at, const char *end, struct csv_record *record,
                            bool *right)
{
    if (*at == end)
        return false;
    for (record->fields = 0; record->fields < CSV_FIELDS_MAX;) {
        const char *next = csv_field(*at, end, record->field[record->fields]);

        record->fields++;
        if (!next)
            break;
        *at = next;
        if (end - next >= 2 && next[0] == '\r' && next[1] == '\n') {
            *at += 2;
            return true;
        }
        if (end - next < 1 || next[0] != ',')
            break;
        *at += 1;
    }
    *right = false;
    return false;
}

/* Null: the header has no such column. */
static inline const char *csv_value(const struct csv_record *header,
                                    const struct csv_record *record, const char *column)
{
    for (unsigned i = 0; i < header->fields; i++)
        if (strcmp(header->field[i], column) == 0)
            return record->field[i];
    return NULL;
}

#endif
