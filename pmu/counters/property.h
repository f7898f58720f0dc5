/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The properties: what kernels may declare and events may count in addition to the five counts of
 * enum event_declared. pmu/events/properties.c lists the encodings that count a property.
 */
#ifndef BARECOUNT_PMU_COUNTERS_PROPERTY_H
#define BARECOUNT_PMU_COUNTERS_PROPERTY_H

/*
 * For each property: its number, its name in DECLARE of kernels/kernel.inc, how often it occurs in
 * the window of boot/cpu/window.asm, and how often more in window_twice. The numbers continue those
 * of enum event_declared. They are in kernels and journals, and never change.
 */
#define PROPERTY_LIST(X)                                                                           \
    X(5, CONDITIONAL_BRANCHES, "conditional_branches", 0, 0)                                       \
    X(6, CONDITIONAL_TAKEN, "conditional_taken", 0, 0)                                             \
    X(7, NOT_TAKEN, "not_taken", 0, 0)                                                             \
    X(8, NEAR_CALLS, "near_calls", 1, 1)                                                           \
    X(9, NEAR_RETURNS, "near_returns", 1, 1)                                                       \
    X(10, INDIRECT_BRANCHES, "indirect_branches", 1, 0) /* near jumps and calls */                 \
    X(11, FAR_BRANCHES, "far_branches", 0, 0)                                                      \
    X(12, NOPS, "nops", 0, 0)                                                                      \
    X(13, LOCKED_LOADS, "locked_loads", 0, 0)                                                      \
    /* floating-point additions, multiplications and so on; a fused one counts twice */            \
    X(14, FP_SCALAR_DOUBLE, "fp_scalar_double", 0, 0)                                              \
    X(15, FP_SCALAR_SINGLE, "fp_scalar_single", 0, 0)                                              \
    X(16, FP_128_DOUBLE, "fp_128_double", 0, 0)                                                    \
    X(17, FP_128_SINGLE, "fp_128_single", 0, 0)                                                    \
    X(18, FP_256_DOUBLE, "fp_256_double", 0, 0)                                                    \
    X(19, FP_256_SINGLE, "fp_256_single", 0, 0)                                                    \
    X(20, FP_512_DOUBLE, "fp_512_double", 0, 0)                                                    \
    X(21, FP_512_SINGLE, "fp_512_single", 0, 0)

#define PROPERTY_FIRST 5

enum property {
    PROPERTY_NONE,
#define PROPERTY_ENUM(number, name, text, window, twice) PROPERTY_##name = number,
    PROPERTY_LIST(PROPERTY_ENUM)
#undef PROPERTY_ENUM
        PROPERTY_END /* the number after the last */
};

#endif
