/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that the sum of several counts of a kernel is near another count, to find wrong events,
 * encodings or tables. Sums do not change verdicts. There are three kinds:
 * - Related events of an event table, counted in the same ring; the total is an event of this table
 *   that counts all of them.
 * - An event in ring `os` plus the same event in ring `usr`; the total is the event in both rings.
 * - Bytes of memory traffic; the total is the number of bytes that the kernel moves, according to
 *   flags such as KNOWN_READS.
 *
 * A sum adds medians. A sum agrees if it differs from the total by at most the tolerance, or if
 * at_most is set and the sum is below the total. To the tolerance, each row contributes the range
 * of its accepted samples and the range of the empty window's counts. The tolerance also includes:
 * - for most events, 2 counts;
 * - for time, the total's resolution (pmu/base/stats.h);
 * - for bytes, three amounts: 1 % of the total; the bytes that may stay in the caches; and the
 *   background traffic, which is the empty window's mean minus its smallest count, scaled to the
 *   kernel's time.
 *
 * No sum is computed in these cases:
 * - A row's verdict is not 'exact', 'within' or 'measured'.
 * - The kernel waits for another CPU.
 * - The total does not count the kernel's ring.
 * - Loads by data source: the kernel declares no exact number of loads, or its buffer is not
 *   cached.
 * - Bytes: the number of bytes that the kernel moves is unknown.
 * - Bytes: the kernel is cold, or its buffer is not cached.
 * - Bytes: the size of the caches is unknown, or the buffer is smaller than four times that size.
 * - Bytes: CPUs measure in parallel.
 */
#ifndef BARECOUNT_PMU_VERDICTS_SUMS_H
#define BARECOUNT_PMU_VERDICTS_SUMS_H

#include "pmu/verdicts/rows.h"

#define SUM_PARTS_MAX 8u
#define SUMS_MAX      64u /* more are ignored */

#define SUM_MOVED 0xffffu /* the total is the bytes that the kernel moves */

/* Room for sum_words(). */
#define SUM_WORDS_BYTES (16u + (SUM_PARTS_MAX + 1u) * (EVENT_NAME_BYTES + 3u))

struct sum {
    const struct event *event;    /* the CPU's events, in the journal */
    uint16_t part[SUM_PARTS_MAX]; /* indices of events */
    uint16_t total;               /* index, or SUM_MOVED */
    uint8_t parts;
    bool at_most;  /* a sum below the total agrees too */
    bool of_loads; /* the parts are loads by data source */
};

/* Large (2 KiB). */
struct sums {
    const struct event *event; /* null: no CPU yet */
    unsigned count;
    bool more;
    struct sum sum[SUMS_MAX];
};

/* Does nothing if *sums already contains the CPU's sums. */
void sums_find(struct sums *sums, const struct view *view);

/* Whether two sums have events of the same names. */
bool sum_same(const struct sum *a, const struct sum *b);

/* Writes "A + B = C", or "A + B <= C" if at_most. */
void sum_words(const struct sum *sum, struct out *out);

/* All values have the unit of the events. */
struct sum_values {
    int64_t sum, total, tolerance;
};

/* Returns false if the sum is not computed. Uses view->scratch. */
bool sum_make(const struct view *view, const struct result *result, const struct sum *sum,
              struct sum_values *values);

bool sum_agrees(const struct sum *sum, const struct sum_values *values);

/* Writes "agrees", or "differs by 12 (1.2 %)": the sum minus the total. */
void sum_verdict(const struct sum *sum, const struct sum_values *values, struct out *out);

#endif
