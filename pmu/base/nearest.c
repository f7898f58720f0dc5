/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that are like one that is not known. */
#include "pmu/base/nearest.h"

#define DISTANCE_MAX    6u /* of names that are still alike */
#define WITHIN_DISTANCE 3u /* what a name counts as in which the wanted one stands */
#define WITHIN_SIZE_MIN 3u
#define NAME_BYTES      96u /* longer names are like none */

static bool letters_same(char a, char b)
{
    return piece_same_name((struct piece){&a, 1}, (struct piece){&b, 1});
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many letters must be put in, left out or changed (Levenshtein); any number above `limit`. */
static unsigned distance(struct piece a, struct piece b, unsigned limit)
{
    uint8_t row[NAME_BYTES]; /* to the first j letters of b */
    size_t difference = a.size < b.size ? b.size - a.size : a.size - b.size;

    if (difference > limit || b.size >= NAME_BYTES || a.size >= NAME_BYTES)
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
        if (piece_same_name(part, (struct piece){whole.at + i, part.size}))
            return true;
    return false;
}

void nearest_consider(struct nearest *best, struct piece name)
{
    const struct piece wanted = best->wanted;
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
        if (piece_same_name(best->name[i], name))
            return;
    while (at > 0 && best->distance[at - 1] > found)
        at--;
    if (at == NEAREST_MAX)
        return;
    best->count = least(best->count + 1, NEAREST_MAX);
    for (unsigned i = best->count - 1; i > at; i--) {
        best->distance[i] = best->distance[i - 1];
        best->name[i] = best->name[i - 1];
    }
    best->distance[at] = found;
    best->name[at] = name;
}

void nearest_say(const struct nearest *best, struct out *out)
{
    for (unsigned i = 0; i < best->count; i++) {
        out_text(out, i == 0 ? "; nearest: " : ", ");
        piece_put(best->name[i], out);
    }
}
