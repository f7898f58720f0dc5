/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that run kernels at the same time. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_TEAM_H
#define BARECOUNT_BOOT_RUN_TEAM_H

#include "boot/run/measured_cpu.h"

/* A CPU of the team, with memory of its own. */
struct member {
    struct measured_cpu cpu;
    struct measure_task task;
    struct result *result;
    char *buffer;
    enum status status; /* STATUS_OK: it runs the present kernel; or why it does not */
};

struct team {
    struct member *member;
    unsigned members;
    struct together *together; /* of those that run the present kernel */
    struct watched *watched;   /* of the same */
    struct barrier barrier;    /* theirs */
};

/* Makes a member's task of a kernel, alone in its role; its status says whether it can run it. */
void team_prepare(const struct run *run, struct member *member, unsigned index);

/*
 * Runs the tasks of all members whose status is STATUS_OK at the same time, their windows together,
 * and takes what became of them. With `needs_all` one that is lost ends the others' part.
 */
void team_run(struct progress *p, struct team *team, bool needs_all);

/* What a member has counted goes to the journal, or why it has not. */
void team_put_result(struct progress *p, struct member *member, unsigned index);

/* boot/run/together.c: a kernel with roles for several CPUs, by all pairs of members or crowds. */
void team_run_shared(struct progress *p, struct team *team, unsigned index);

/*
 * A run on CPUs that stay to its end: with mode=parallel each of the plan's kernels starts on all
 * of them together, else a CPU's kernels come behind its start. Kernels with roles for several CPUs
 * (run_is_shared()) come last. Each CPU is described, tested and calibrated alone before. Without
 * the memory for it all kernels are lost, and that is said.
 */
void run_together(struct progress *p);

#endif
