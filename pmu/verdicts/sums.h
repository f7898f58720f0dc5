/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums that must hold. The sums compare counts of a kernel on a CPU with each other, to find wrong
 * events, encodings or tables. Sums do not change verdicts. There are three kinds of sums:
 * - Related events in the same ring, found by their names in the tables; the total is an event too.
 * - An event in ring `os` plus the same event in ring `usr`; the total is the event in both rings.
 * - Counted bytes of memory traffic; the total is the bytes that the kernel moves (see flags such
 *   as KNOWN_READS).
 *
 * A sum adds the medians of counts. The sum agrees if it differs from the total by at most the
 * tolerance, or if it is less and at_most is set. The tolerance adds up, for each row, the range of
 * its accepted samples and the range of its counts in the empty window, plus 2 counts. Instead of
 * the 2 counts, the tolerance includes the total's resolution (pmu/base/stats.h) for time, and 1 %
 * of the total for bytes. For bytes, the tolerance also includes the part of the buffer that caches
 * may hold, and the package's background traffic. The background traffic is the mean count of the
 * empty window minus the smallest count, scaled to the kernel's time.
 *
 * A sum is not computed in these cases:
 * - A row of the sum has a verdict other than 'exact', 'within' and 'measured'.
 * - The kernel waits for another CPU, so that its counts vary between passes.
 * - The total does not count the kernel's ring.
 * - For loads by data source: the kernel declares no exact number of loads, or its buffer is not
 *   cached.
 * - For bytes: the kernel moves no known number of bytes, the kernel is cold, its buffer is not
 *   cached, its buffer is smaller than four times the caches, CPUs measure in parallel, or the size
 *   of the caches is not known.
 */
#ifndef BARECOUNT_PMU_VERDICTS_SUMS_H
#define BARECOUNT_PMU_VERDICTS_SUMS_H

#include "pmu/verdicts/rows.h"

#define SUM_PARTS_MAX 8u
#define SUMS_MAX      64u /* limit for the sums of a CPU, and of a run; more are ignored */

#define SUM_MOVED 0xffffu /* the total is the bytes that the kernel moves */

/* Room for the output of sum_words(). */
#define SUM_WORDS_BYTES (16u + (SUM_PARTS_MAX + 1u) * (EVENT_NAME_BYTES + 3u))

struct sum {
    const struct event *event;    /* the array of the CPU's events, in the journal */
    uint16_t part[SUM_PARTS_MAX]; /* indices of events */
    uint16_t total;               /* index, or SUM_MOVED */
    uint8_t parts;
    bool at_most;  /* a sum below the total also agrees */
    bool of_loads; /* valid only for kernels whose load instructions each read one data source */
};

/* The sums of one CPU. Large (2 KiB). */
struct sums {
    const struct event *event; /* the events of the CPU; null: no CPU yet */
    unsigned count;
    bool more; /* the CPU has more sums, which are ignored */
    struct sum sum[SUMS_MAX];
};

/* Finds the sums of the view's CPU, unless *sums already contains them. */
void sums_find(struct sums *sums, const struct view *view);

/* Whether two sums, perhaps of different CPUs, consist of events with the same names. */
bool sum_same(const struct sum *a, const struct sum *b);

/* Writes "A + B = C", or "A + B <= C" if at_most is set. The names are those in results.csv. */
void sum_words(const struct sum *sum, struct out *out);

/* Values in the unit of the events. Medians are cut to whole units. */
struct sum_values {
    int64_t sum, total, tolerance;
};

/* Computes a sum for a result of the view's CPU. False: not computed. Uses view->scratch. */
bool sum_make(const struct view *view, const struct result *result, const struct sum *sum,
              struct sum_values *values);

bool sum_agrees(const struct sum *sum, const struct sum_values *values);

/* Writes "agrees", or "differs by 12 (1.2 %)". The difference is the sum minus the total. */
void sum_verdict(const struct sum *sum, const struct sum_values *values, struct out *out);

#endif
