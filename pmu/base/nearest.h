/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words that are most like one that nobody knows: few letters differ, or it stands within them.
 *
 *   struct nearest best = nearest_to(wanted);
 *   nearest_consider(&best, piece_of("each")); of the words that are known
 *   nearest_say(&best, out);
 */
#ifndef BARECOUNT_PMU_BASE_NEAREST_H
#define BARECOUNT_PMU_BASE_NEAREST_H

#include "pmu/base/piece.h"

#define NEAREST_MAX       3u
#define NEAREST_NAME_SIZE 96u /* as large as EVENT_NAME_BYTES; longer ones are like no other */

/* The best so far, nearest first; of those that are as near, the first one considered. */
struct nearest {
    struct piece wanted;
    unsigned count;
    unsigned distance[NEAREST_MAX];
    struct piece name[NEAREST_MAX];
};

struct nearest nearest_to(struct piece wanted);

/* The name stays where it is until nearest_say(). Case does not matter, nor ':' for '.'. */
void nearest_consider(struct nearest *best, struct piece name);

/* "; nearest: a, b", or nothing when no name is alike. */
void nearest_say(const struct nearest *best, struct out *out);

/* The same for a list of words that ends with a null. */
void nearest_say_word(struct piece wanted, const char *const *words, struct out *out);

#endif
