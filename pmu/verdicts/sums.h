/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums that must hold: counts of a kernel on a CPU held against each other, so that an event that
 * lies, a wrong encoding or a wrong table is seen. They change no verdict. There are three kinds:
 * events by the names that tables have for them, all in the same ring; an event in ring 0 and in
 * ring 3, against both; and bytes of the memory, against what the kernel moves (KNOWN_READS and its
 * like).
 *
 * Medians are added. The sum agrees when it is no further from the total than the tolerance: what
 * the accepted samples of each of them lie apart, what the counts of the empty window do, and 2
 * counts, or of time and bytes the resolution of the total (1 %: pmu/base/stats.h).
 * Bytes may also be off by what caches may keep of the buffer (as large a part of them as the
 * caches are of the buffer), and by what the package does anyway: what the empty window counted on
 * average above its least, for as long as the kernel took.
 *
 * A sum is not computed where a row of it is not exact, within or measured; in a kernel that waits
 * for another CPU, which counts otherwise in each pass; where its total counts another ring than
 * the kernel's; and of bytes in a kernel that is cold, or where the caches' size is not known.
 */
#ifndef BARECOUNT_PMU_VERDICTS_SUMS_H
#define BARECOUNT_PMU_VERDICTS_SUMS_H

#include "pmu/verdicts/rows.h"

#define SUM_PARTS_MAX 8u
#define SUMS_MAX      64u /* of a CPU, or a run; further ones are left out */

#define SUM_MOVED 0xffffu /* for a total: what the kernel moves */

/* Room for what sum_words() puts. */
#define SUM_WORDS_BYTES (16u + (SUM_PARTS_MAX + 1u) * (EVENT_NAME_BYTES + 3u))

struct sum {
    const struct event *event;    /* the first of its CPU's, in the journal */
    uint16_t part[SUM_PARTS_MAX]; /* numbers of them */
    uint16_t total;               /* or SUM_MOVED */
    uint8_t parts;
    bool at_most;  /* a sum below the total agrees, too */
    bool of_loads; /* holds of loads that each have one source */
};

/* The sums of one CPU. Large (2 KiB). */
struct sums {
    const struct event *event; /* of the CPU that they are of; null: of none yet */
    unsigned count;
    bool more; /* there are further ones */
    struct sum sum[SUMS_MAX];
};

/* Finds the sums of the view's CPU, unless they are those that were found last. */
void sums_find(struct sums *sums, const struct view *view);

/* Whether two sums, perhaps of different CPUs, are the same by the names of their events. */
bool sum_same(const struct sum *a, const struct sum *b);

/* "A + B = C", with `<=` for at_most, by the names that results.csv has. */
void sum_words(const struct sum *sum, struct out *out);

/* In the unit of the events, the medians rounded down. */
struct sum_values {
    int64_t sum, total, tolerance;
};

/*
 * Computes a sum for a result of the view's CPU; false: it is not computed there. Uses
 * view->scratch.
 */
bool sum_make(const struct view *view, const struct result *result, const struct sum *sum,
              struct sum_values *values);

bool sum_agrees(const struct sum *sum, const struct sum_values *values);

/* "agrees", or "differs by 12 (1.2 %)": what the sum is above the total; less is negative. */
void sum_verdict(const struct sum *sum, const struct sum_values *values, struct out *out);

#endif
