/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines index.csv, and writes the text before and after an appended line. */
#include "pmu/journal/index_file.h"

/* Whether only commas and column names follow the known columns. */
static bool has_further(const char *at, const char *end, unsigned *columns)
{
    for (*columns = 0; at < end && *at == ','; (*columns)++) {
        const char *name = ++at;

        while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || *at == '_'))
            at++;
        if (at == name)
            return false;
    }
    return at < end && (*at == '\n' || (*at == '\r' && at + 1 < end && at[1] == '\n'));
}

/* *names is the length in bytes of the known columns. */
static unsigned known_columns(const char *start, size_t start_bytes, size_t *names)
{
    static const char KNOWN[] = INDEX_HEADER;
    unsigned columns = 0;

    *names = 0;
    for (size_t i = 0; i < start_bytes && KNOWN[i]; i++) {
        bool ends = KNOWN[i] == ',' || KNOWN[i] == '\r';

        if (ends && (start[i] == ',' || start[i] == '\r' || start[i] == '\n')) {
            columns++;
            *names = i;
        }
        if (start[i] != KNOWN[i])
            break;
    }
    return columns;
}

struct index_file index_look(const char *start, size_t start_bytes, char last)
{
    struct index_file index = {.is_new = start_bytes == 0, .columns = INDEX_COLUMNS};
    size_t names;

    if (index.is_new)
        return index;
    index.columns = known_columns(start, start_bytes, &names);
    index.is_cut = last != '\n';
    index.is_other = index.columns < INDEX_COLUMNS_OLDEST ||
                     !has_further(start + names, start + start_bytes, &index.further);
    return index;
}

void index_before(const struct index_file *index, struct out *out)
{
    if (index->is_new)
        out_text(out, INDEX_HEADER);
    else if (index->is_cut)
        out_text(out, "\r\n");
}

void index_end(const struct index_file *index, struct out *out)
{
    for (unsigned i = 0; i < index->further; i++)
        out_char(out, ',');
    out_text(out, "\r\n");
}
