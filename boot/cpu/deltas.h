/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window of counters that run freely: read by RDPMC before a kernel, after it, and after an
 * empty kernel that is called the same way. boot/cpu/deltas.asm; deltas_count()
 * (pmu/counters/deltas.h) makes the count of three reads. It is the kernel's alone: the window's
 * cost is 0 for retired instructions of every kind, whatever WRMSR and RDPMC count of themselves.
 * The opening write serialises. An index that the CPU has no counter for raises #GP.
 */
#ifndef BARECOUNT_BOOT_CPU_DELTAS_H
#define BARECOUNT_BOOT_CPU_DELTAS_H

#include "boot/cpu/window.h"
#include "pmu/counters/schedule.h"

#define DELTAS_MAX 12u
_Static_assert(SLOTS_MAX <= DELTAS_MAX, "a read for each slot");

/* RDPMC's ECX, Intel SDM vol. 2B "RDPMC—Read Performance-Monitoring Counters". */
#define DELTAS_GENERAL(i) ((uint32_t)(i))
#define DELTAS_FIXED(i)   (1u << 30 | (uint32_t)(i))

struct deltas {
    struct window window;
    uint32_t open_msr;            /* IA32_PERF_GLOBAL_CTRL or, in version 1, IA32_PERFEVTSEL0 */
    uint32_t index[DELTAS_MAX];   /* of the counters; the rest repeats one of them: all are read */
    uint64_t read[3][DELTAS_MAX]; /* out: t0, t1, t2, bits above the counter's width as they come */
};

#endif
