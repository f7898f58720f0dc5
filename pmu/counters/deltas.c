/* SPDX-License-Identifier: BSD-2-Clause */
/* Subtracts counter readings. */
#include "pmu/counters/deltas.h"

int64_t deltas_count(uint64_t t0, uint64_t t1, uint64_t t2, unsigned width_bits)
{
    uint64_t mask = ~0ull >> (64 - width_bits);
    uint64_t sign = 1ull << (width_bits - 1);
    uint64_t count = ((t1 - t0) - (t2 - t1)) & mask;

    return (int64_t)((count ^ sign) - sign);
}
