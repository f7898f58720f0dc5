/* SPDX-License-Identifier: BSD-2-Clause */
/* A lock-free barrier with time limits. */
#include "pmu/cpu/barrier.h"

/*
 * One word contains the whole state, so that the state changes atomically. The state consists of
 * the meeting's number, the number of seats that are present, the number of seats that have
 * arrived, and flags of this and the previous meeting.
 */
#define MEETING      0xffffffffull
#define PRESENT_ONE  (1ull << 32)
#define CAME_ONE     (1ull << 44)
#define COUNT        0xfffull
#define WANTS_MORE   (1ull << 56)
#define WANTED_MORE  (1ull << 57)
#define WAS_COMPLETE (1ull << 58)

#define LOOKS_PER_STAMP 16u /* polls of the state per read of the clock */

static uint64_t present(uint64_t state)
{
    return state / PRESENT_ONE & COUNT;
}

static uint64_t came(uint64_t state)
{
    return state / CAME_ONE & COUNT;
}

static uint64_t look(const struct barrier *barrier)
{
    return __atomic_load_n(&barrier->state, __ATOMIC_ACQUIRE);
}

/* The next meeting's first state if all present seats have arrived, else `state`. */
static uint64_t settled(const struct barrier *barrier, uint64_t state)
{
    uint64_t next;

    if (present(state) == 0 || came(state) < present(state))
        return state;
    next = ((state + 1) & MEETING) | present(state) * PRESENT_ONE;
    if (state & WANTS_MORE)
        next |= WANTED_MORE;
    if (present(state) == barrier->seats)
        next |= WAS_COMPLETE;
    return next;
}

static void change(struct barrier *barrier, uint64_t add, uint64_t set)
{
    uint64_t old = look(barrier);

    while (!__atomic_compare_exchange_n(&barrier->state, &old, settled(barrier, (old + add) | set),
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

void barrier_start(struct barrier *barrier)
{
    for (unsigned i = 0; i < barrier->seats; i++) {
        barrier->seat[i].met = 0;
        barrier->seat[i].status = STATUS_OK;
        barrier->seat[i].was_lost = false;
    }
    barrier->state = barrier->seats * PRESENT_ONE;
}

static void leave_behind(struct barrier *barrier, struct barrier_seat *seat, uint64_t met)
{
    uint64_t old = __atomic_load_n(&seat->met, __ATOMIC_ACQUIRE);

    if (old >= met || !__atomic_compare_exchange_n(&seat->met, &old, BARRIER_GONE, false,
                                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    seat->was_lost = true;
    change(barrier, -PRESENT_ONE, 0);
}

static void end_missing(const struct barrier *barrier, uint64_t met)
{
    for (unsigned i = 0; barrier->port->end && i < barrier->seats; i++)
        if (__atomic_load_n(&barrier->seat[i].met, __ATOMIC_ACQUIRE) < met)
            barrier->port->end(barrier->seat[i].holder);
}

/*
 * Waits until the word differs from `state` in a bit of `mask`. CPUs that have attended fewer than
 * `met` meetings are missing: after end_ticks their windows are aborted, and after bound_ticks
 * their seats are removed.
 */
static void wait(struct barrier *barrier, uint64_t state, uint64_t mask, uint64_t met)
{
    const struct barrier_port *port = barrier->port;
    uint64_t start = port->ticks();
    bool ended = false;

    for (unsigned looks = 1; ((look(barrier) ^ state) & mask) == 0; looks++) {
        port->pause();
        if (looks % LOOKS_PER_STAMP != 0)
            continue;
        if (!ended && port->ticks() - start > barrier->end_ticks) {
            ended = true;
            end_missing(barrier, met);
        }
        if (port->ticks() - start > barrier->bound_ticks)
            for (unsigned i = 0; i < barrier->seats; i++)
                leave_behind(barrier, &barrier->seat[i], met);
    }
}

enum status barrier_meet(struct barrier *barrier, unsigned number, bool more, bool *any)
{
    struct barrier_seat *seat = &barrier->seat[number];
    uint64_t state = look(barrier), met = (state & MEETING) + 1;
    uint64_t old = __atomic_load_n(&seat->met, __ATOMIC_ACQUIRE);

    *any = false;
    if (old == BARRIER_GONE || !__atomic_compare_exchange_n(&seat->met, &old, met, false,
                                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        seat->status = STATUS_TIMEOUT;
        return seat->status;
    }
    change(barrier, CAME_ONE, more ? WANTS_MORE : 0);
    wait(barrier, state, MEETING, met);
    state = look(barrier);
    /* if the other CPUs went on alone, `state` may belong to a later meeting */
    if (__atomic_load_n(&seat->met, __ATOMIC_ACQUIRE) != met) {
        seat->status = STATUS_TIMEOUT;
        return seat->status;
    }
    *any = state & WANTED_MORE;
    if (barrier->needs_all && !(state & WAS_COMPLETE))
        seat->status = STATUS_PARTNER;
    return seat->status;
}

bool barrier_is_short(const struct barrier *barrier)
{
    return present(look(barrier)) < barrier->seats;
}

void barrier_leave(struct barrier *barrier, unsigned number)
{
    if (__atomic_exchange_n(&barrier->seat[number].met, BARRIER_GONE, __ATOMIC_ACQ_REL) !=
        BARRIER_GONE)
        change(barrier, -PRESENT_ONE, 0);
}

void barrier_stay(struct barrier *barrier)
{
    uint64_t state = look(barrier);

    while (present(state) > 0) {
        wait(barrier, state, ~0ull, (state & MEETING) + 1);
        state = look(barrier);
    }
}
