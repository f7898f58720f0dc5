/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A barrier for CPUs that run a kernel together. The CPUs meet before each window, so that all
 * windows open together. CPUs that share a counter also meet before the counter starts and before
 * it stops. After each sample, all CPUs meet to agree whether to take another sample. Each wait has
 * a time limit. If a CPU comes too late, its call of barrier_meet() returns STATUS_TIMEOUT. The
 * other CPUs go on without the late CPU, or stop if the kernel needs all CPUs.
 */
#ifndef BARECOUNT_PMU_CPU_BARRIER_H
#define BARECOUNT_PMU_CPU_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/status.h"

#define BARRIER_SEATS_MAX 2047u

/* Functions of the machine that the barrier calls while a CPU waits. */
struct barrier_port {
    uint64_t (*ticks)(void); /* reads the clock, in the unit of end_ticks and bound_ticks */
    void (*pause)(void);
    /* Aborts the window in which a seat's holder hangs. Null if no window can be aborted. */
    void (*end)(void *holder);
};

/*
 * One CPU's seat. Each seat has its own cache line, because the seat's CPU writes to the seat while
 * others read it.
 */
struct barrier_seat {
    uint64_t met __attribute__((aligned(64))); /* number of meetings attended, or BARRIER_GONE */
    void *holder;                              /* the argument of port->end */
    enum status status; /* STATUS_OK, or why the CPU has stopped running the kernel */
    bool was_lost;      /* the other CPUs stopped waiting for this CPU */
};
#define BARRIER_GONE UINT64_MAX

struct barrier {
    uint64_t state __attribute__((aligned(64))); /* see barrier.c; all waiting CPUs poll it */
    const struct barrier_port *port __attribute__((aligned(64)));
    struct barrier_seat *seat;
    unsigned seats;
    unsigned passes;      /* number of passes that each CPU runs: those of the longest schedule */
    unsigned around_from; /* the first uncore pass; from this pass on, CPUs share a counter */
    bool needs_all;       /* the kernel needs all of the CPUs */
    uint64_t end_ticks;   /* after this wait, the windows of missing CPUs are aborted */
    uint64_t bound_ticks; /* after this longer wait, missing CPUs are removed */
};

/*
 * Marks all seats as present. The caller must first set `holder` of each seat, and all fields of
 * the barrier except `state`.
 */
void barrier_start(struct barrier *barrier);

/*
 * Waits for all other CPUs. `more` says whether this CPU wants another sample, and *any is set if
 * at least one CPU wants another sample. STATUS_PARTNER means that a CPU has left and the barrier
 * needs all CPUs. STATUS_TIMEOUT means that the other CPUs went on without this CPU. Either status
 * is stored in the seat, and the CPU must then leave.
 */
enum status barrier_meet(struct barrier *barrier, unsigned seat, bool more, bool *any);

/* Whether at least one CPU has left or was removed. */
bool barrier_is_short(const struct barrier *barrier);

/*
 * Leaves the barrier for good. The other CPUs go on without this CPU, or stop if the barrier needs
 * all CPUs. May be called repeatedly.
 */
void barrier_leave(struct barrier *barrier, unsigned seat);

/*
 * Waits, after this CPU has left, until all other CPUs have left too. If the function returned
 * early, this CPU would disturb the windows of the other CPUs, and could not abort a window that
 * hangs.
 */
void barrier_stay(struct barrier *barrier);

#endif
