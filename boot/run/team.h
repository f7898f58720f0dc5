/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that run kernels at the same time. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_TEAM_H
#define BARECOUNT_BOOT_RUN_TEAM_H

#include "boot/run/measured_cpu.h"

struct member {
    struct measured_cpu cpu;
    struct measure_task task;
    struct result *result;
    char *buffer;
    enum status status; /* STATUS_OK: the member takes part */
};

struct team {
    struct barrier barrier; /* for the members with STATUS_OK */
    struct member *member;
    struct together *together; /* tasks of the members with STATUS_OK */
    struct watched *watched;   /* for guard_watch() */
    uint64_t silent_until_us;  /* until then, results of pairs are neither shown nor flushed */
    unsigned members;
};

/*
 * Makes a member's task for a kernel. The caller sets the task's role, if the kernel has roles.
 * member->status says whether the member can run the kernel.
 */
void team_prepare(const struct run *run, struct member *member, unsigned index);

/*
 * Runs the tasks of all members with STATUS_OK at the same time. With `needs_all`, the loss of a
 * member also ends the tasks of the others.
 */
void team_run(struct progress *p, struct team *team, bool needs_all);

/* Appends a member's result, or a result that says why there is no data. */
void team_put_result(struct progress *p, struct member *member, unsigned index);

/*
 * Runs a kernel with roles. A kernel for pairs runs on each pair of members. A kernel for crowds
 * runs on all members at the same time, once with each member in the first role.
 */
void team_run_shared(struct progress *p, struct team *team, unsigned index);

/*
 * Measures a run in which every CPU stays in use until the end. With mode=parallel, all CPUs run
 * each kernel together. In the other modes each CPU runs its kernels alone, right after it is
 * started. Kernels with roles run last.
 */
void run_together(struct progress *p);

#endif
