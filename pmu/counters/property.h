/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The properties: what kernels may declare and events may count in addition to the five counts of
 * enum event_declared. pmu/events/properties.c lists the encodings that count a property.
 */
#ifndef BARECOUNT_PMU_COUNTERS_PROPERTY_H
#define BARECOUNT_PMU_COUNTERS_PROPERTY_H

/*
 * For each property: its number, its name in DECLARE of kernels/kernel.inc, how often it occurs in
 * the window of boot/cpu/window.asm, and how many times more in window_twice. The numbers continue
 * those of enum event_declared. Kernels and journals contain these numbers, so the numbers never
 * change.
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
    X(21, FP_512_SINGLE, "fp_512_single", 0, 0)                                                    \
    /* accesses that cross a line of 64 bytes */                                                   \
    X(22, SPLIT_LOADS, "split_loads", 0, 0)                                                        \
    X(23, SPLIT_STORES, "split_stores", 0, 0)                                                      \
    X(24, PREFETCH_NTA, "prefetch_nta", 0, 0)                                                      \
    X(25, PREFETCH_T0, "prefetch_t0", 0, 0)                                                        \
    X(26, PREFETCH_T1_T2, "prefetch_t1_t2", 0, 0)                                                  \
    X(27, PREFETCH_T, "prefetch_t", 0, 0) /* T0, T1, T2 */                                         \
    X(28, PREFETCH_W, "prefetch_w", 0, 0)                                                          \
    X(29, PREFETCHES, "prefetches", 0, 0) /* all kinds */                                          \
    X(30, PAUSES, "pauses", 0, 0)                                                                  \
    X(31, LFENCES, "lfences", 0, 0)                                                                \
    X(32, X87, "x87", 0, 0)                   /* instructions */                                   \
    X(33, MMX, "mmx", 0, 0)                   /* instructions */                                   \
    X(34, DIVISIONS, "divisions", 0, 0)       /* of integers */                                    \
    X(35, DIRECT_CALLS, "direct_calls", 0, 1) /* near */                                           \
    X(36, INDIRECT_CALLS, "indirect_calls", 1, 0)                                                  \
    X(37, DIRECT_JUMPS, "direct_jumps", 0, 0)                                                      \
    X(38, INDIRECT_JUMPS, "indirect_jumps", 0, 0)                                                  \
    /* packed integers */                                                                          \
    X(39, VECTOR_ADD_128, "vector_add_128", 0, 0)                                                  \
    X(40, VECTOR_ADD_256, "vector_add_256", 0, 0)                                                  \
    X(41, VECTOR_MULTIPLY_256, "vector_multiply_256", 0, 0)                                        \
    X(42, VECTOR_256, "vector_256", 0, 0)       /* and VNNI's */                                   \
    X(43, FORWARD_TAKEN, "forward_taken", 0, 0) /* of CONDITIONAL_TAKEN */                         \
    X(44, LINE_FLUSHES, "line_flushes", 0, 0)   /* CLFLUSH, CLWB, CLDEMOTE */                      \
    X(45, COUNTER_READS, "counter_reads", 0, 0) /* RDPMC, RDTSC, RDTSCP */                         \
    X(46, VNNI_128, "vnni_128", 0, 0)           /* dot products of packed integers */              \
    X(47, VNNI_256, "vnni_256", 0, 0)

#define PROPERTY_FIRST 5

#define PROPERTY_BIT(name)    (1ull << PROPERTY_##name)
#define PROPERTY_PAIR(name)   (PROPERTY_BIT(name##_DOUBLE) | PROPERTY_BIT(name##_SINGLE))
#define PROPERTY_BITS_128_256 (PROPERTY_PAIR(FP_128) | PROPERTY_PAIR(FP_256))

/*
 * Sums of properties that an event counts together. No kernel declares a sum. For each sum: its
 * number, its name, the properties that it adds, and those that it subtracts. The numbers go down
 * from 63; they are in journals, and never change.
 */
#define PROPERTY_SUMS(X)                                                                           \
    X(63, FP_SCALAR, PROPERTY_PAIR(FP_SCALAR), 0)                                                  \
    X(62, FP_VECTOR, PROPERTY_BITS_128_256 | PROPERTY_PAIR(FP_512), 0)                             \
    X(61, FP_VECTOR_256, PROPERTY_BITS_128_256, 0) /* up to 256 bits */                            \
    X(60, FP_128, PROPERTY_PAIR(FP_128), 0)                                                        \
    X(59, FP_256, PROPERTY_PAIR(FP_256), 0)                                                        \
    X(58, FP_DOUBLE,                                                                               \
      PROPERTY_BIT(FP_SCALAR_DOUBLE) | PROPERTY_BIT(FP_128_DOUBLE) | PROPERTY_BIT(FP_256_DOUBLE),  \
      0)                                                                                           \
    X(57, FP_SINGLE,                                                                               \
      PROPERTY_BIT(FP_SCALAR_SINGLE) | PROPERTY_BIT(FP_128_SINGLE) | PROPERTY_BIT(FP_256_SINGLE),  \
      0)                                                                                           \
    X(56, FP_4_FLOPS, PROPERTY_BIT(FP_128_SINGLE) | PROPERTY_BIT(FP_256_DOUBLE), 0)                \
    X(55, FP_8_FLOPS, PROPERTY_BIT(FP_256_SINGLE) | PROPERTY_BIT(FP_512_DOUBLE), 0)                \
    X(54, SPLITS, PROPERTY_BIT(SPLIT_LOADS) | PROPERTY_BIT(SPLIT_STORES), 0)                       \
    X(53, BACKWARD_TAKEN, PROPERTY_BIT(CONDITIONAL_TAKEN), PROPERTY_BIT(FORWARD_TAKEN))            \
    X(52, NEAR_JUMPS, PROPERTY_BIT(DIRECT_JUMPS) | PROPERTY_BIT(INDIRECT_JUMPS), 0)                \
    X(51, INDIRECT_OR_RETURN, PROPERTY_BIT(INDIRECT_BRANCHES) | PROPERTY_BIT(NEAR_RETURNS), 0)     \
    X(50, VECTOR_128, PROPERTY_BIT(VECTOR_ADD_128) | PROPERTY_BIT(VNNI_128), 0)
#define PROPERTY_SUM_FIRST 50
#define PROPERTY_NUMBERS   64 /* more than the largest number */

enum property {
    PROPERTY_NONE,
#define PROPERTY_ENUM(number, name, text, window, twice) PROPERTY_##name = number,
    PROPERTY_LIST(PROPERTY_ENUM)
#undef PROPERTY_ENUM
        PROPERTY_END, /* the number after the last that kernels declare */
#define PROPERTY_ENUM(number, name, parts, less) PROPERTY_##name = number,
    PROPERTY_SUMS(PROPERTY_ENUM)
#undef PROPERTY_ENUM
};
_Static_assert(PROPERTY_END <= PROPERTY_SUM_FIRST, "one sequence of numbers");

#endif
