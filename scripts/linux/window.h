/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The measured windows of barecount-linux, around a kernel in its own process at CPL 3. What they
 * cost stands beside the code (window.asm). One at a time in a process: what they take and give
 * stands at a constant place, as a kernel may change all registers.
 */
#ifndef BARECOUNT_LINUX_WINDOW_H
#define BARECOUNT_LINUX_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define WINDOW_GPRS 16u /* in their encoding's order */
#define DELTAS_MAX  12u
#define GPR_RSP     4u

struct linux_window {
    uint64_t gpr[WINDOW_GPRS]; /* what the kernel starts with; RSP's is `frame` */
    uint64_t out[WINDOW_GPRS]; /* what it left, but for RAX, RCX and RDX */
    uint64_t rflags;
    const void *entry;
    uint64_t frame; /* its RSP before the CALL */
    uint64_t saved;
    uint64_t group;               /* file descriptor of the group's leader */
    uint32_t tsc[2][2];           /* before the kernel and behind it: low half, high half */
    uint32_t index[DELTAS_MAX];   /* RDPMC's ECX for each counter; the rest repeats one of them */
    uint64_t read[3][DELTAS_MAX]; /* t0, t1, t2 of pmu/counters/deltas.h */
};
_Static_assert(offsetof(struct linux_window, rflags) == 256, "window.asm");
_Static_assert(offsetof(struct linux_window, group) == 288, "window.asm");
_Static_assert(offsetof(struct linux_window, read) == 360, "window.asm");

extern struct linux_window linux_window;

/* Calls `entry` alone, as a kernel's prepare, with RAX, RCX and RDX from `gpr` too. */
void window_prepare(void);
void window_bare(void);   /* counts nothing: time stamps only */
void window_ioctl(void);  /* enables the group, calls, disables it */
void window_deltas(void); /* reads counters that run by RDPMC: before, after, after an empty one */

/* A kernel of one RET. */
extern const char window_empty[];

/* The cost of window_ioctl at CPL 3 by enum event_declared, without SYSCALL and SYSRET. */
extern const int64_t linux_window_cost[];

#endif
