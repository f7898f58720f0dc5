/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A barrier for CPUs that run a kernel together. The CPUs meet before each window, so that all
 * windows open together; around each window if a counter shared by all must not start late or stop
 * early; and after each sample, to agree whether to take another. Each wait is bounded: the others
 * go on without a CPU that does not come in time; that CPU is told so when it comes.
 */
#ifndef BARECOUNT_PMU_CPU_BARRIER_H
#define BARECOUNT_PMU_CPU_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/status.h"

#define BARRIER_SEATS_MAX 2047u

/* The machine's services that waiting needs. */
struct barrier_port {
    uint64_t (*ticks)(void); /* the clock of end_ticks and bound_ticks */
    void (*pause)(void);
    /* Aborts the window in which a seat's holder hangs. Null if that is not possible. */
    void (*end)(void *holder);
};

/* One CPU's seat, on its own cache line, as its CPU writes it and waiting CPUs read it. */
struct barrier_seat {
    uint64_t met __attribute__((aligned(64))); /* meetings attended, or BARRIER_GONE */
    void *holder;                              /* the argument of port->end */
    enum status status; /* STATUS_OK, or why its CPU has stopped running the kernel */
    bool was_lost;      /* the others stopped waiting for it */
};
#define BARRIER_GONE UINT64_MAX

struct barrier {
    uint64_t state __attribute__((aligned(64))); /* polled by all waiting CPUs; bits: barrier.c */
    const struct barrier_port *port __attribute__((aligned(64)));
    struct barrier_seat *seat;
    unsigned seats;
    unsigned passes;      /* the most that any CPU's schedule has; all CPUs run this many */
    unsigned around_from; /* first pass with uncore events: CPUs meet around its windows */
    bool needs_all;       /* the kernel makes no sense with fewer CPUs */
    uint64_t end_ticks;   /* after this time, the windows of missing CPUs are aborted */
    uint64_t bound_ticks; /* after this time, missing CPUs are removed; above end_ticks */
};

/*
 * Marks all seats as present. The caller has set all fields but `state`, and `holder` of each seat.
 */
void barrier_start(struct barrier *barrier);

/*
 * Waits for all others. *any: at least one CPU wants more. STATUS_PARTNER: the barrier needs all
 * CPUs, and one has left. STATUS_TIMEOUT: the others went on without this one. Either status ends
 * this seat's part and is stored in the seat.
 */
enum status barrier_meet(struct barrier *barrier, unsigned seat, bool more, bool *any);

/* Whether a CPU has left or was removed. */
bool barrier_is_short(const struct barrier *barrier);

/*
 * Leaves for good: the others go on without this CPU, or end if needs_all. May be called
 * repeatedly.
 */
void barrier_leave(struct barrier *barrier, unsigned seat);

/*
 * After leaving, waits until all others have left too: a CPU that returned early would disturb
 * their windows, and would not be there to abort one that hangs.
 */
void barrier_stay(struct barrier *barrier);

#endif
