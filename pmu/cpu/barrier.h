/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where CPUs that run a kernel together wait for each other: before each window, so that all open
 * together; before that and behind the window, where what counts for all of them must not be opened
 * or closed earlier; and behind each sample, to agree whether there will be another. Every wait is
 * bounded; who does not come is left behind, and finds that out when it does come.
 */
#ifndef BARECOUNT_PMU_CPU_BARRIER_H
#define BARECOUNT_PMU_CPU_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/status.h"

#define BARRIER_SEATS_MAX 2047u

/* What a wait needs of the machine. */
struct barrier_port {
    uint64_t (*ticks)(void); /* of the clock that end_ticks and bound_ticks are in */
    void (*pause)(void);
    /* Ends what the holder of a seat hangs in, if it is in a window. Null: nobody can. */
    void (*end)(void *holder);
};

/* One CPU's. Lines of their own: each is written by its CPU and read by those that wait. */
struct barrier_seat {
    uint64_t met __attribute__((aligned(64))); /* meetings it has come to; BARRIER_GONE */
    void *holder;                              /* of port->end */
    enum status status; /* STATUS_OK, or why its CPU does not run the kernel any more */
    bool was_lost;      /* the others did not wait for it any longer */
};
#define BARRIER_GONE UINT64_MAX

struct barrier {
    uint64_t state
        __attribute__((aligned(64))); /* pmu/cpu/barrier.c; all CPUs that wait look at it */
    const struct barrier_port *port __attribute__((aligned(64)));
    struct barrier_seat *seat;
    unsigned seats;
    unsigned passes;      /* the most that a member's schedule has; all run as many */
    unsigned around_from; /* from this pass on all meet around each window too: packages count */
    bool needs_all;       /* the kernel makes no sense with one CPU less */
    uint64_t end_ticks;   /* a wait of so long: who is missing is ended */
    uint64_t
        bound_ticks; /* a wait of so long: who is missing is left behind; more than end_ticks */
};

/* All seats are taken, by who holds them; the fields but state and the seats' rest are set. */
void barrier_start(struct barrier *barrier);

/*
 * Waits until everybody has come. *any: somebody wants more. STATUS_PARTNER: the barrier needs all,
 * and somebody has left; STATUS_TIMEOUT: the others have not waited for this one. Either ends its
 * part, and stands in the seat's status.
 */
enum status barrier_meet(struct barrier *barrier, unsigned seat, bool more, bool *any);

/* Whether somebody has left, or was left behind. */
bool barrier_is_short(const struct barrier *barrier);

/* Does not come any more: the others go on without it, or end. Once or more. */
void barrier_leave(struct barrier *barrier, unsigned seat);

/*
 * Behind that: waits until the others have left too, so that nobody's windows are disturbed by a
 * CPU that goes back, and that somebody is there to end a window that hangs.
 */
void barrier_stay(struct barrier *barrier);

#endif
