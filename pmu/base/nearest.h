/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds known words that are similar to an unknown word: they differ in a few letters, or contain
 * the unknown word (of at least three letters).
 */
#ifndef BARECOUNT_PMU_BASE_NEAREST_H
#define BARECOUNT_PMU_BASE_NEAREST_H

#include "pmu/base/piece.h"

#define NEAREST_MAX       3u
#define NEAREST_NAME_SIZE 96u /* longer names are similar only if they contain the word */

/* The nearest names so far, nearest first. Equally near names are in the order of the calls. */
struct nearest {
    struct piece wanted;
    unsigned count;
    unsigned distance[NEAREST_MAX];
    struct piece name[NEAREST_MAX];
};

struct nearest nearest_to(struct piece wanted);

/* `name` must stay valid until nearest_say(). Ignores case, and treats ':' as '.'. */
void nearest_consider(struct nearest *best, struct piece name);

/* Writes "; nearest: a, b", or nothing if no name is similar. */
void nearest_say(const struct nearest *best, struct out *out);

/*
 * Calls nearest_to(), nearest_consider() for each word of a null-terminated list, and
 * nearest_say().
 */
void nearest_say_word(struct piece wanted, const char *const *words, struct out *out);

#endif
