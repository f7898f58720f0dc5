/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads remembered trust maps. */
#include "pmu/base/text.h"
#include "pmu/counters/check.h"
#include "pmu/files/render_parts.h"
#include "pmu/files/trusted.h"

struct fields {
    uint64_t cpu;
    struct piece core_type;
    struct piece rest; /* from the ring on */
};

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

/* False if the line is not one of a CPU. */
static bool take_fields(struct piece line, struct fields *fields)
{
    struct piece cpu = piece_cut(line, ',', &line);

    fields->core_type = piece_cut(line, ',', &fields->rest);
    return piece_number(cpu, &fields->cpu) && fields->rest.size > 0;
}

static bool is_whole(struct piece text)
{
    static const char END[] = "\n" TRUSTED_END "\n";
    const size_t size = sizeof(END) - 1;
    struct piece rest;

    return piece_is(piece_cut(text, '\n', &rest), TRUSTED_FORMAT) && text.size >= size &&
           piece_is((struct piece){text.at + text.size - size, size}, END);
}

bool trusted_open(struct piece text, uint32_t cpu, const char *core_type, uint64_t *from)
{
    *from = TRUSTED_ANY_CPU;
    if (!is_whole(text))
        return false;
    while (text.size > 0 && *from != cpu) {
        struct fields fields;

        if (take_fields(piece_cut(text, '\n', &text), &fields) &&
            piece_is(fields.core_type, core_type) &&
            (fields.cpu == cpu || *from == TRUSTED_ANY_CPU))
            *from = fields.cpu;
    }
    return true;
}

bool trusted_find(struct piece text, uint64_t cpu, const struct event *event,
                  const struct slot *slot, struct trusted *found)
{
    char key[EVENT_NAME_BYTES];
    struct out out = out_buffer(key, sizeof(key));

    trusted_key(event, slot, &out);
    out_end(&out);
    while (text.size > 0) {
        struct fields fields;
        struct piece rest, judged;

        found->line = piece_cut(text, '\n', &text);
        if (!take_fields(found->line, &fields) || fields.rest.size <= out.used ||
            (cpu != TRUSTED_ANY_CPU && fields.cpu != cpu) ||
            !piece_is((struct piece){fields.rest.at, out.used}, key))
            continue;
        rest = (struct piece){fields.rest.at + out.used, fields.rest.size - out.used};
        found->cpu = fields.cpu;
        found->run = piece_cut(rest, ',', &rest);
        judged = piece_cut(rest, ',', &found->kind);
        found->is_wrong = piece_is(judged, "wrong");
        return found->kind.size > 0;
    }
    return false;
}
