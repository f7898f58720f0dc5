/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds similar words. */
#include "pmu/base/nearest.h"

#define DISTANCE_MAX    6u
#define WITHIN_DISTANCE 3u /* upper limit of a name's distance if it contains the wanted name */
#define WITHIN_SIZE_MIN 3u

static bool is_letter(struct piece a, size_t i, struct piece b, size_t j)
{
    return piece_name_letter(a.at[i]) == piece_name_letter(b.at[j]);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * The Damerau-Levenshtein distance (optimal string alignment). Returns a number above `limit` if
 * the distance exceeds `limit` or a name is too long for `rows`.
 */
static unsigned distance(struct piece a, struct piece b, unsigned limit)
{
    /* rows[i % 3][j]: distance between the first i letters of a and the first j of b */
    uint8_t rows[3][NEAREST_NAME_SIZE];
    size_t difference = a.size < b.size ? b.size - a.size : a.size - b.size;

    if (difference > limit || b.size >= NEAREST_NAME_SIZE || a.size >= NEAREST_NAME_SIZE)
        return limit + 1;
    for (size_t j = 0; j <= b.size; j++)
        rows[0][j] = (uint8_t)j;
    for (size_t i = 1; i <= a.size; i++) {
        const uint8_t *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        uint8_t *row = rows[i % 3];
        unsigned smallest = row[0] = (uint8_t)i;

        for (size_t j = 1; j <= b.size; j++) {
            unsigned found = before[j - 1] + !is_letter(a, i - 1, b, j - 1);

            found = least(found, 1 + least(before[j], row[j - 1]));
            if (i > 1 && j > 1 && is_letter(a, i - 1, b, j - 2) && is_letter(a, i - 2, b, j - 1))
                found = least(found, earlier[j - 2] + 1u);
            row[j] = (uint8_t)found;
            smallest = least(smallest, found);
        }
        if (smallest > limit)
            return limit + 1;
    }
    return rows[a.size % 3][b.size];
}

/* Short words have a lower limit: "no" is not close to "on". */
static unsigned limit_of(size_t size)
{
    if (size < 4)
        return size == 3;
    return size < 9 ? 2 : least(DISTANCE_MAX, (unsigned)size / 3);
}

static bool stands_within(struct piece part, struct piece whole)
{
    for (size_t i = 0; part.size >= WITHIN_SIZE_MIN && i + part.size <= whole.size; i++)
        if (piece_same_name(part, (struct piece){whole.at + i, part.size}))
            return true;
    return false;
}

struct nearest nearest_to(struct piece wanted)
{
    return (struct nearest){.wanted = wanted};
}

void nearest_consider(struct nearest *best, struct piece name)
{
    const struct piece wanted = best->wanted;
    const unsigned limit = limit_of(wanted.size);
    unsigned found = distance(wanted, name, limit), at = best->count;

    if (2 * found > name.size)
        found = limit + 1;
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

void nearest_say_word(struct piece wanted, const char *const *words, struct out *out)
{
    struct nearest best = nearest_to(wanted);

    for (; *words; words++)
        nearest_consider(&best, piece_of(*words));
    nearest_say(&best, out);
}
