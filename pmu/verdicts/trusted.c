/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads remembered trust maps. */
#include "pmu/base/text.h"
#include "pmu/verdicts/trusted.h"

#define CPU_NOT_FOUND UINT64_MAX

struct line {
    uint64_t cpu;
    struct piece core_type;
    struct piece rest; /* from the encoding to the kind */
};

/* Takes a line off *text; false if it is not the line of a CPU. */
static bool take_line(struct piece *text, struct line *line)
{
    struct piece one = piece_cut(*text, '\n', text);
    struct piece cpu = piece_cut(one, ',', &one);

    line->core_type = piece_cut(one, ',', &line->rest);
    return piece_number(cpu, &line->cpu) && line->rest.size > 0;
}

void trusted_name(uint32_t signature, uint32_t microcode, struct out *out)
{
    out_printf(out, "trust-%08x-%08x.txt", signature, microcode);
}

static uint64_t find_cpu(struct piece text, uint32_t cpu, const char *core_type)
{
    uint64_t found = CPU_NOT_FOUND;

    while (text.size > 0) {
        struct line line;

        if (!take_line(&text, &line) || !piece_is(line.core_type, core_type))
            continue;
        if (line.cpu == cpu)
            return cpu;
        if (found == CPU_NOT_FOUND)
            found = line.cpu;
    }
    return found;
}

bool trusted_copy(const char *text, size_t size, uint32_t cpu, const char *core_type,
                  struct out *out)
{
    struct piece rest = {.at = text, .size = size};
    uint64_t from;

    if (!piece_is(piece_cut(rest, '\n', &rest), TRUSTED_FORMAT))
        return false;
    from = find_cpu(rest, cpu, core_type);
    while (rest.size > 0) {
        struct line line;

        if (!take_line(&rest, &line) || line.cpu != from)
            continue;
        piece_put(line.rest, out);
        out_char(out, '\n');
    }
    return true;
}

bool trusted_find(const char *lines, const char *encoding, const char *counter,
                  struct trusted *line)
{
    struct piece text = piece_of(lines);

    while (text.size > 0) {
        struct piece one = piece_cut(text, '\n', &text);

        line->encoding = piece_cut(one, ',', &one);
        line->counter = piece_cut(one, ',', &one);
        line->run = piece_cut(one, ',', &line->kind);
        if (piece_is(line->encoding, encoding) && piece_is(line->counter, counter))
            return line->kind.size > 0;
    }
    return false;
}
