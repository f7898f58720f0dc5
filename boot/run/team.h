/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that run kernels at the same time. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_TEAM_H
#define BARECOUNT_BOOT_RUN_TEAM_H

#include "boot/run/measured_cpu.h"

/* A CPU of the team and its memory. */
struct member {
    struct measured_cpu cpu;
    struct measure_task task;
    struct result *result;
    char *buffer;
    enum status status; /* STATUS_OK if the CPU runs the current kernel; otherwise why not */
};

struct team {
    struct barrier barrier; /* for the members that run the current kernel */
    struct member *member;
    struct together *together; /* tasks of the members that run the current kernel */
    struct watched *watched;   /* for guard_watch(): members that run the current kernel */
    uint64_t silent_until_us;  /* no pair is shown or flushed until machine_us() reaches this */
    unsigned members;
};

/*
 * Makes a member's task for a kernel, but sets no role in it. member->status says whether the
 * member can run the kernel.
 */
void team_prepare(const struct run *run, struct member *member, unsigned index);

/*
 * Runs the tasks of all members with STATUS_OK at the same time, window by window, and stores their
 * outcomes. If `needs_all` is true, the loss of a member also ends the tasks of the others.
 */
void team_run(struct progress *p, struct team *team, bool needs_all);

/* Appends a member's result to the journal, or a result that says why there is no data. */
void team_put_result(struct progress *p, struct member *member, unsigned index);

/* boot/run/together.c: runs a kernel with roles on all pairs of members, or on crowds. */
void team_run_shared(struct progress *p, struct team *team, unsigned index);

/*
 * Measures a run in which every CPU stays in use until all kernels have run. Each CPU is first
 * described, tested and calibrated alone. With mode=parallel, all CPUs then start each kernel of
 * the plan together. In any other mode, a CPU runs its kernels right after its start. Kernels with
 * roles (run_is_shared()) come last. If there is no memory, all results count as lost, and this is
 * reported.
 */
void run_together(struct progress *p);

#endif
