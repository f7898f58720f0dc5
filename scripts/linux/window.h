/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The measured windows of barecount-linux, around a kernel at CPL 3. Inputs and results are at a
 * fixed address, because a kernel may change all registers.
 */
#ifndef BARECOUNT_LINUX_WINDOW_H
#define BARECOUNT_LINUX_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define WINDOW_GPRS 16u /* general registers, indexed by their encoding in instructions */
#define DELTAS_MAX  14u
#define GPR_RSP     4u

struct linux_window {
    uint64_t gpr[WINDOW_GPRS]; /* registers at the kernel's start; RSP is `frame` */
    uint64_t out[WINDOW_GPRS]; /* registers at the kernel's end, except RAX, RCX and RDX */
    uint64_t rflags;
    const void *entry;
    uint64_t frame; /* RSP before the CALL */
    uint64_t saved;
    uint64_t group;               /* file descriptor of the group's leader */
    uint32_t tsc[2][2];           /* time stamps before and after the kernel; low half first */
    uint32_t index[DELTAS_MAX];   /* RDPMC indexes; unused entries repeat a valid one */
    uint64_t read[3][DELTAS_MAX]; /* counters at t0, t1 and t2 (pmu/counters/deltas.h) */
};
_Static_assert(offsetof(struct linux_window, rflags) == 256, "window.asm");
_Static_assert(offsetof(struct linux_window, group) == 288, "window.asm");
_Static_assert(offsetof(struct linux_window, read) == 368, "window.asm");

extern struct linux_window linux_window;

/* Calls `entry`, a kernel's `prepare`, without time stamps; also loads RAX, RCX and RDX. */
void window_prepare(void);
void window_bare(void);   /* calls the kernel between two time stamps, and counts nothing */
void window_ioctl(void);  /* enables the group, calls the kernel, disables the group */
void window_deltas(void); /* reads running counters around the kernel, then around an empty one */

/* A kernel that is a single RET. */
extern const char window_empty[];

/* The cost of window_ioctl at CPL 3 (see window.asm), indexed by enum event_declared. */
extern const int64_t linux_window_cost[];

#endif
