/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads remembered trust maps. */
#include "pmu/base/bytes.h"
#include "pmu/counters/check.h"
#include "pmu/files/render_parts.h"
#include "pmu/files/trusted.h"

#define KEY_BYTES 120u
#define END_BYTES 13u /* "end ", eight digits and a newline */

void trusted_name(uint32_t signature, uint32_t microcode, struct out *out)
{
    out_printf(out, "trust-%08x-%08x.txt", signature, microcode);
}

void trusted_key(const struct event *event, const struct slot *slot, struct out *out)
{
    out_printf(out, "%s,", render_rings(event->rings));
    render_encoding(event, out);
    out_char(out, ',');
    counter_name(slot->where == SLOT_FIXED, slot->counter, out);
    out_char(out, ',');
}

void trusted_end(uint32_t crc, struct out *out)
{
    out_printf(out, "end %08x\n", crc);
}

/* False if the line is not one of a CPU. */
static bool take_fields(struct piece line, uint64_t *cpu, struct piece *core_type,
                        struct piece *rest)
{
    struct piece first = piece_cut(line, ',', &line);

    *core_type = piece_cut(line, ',', rest);
    return piece_number(first, cpu) && rest->size > 0;
}

static bool is_whole(struct piece text)
{
    char end[END_BYTES + 1];
    struct out out = out_buffer(end, sizeof(end));
    struct piece rest;

    if (text.size < END_BYTES || !piece_is(piece_cut(text, '\n', &rest), TRUSTED_FORMAT))
        return false;
    trusted_end(crc32_ieee(0, text.at, text.size - END_BYTES), &out);
    return piece_is((struct piece){text.at + text.size - END_BYTES, END_BYTES}, out_end(&out));
}

/* The lines of a CPU are consecutive. */
bool trusted_open(struct piece text, uint32_t cpu, const char *core_type, struct piece *lines)
{
    uint64_t from = UINT64_MAX;

    *lines = (struct piece){.size = 0};
    if (!is_whole(text))
        return false;
    while (text.size > 0) {
        struct piece line = piece_cut(text, '\n', &text), type, rest;
        uint64_t of;

        if (!take_fields(line, &of, &type, &rest) || !piece_is(type, core_type) ||
            (of != from && of != cpu && from != UINT64_MAX))
            continue;
        if (of != from)
            *lines = line;
        from = of;
        lines->size = (size_t)(line.at + line.size - lines->at);
    }
    return true;
}

bool trusted_find(struct piece lines, const struct event *event, const struct slot *slot,
                  struct trusted *found)
{
    char key[KEY_BYTES];
    struct out out = out_buffer(key, sizeof(key));

    trusted_key(event, slot, &out);
    out_end(&out);
    while (lines.size > 0) {
        struct piece type, judged;

        found->line = piece_cut(lines, '\n', &lines);
        if (!take_fields(found->line, &found->cpu, &type, &found->rest) ||
            found->rest.size <= out.used ||
            !piece_is((struct piece){found->rest.at, out.used}, key))
            continue;
        judged = (struct piece){found->rest.at + out.used, found->rest.size - out.used};
        found->run = piece_cut(judged, ',', &judged);
        found->is_wrong = piece_is(piece_cut(judged, ',', &found->kind), "wrong");
        return found->kind.size > 0;
    }
    return false;
}
