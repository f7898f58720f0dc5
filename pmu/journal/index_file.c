/* SPDX-License-Identifier: BSD-2-Clause */
/* index.csv as it stands, and one line more. */
#include "pmu/journal/index_file.h"

/* Whether what follows the known columns is a comma and names, up to the line's end. */
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

struct index_file index_look(const char *start, size_t start_bytes, char last)
{
    static const char KNOWN[] = INDEX_HEADER;
    const size_t known = sizeof(KNOWN) - sizeof("\r\n");
    struct index_file index = {.is_new = start_bytes == 0};
    size_t same = 0;

    if (index.is_new)
        return index;
    while (same < known && same < start_bytes && start[same] == KNOWN[same])
        same++;
    index.is_cut = last != '\n';
    index.is_other =
        same < known || !has_further(start + known, start + start_bytes, &index.further);
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
