/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The measured window: one WRMSR starts all counters of a pass, a kernel runs, and another WRMSR
 * stops the counters.
 */
#ifndef BARECOUNT_BOOT_CPU_WINDOW_H
#define BARECOUNT_BOOT_CPU_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/counters/schedule.h"

struct window {
    const void *entry;
    uint64_t n;         /* value of RDI */
    uint64_t tsc_start; /* out: time stamp before the counters start */
    uint64_t tsc_end;   /* out: time stamp after the counters stop */
};

#define WINDOW_DONE    0u
#define WINDOW_FAULTED 1u /* ended by an exception; the counters may still count */
#define WINDOW_CHANGED 2u /* the kernel changed state that it must preserve */
#define WINDOW_NOT_MET 3u /* no sample: this CPU must leave the barrier (pmu/cpu/barrier.h) */

/* A kernel that is a single RET, to measure the window itself. */
extern const char window_empty[];

/* A kernel of n iterations of DEC and JNZ, which take about n cycles. */
extern const char window_spin[];

/* A kernel that only calls window_empty. */
extern const char window_twice[];

/* The end of the code of these three kernels, which begins at window_empty. */
extern const char window_kernels_end[];

/*
 * The window's cost without its WRMSRs, indexed by enum event_declared. With a kernel at CPL 3, the
 * cost is window_cost_user_os at CPL 0 and window_cost_user_usr at CPL 3.
 */
extern const int64_t window_cost[];
extern const int64_t window_cost_user_os[];
extern const int64_t window_cost_user_usr[];

/* Number of general counters whose event select registers can open a window. */
#define SELECT_WINDOWS 6u
_Static_assert(SELECT_WINDOWS == SELECTS_MAX, "a window for each select");

/*
 * The window for free-running counters. RDPMC reads them before a kernel (t0), after the kernel
 * (t1), and after an empty kernel (t2). RDPMC raises #GP if there is no counter for an index.
 */
#define DELTAS_MAX 14u
_Static_assert(SLOTS_MAX <= DELTAS_MAX, "a read for each slot");

/* RDPMC's ECX, Intel SDM vol. 2B "RDPMC—Read Performance-Monitoring Counters". */
#define DELTAS_GENERAL(i) ((uint32_t)(i))
#define DELTAS_FIXED(i)   (1u << 30 | (uint32_t)(i))

struct deltas {
    struct window window;
    uint32_t index[DELTAS_MAX];   /* RDPMC indexes; unused entries repeat a valid one */
    uint64_t read[3][DELTAS_MAX]; /* out: counts at t0, t1, t2; bits above the width vary */
};

#endif
