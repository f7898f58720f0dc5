/* SPDX-License-Identifier: BSD-2-Clause */
/* How long one run of a kernel may take. */
#include "pmu/plan/plan.h"

#define US_PER_MS 1000ull

uint64_t plan_explained_us(uint64_t n, uint64_t buffer_bytes)
{
    return 2 * n * PLAN_BOUND_US_PER_N + buffer_bytes / PLAN_CLEARED_BYTES_PER_US;
}

uint64_t plan_window_us(const struct plan *plan, uint64_t n, uint64_t buffer_bytes)
{
    return plan->timeout_ms * US_PER_MS + plan_explained_us(n, buffer_bytes);
}
