/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The measured window: opens all counters of a pass by one WRMSR, calls a kernel, closes them by
 * one WRMSR. boot/cpu_window.asm; its own cost stands there beside the code.
 */
#ifndef BARECOUNT_BOOT_WINDOW_H
#define BARECOUNT_BOOT_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct window {
    const void *entry;
    const void *prepare;   /* called before the counters open; null: none */
    uint64_t n;            /* RDI */
    void *buffer;          /* RSI */
    uint64_t buffer_bytes; /* R8; R9 is 0 */
    uint64_t open_value;   /* what the opening WRMSR writes; the closing one writes 0 */
    uint64_t tsc_start;    /* out: before the opening and after the closing */
    uint64_t tsc_end;
    uint64_t *recovery; /* where the trap handler finds the stack to come back to */
};
_Static_assert(offsetof(struct window, recovery) == 64, "boot/cpu_window.inc");

#define WINDOW_DONE    0u
#define WINDOW_FAULTED 1u /* the kernel raised an exception; the counters may still be open */

/*
 * Runs a window on this CPU, with interrupts off and the trap handler of boot/cpu_traps.h in place.
 * window_global opens by IA32_PERF_GLOBAL_CTRL, window_select by IA32_PERFEVTSEL0 (where there is
 * no global control), window_bare has no counters and takes the time stamps only.
 */
typedef __attribute__((sysv_abi)) unsigned window_run(struct window *window);
window_run window_global, window_select, window_bare;

/* Where a faulting kernel's window ends: boot/cpu_traps.c jumps there on the stack of *recovery. */
extern const char window_recover[];

/* A kernel of one RET: what is left is the window itself. */
extern const char window_empty[];

/* A kernel that takes n cycles at least. */
extern const char window_spin[];

/* The cost of window_global and window_select, by enum event_declared, without the two WRMSRs. */
extern const int64_t window_cost[];

#endif
