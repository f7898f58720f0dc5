/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/events/find.h"
#include "pmu/uncore/names.h"

#define DISTANCE_MAX    6u /* of names that are still alike */
#define WITHIN_DISTANCE 3u /* what a name counts as in which the wanted one stands */
#define WITHIN_SIZE_MIN 3u

/* The best so far, nearest first. */
struct best {
    unsigned count;
    unsigned distance[EVENT_NEAREST_MAX];
    struct piece *name;
};

static bool letters_same(char a, char b)
{
    return event_name_same((struct piece){&a, 1}, (struct piece){&b, 1});
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many letters must be put in, left out or changed (Levenshtein); any number above `limit`. */
static unsigned distance(struct piece a, struct piece b, unsigned limit)
{
    uint8_t row[EVENT_NAME_BYTES]; /* to the first j letters of b */
    size_t difference = a.size < b.size ? b.size - a.size : a.size - b.size;

    if (difference > limit || b.size >= EVENT_NAME_BYTES || a.size >= EVENT_NAME_BYTES)
        return limit + 1;
    for (size_t j = 0; j <= b.size; j++)
        row[j] = (uint8_t)j;
    for (size_t i = 0; i < a.size; i++) {
        unsigned diagonal = row[0];
        unsigned smallest = ++row[0];

        for (size_t j = 0; j < b.size; j++) {
            unsigned changed = diagonal + !letters_same(a.at[i], b.at[j]);

            diagonal = row[j + 1];
            row[j + 1] = (uint8_t)least(changed, 1 + least(diagonal, row[j]));
            smallest = least(smallest, row[j + 1]);
        }
        if (smallest > limit)
            return limit + 1;
    }
    return row[b.size];
}

static bool stands_within(struct piece part, struct piece whole)
{
    for (size_t i = 0; part.size >= WITHIN_SIZE_MIN && i + part.size <= whole.size; i++)
        if (event_name_same(part, (struct piece){whole.at + i, part.size}))
            return true;
    return false;
}

static void consider(struct best *best, struct piece wanted, struct piece name)
{
    unsigned limit = least(DISTANCE_MAX, 1 + (unsigned)(wanted.size / 3));
    unsigned found = distance(wanted, name, limit);
    unsigned at = best->count;

    if (found > WITHIN_DISTANCE || found > limit) {
        if (stands_within(wanted, name))
            found = WITHIN_DISTANCE;
        else if (found > limit)
            return;
    }
    for (unsigned i = 0; i < best->count; i++)
        if (event_name_same(best->name[i], name))
            return;
    while (at > 0 && best->distance[at - 1] > found)
        at--;
    if (at == EVENT_NEAREST_MAX)
        return;
    best->count = least(best->count + 1, EVENT_NEAREST_MAX);
    for (unsigned i = best->count - 1; i > at; i--) {
        best->distance[i] = best->distance[i - 1];
        best->name[i] = best->name[i - 1];
    }
    best->distance[at] = found;
    best->name[at] = name;
}

unsigned event_nearest(const struct event_tables *tables, const struct event *builtin,
                       size_t builtins, struct piece name, struct piece nearest[EVENT_NEAREST_MAX])
{
    struct best best = {.name = nearest};

    for (size_t i = 0; i < tables->count; i++)
        consider(&best, name, tables->entry[i].name);
    for (size_t i = 0; i < builtins; i++)
        consider(&best, name, piece_of(builtin[i].name));
    for (unsigned i = 0; i < UNCORE_READIES; i++)
        consider(&best, name, piece_of(uncore_ready_name(i)));
    return best.count;
}

void event_say_nearest(const struct event_tables *tables, const struct event *builtin,
                       size_t builtins, struct piece name, struct out *out)
{
    struct piece nearest[EVENT_NEAREST_MAX];
    unsigned count = event_nearest(tables, builtin, builtins, name, nearest);

    for (unsigned i = 0; i < count; i++) {
        out_text(out, i == 0 ? "; nearest: " : ", ");
        piece_put(nearest[i], out);
    }
}
