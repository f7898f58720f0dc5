/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of counters that run freely: read before a kernel (t0), after it (t1), and again after an
 * empty kernel that went the same way (t2). What the way itself counts is in both halves.
 */
#ifndef BARECOUNT_PMU_COUNTERS_DELTAS_H
#define BARECOUNT_PMU_COUNTERS_DELTAS_H

#include <stdint.h>

/*
 * (t1 - t0) - (t2 - t1) modulo 2^width_bits, with its sign: from -2^(width_bits - 1) on. A counter
 * may wrap in each half, once. Negative where the empty kernel counted more, as cycles and what
 * depends on them can. `width_bits`: of the counter, 1 to 64; bits above it in t0, t1 and t2 do not
 * matter.
 */
int64_t deltas_count(uint64_t t0, uint64_t t1, uint64_t t2, unsigned width_bits);

#endif
