/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The count of a free-running counter, read before a kernel (t0), after it (t1), and after an empty
 * kernel (t2). The overhead cancels out.
 */
#ifndef BARECOUNT_PMU_COUNTERS_DELTAS_H
#define BARECOUNT_PMU_COUNTERS_DELTAS_H

#include <stdint.h>

/*
 * (t1 - t0) - (t2 - t1) modulo 2^width_bits, signed; negative if the empty kernel counted more. The
 * counter may wrap once between two readings. width_bits is 1 to 64.
 */
int64_t deltas_count(uint64_t t0, uint64_t t1, uint64_t t2, unsigned width_bits);

#endif
