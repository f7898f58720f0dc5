/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The measured window: opens all counters of a pass by one WRMSR, calls a kernel, closes them by
 * one WRMSR. boot/cpu/window.asm and window_user.asm; its own cost stands there beside the code.
 */
#ifndef BARECOUNT_BOOT_CPU_WINDOW_H
#define BARECOUNT_BOOT_CPU_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/counters/schedule.h"

struct window {
    const void *entry;
    uint64_t n;          /* RDI; the other registers: struct space_kernel */
    uint64_t open_value; /* what the opening WRMSR writes; the closing one writes 0 */
    uint64_t tsc_start;  /* out: before the opening and after the closing */
    uint64_t tsc_end;
};

#define WINDOW_DONE    0u
#define WINDOW_FAULTED 1u /* the kernel raised an exception; the counters may still be open */
#define WINDOW_CHANGED 2u /* the kernel changed what it must leave alone */
#define WINDOW_NOT_MET 3u /* it was not opened: the CPUs that run the kernel too did not come */

/* A kernel of one RET: what is left is the window itself. */
extern const char window_empty[];

/* A kernel that takes n cycles at least. Both and nothing else stand from window_empty on. */
extern const char window_spin[], window_kernels_end[];

/*
 * The window's cost by enum event_declared, without the two WRMSRs: around a kernel at CPL 0; and
 * around one at CPL 3, as events count it at CPL 0 and at CPL 3 (both rings: their sum).
 */
extern const int64_t window_cost[];
extern const int64_t window_cost_user_os[];
extern const int64_t window_cost_user_usr[];

/*
 * The window of counters that run freely: read by RDPMC before a kernel, after it, and after an
 * empty kernel that is called the same way. boot/cpu/deltas.asm; deltas_count()
 * (pmu/counters/deltas.h) makes the count of three reads. It is the kernel's alone: the window's
 * cost is 0 for retired instructions of every kind, whatever WRMSR and RDPMC count of themselves.
 * The opening write serialises. An index that the CPU has no counter for raises #GP.
 */
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
