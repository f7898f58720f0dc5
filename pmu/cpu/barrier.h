/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A barrier for CPUs that run a kernel together. The CPUs meet before each window. After each
 * sample, the CPUs meet to agree on whether to take another sample. CPUs that share a counter also
 * meet before the counter starts and before it stops. If a CPU does not come in time, the others go
 * on, or stop if the kernel needs all CPUs.
 */
#ifndef BARECOUNT_PMU_CPU_BARRIER_H
#define BARECOUNT_PMU_CPU_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/status.h"

#define BARRIER_SEATS_MAX 2047u

struct barrier_port {
    uint64_t (*ticks)(void); /* a clock in the unit of end_ticks and bound_ticks */
    void (*pause)(void);
    /* Aborts the window of a hanging CPU. Null: cannot abort. */
    void (*end)(void *holder);
};

/*
 * Each seat has its own cache line, because the seat's CPU writes to it while other CPUs read it.
 */
struct barrier_seat {
    uint64_t met __attribute__((aligned(64))); /* number of attended meetings, or BARRIER_GONE */
    void *holder;                              /* argument of port->end */
    enum status status;                        /* STATUS_OK, or why the CPU has left */
    bool was_lost;                             /* the other CPUs stopped waiting for this one */
};
#define BARRIER_GONE UINT64_MAX

struct barrier {
    uint64_t state __attribute__((aligned(64))); /* see barrier.c; all waiting CPUs poll it */
    const struct barrier_port *port __attribute__((aligned(64)));
    struct barrier_seat *seat;
    unsigned seats;
    unsigned passes;      /* number of passes in the longest schedule */
    unsigned around_from; /* the first uncore pass; from this pass on, CPUs share a counter */
    bool needs_all;       /* the kernel needs all CPUs */
    uint64_t end_ticks;   /* after this wait, windows of missing CPUs are aborted */
    uint64_t bound_ticks; /* after this longer wait, missing CPUs are removed */
};

/*
 * Marks all seats as present. The caller first sets each seat's `holder`, and all fields of
 * *barrier except `state`.
 */
void barrier_start(struct barrier *barrier);

/*
 * Waits for all other CPUs. `more`: this CPU wants another sample. *any: at least one CPU wants
 * another sample. STATUS_PARTNER: another CPU has left, and the kernel needs all CPUs.
 * STATUS_TIMEOUT: the other CPUs went on without this one. After one of these errors, this CPU must
 * call barrier_leave().
 */
enum status barrier_meet(struct barrier *barrier, unsigned seat, bool more, bool *any);

/* Whether a CPU has left or was removed. */
bool barrier_is_short(const struct barrier *barrier);

/* Leaves for good. May be called repeatedly. */
void barrier_leave(struct barrier *barrier, unsigned seat);

/*
 * Called after barrier_leave(). Waits until all CPUs have left. While it waits, this CPU disturbs
 * no window, and can abort a window that hangs.
 */
void barrier_stay(struct barrier *barrier);

#endif
