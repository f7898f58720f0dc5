/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the known words most similar to an unknown word. A known word is similar if it contains the
 * unknown word (of at least three letters), or if the two differ in only a few letters.
 *
 *   struct nearest best = nearest_to(wanted);
 *   nearest_consider(&best, piece_of(known)); once for each known word
 *   nearest_say(&best, out);
 */
#ifndef BARECOUNT_PMU_BASE_NEAREST_H
#define BARECOUNT_PMU_BASE_NEAREST_H

#include "pmu/base/piece.h"

#define NEAREST_MAX       3u
#define NEAREST_NAME_SIZE 96u /* names of this size or more must contain the word to be similar */

/* The best candidates so far, nearest first. Equally near names stay in the order of the calls. */
struct nearest {
    struct piece wanted;
    unsigned count;
    unsigned distance[NEAREST_MAX];
    struct piece name[NEAREST_MAX];
};

struct nearest nearest_to(struct piece wanted);

/* `name` must stay valid until nearest_say() returns. Ignores case, and treats ':' as '.'. */
void nearest_consider(struct nearest *best, struct piece name);

/* Writes "; nearest: a, b", or nothing if no name is similar. */
void nearest_say(const struct nearest *best, struct out *out);

/* Calls nearest_to(), nearest_consider() and nearest_say() for a null-terminated list of words. */
void nearest_say_word(struct piece wanted, const char *const *words, struct out *out);

#endif
