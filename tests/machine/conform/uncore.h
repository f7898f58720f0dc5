/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the uncore: registers, and walks over lines. */
#ifndef CONFORM_UNCORE_H
#define CONFORM_UNCORE_H

#include "conform.h"

/* SDM vol. 3B, "Performance Monitoring Facility in the Uncore"; vol. 4, Nehalem. */
enum {
    UNCORE_GLOBAL_CTRL = 0x391,
    UNCORE_GLOBAL_STATUS = 0x392,
    UNCORE_OVF_CTRL = 0x393,
    UNCORE_FIXED_CTR0 = 0x394,
    UNCORE_FIXED_CTR_CTRL = 0x395,
    UNCORE_MATCH = 0x396,
    UNCORE_PMC0 = 0x3b0,
    UNCORE_PERFEVTSEL0 = 0x3c0,
};

#define UNCORE_EN    BIT(22)
#define UNCORE_PMI   BIT(20)
#define OCC_RESET    BIT(17)
#define ALL_COUNTERS (0xffull | BIT(32))

/*
 * FIELD(n) is the n-th buffer in free memory. A span is the smallest distance in bytes between two
 * lines of the same set (CPUID leaf 4).
 */
#define FIELD(n)      (0x2000000u + (n)*0x400000u)
#define LINE          64u
#define LLC_WAYS      16u
#define L2_WAYS       16u
#define LLC_SPAN      (16384u * LINE)
#define L2_SPAN       (4096u * LINE)
#define LOG2_LLC_SPAN 20u
#define LOG2_L2_SPAN  18u

extern code kernel_read_lines, kernel_write_lines, kernel_load_once, kernel_store_once;

/* A line of the buffer that is not in the same set of the L1D as the line of the stack. */
uint32_t quiet_line(uint32_t buffer);

/*
 * There are `lines` lines: the first is at `first`, and the distance between lines is `span` bytes.
 * Returns how many of these lines have a line number that is `rest` modulo `of`.
 */
uint32_t lines_with(uint32_t first, uint32_t lines, uint32_t span, uint32_t of, uint32_t rest);

/* One walk in detail mode, without counting in the uncore. */
void walk_lines(uint32_t first, uint32_t log2_span, uint32_t lines, code *kernel);

#endif
