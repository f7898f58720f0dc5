/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the count of a free-running counter. The counter is read before a kernel (t0), after it
 * (t1), and again after an empty kernel with the same overhead (t2). The overhead cancels out.
 */
#ifndef BARECOUNT_PMU_COUNTERS_DELTAS_H
#define BARECOUNT_PMU_COUNTERS_DELTAS_H

#include <stdint.h>

/*
 * (t1 - t0) - (t2 - t1) modulo 2^width_bits, as a signed number. The counter may wrap once between
 * t0 and t1, and once between t1 and t2. The result is negative if the empty kernel counted more
 * than the kernel; this can happen with cycles. width_bits is 1 to 64; higher bits of t0, t1 and t2
 * are ignored.
 */
int64_t deltas_count(uint64_t t0, uint64_t t1, uint64_t t2, unsigned width_bits);

#endif
