/* SPDX-License-Identifier: BSD-2-Clause */
/* The barrier, with the host's threads as CPUs. */
#include <pthread.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/clock.h"
#include "pmu/cpu/barrier.h"

#define SEATS    5u
#define MEETINGS 2000u
#define END      50u  /* ticks until the waiting members abort a late member's window */
#define BOUND    150u /* ticks until the waiting members go on without the late member */

static struct barrier barrier;
static struct barrier_seat seat[SEATS];
static volatile unsigned ends[SEATS]; /* how often each member's window was aborted */

static void end_holder(void *holder)
{
    __atomic_fetch_add((volatile unsigned *)holder, 1, __ATOMIC_RELAXED);
}

static const struct barrier_port PORT = {ticks, pause_here, end_holder};

static void begin(unsigned seats, bool needs_all)
{
    now = 0;
    barrier = (struct barrier){.port = &PORT,
                               .seat = seat,
                               .seats = seats,
                               .needs_all = needs_all,
                               .end_ticks = END,
                               .bound_ticks = BOUND};
    memset(seat, 0xa5, sizeof(seat));
    for (unsigned i = 0; i < SEATS; i++) {
        ends[i] = 0;
        seat[i].holder = (void *)&ends[i];
    }
    barrier_start(&barrier);
}

/* The results are checked when all threads have ended, because a thread must not fail the test. */
struct member {
    pthread_t thread;
    unsigned number;
    unsigned met;   /* successful meetings */
    unsigned wrong; /* failed checks */
    unsigned leaves_after;
    unsigned late_at; /* the meeting to which the member comes late */
    bool too_late;    /* arrives after BOUND */
    enum status status;
};

static struct member member[SEATS];
static volatile unsigned reached[SEATS];

/* Pseudo-random; in many meetings, no member wants another sample. */
static bool wants_more(unsigned number, unsigned meeting)
{
    return (meeting * 2654435761u >> 7) % (2 * SEATS) == number;
}

/*
 * Waits until the other members are in meeting `m`. After that, moves the clock past END, or past
 * BOUND if `too_late`.
 */
static void come_late(struct member *me, unsigned m)
{
    uint64_t start = now;

    pthread_mutex_lock(&lock);
    is_moving = true;
    tell_change();
    for (unsigned i = 0; i < barrier.seats; i++)
        while (i != self && m < member[i].leaves_after &&
               __atomic_load_n(&reached[i], __ATOMIC_ACQUIRE) <= m)
            pthread_cond_wait(&changed, &lock);
    set_clock(barrier.seats, start);
    set_clock(barrier.seats, start + END);
    me->wrong += ends[self] != 0;
    set_clock(barrier.seats, start + END + 1);
    me->wrong += ends[self] != barrier.seats - 1;
    if (me->too_late) {
        set_clock(barrier.seats, start + BOUND);
        me->wrong += __atomic_load_n(&seat[self].was_lost, __ATOMIC_ACQUIRE);
        now = start + BOUND + 1;
        while (!__atomic_load_n(&seat[self].was_lost, __ATOMIC_ACQUIRE))
            pthread_cond_wait(&changed, &lock);
    }
    is_moving = false;
    pthread_mutex_unlock(&lock);
}

static void *take_part(void *argument)
{
    struct member *me = argument;

    self = me->number;
    for (unsigned m = 0; m < me->leaves_after; m++) {
        bool any, right = false;

        if (m == me->late_at)
            come_late(me, m);
        __atomic_store_n(&reached[me->number], m + 1, __ATOMIC_RELEASE);
        me->status = barrier_meet(&barrier, me->number, wants_more(me->number, m), &any);
        if (me->status != STATUS_OK)
            break;
        me->met++;
        for (unsigned i = 0; i < barrier.seats; i++) {
            unsigned at = __atomic_load_n(&reached[i], __ATOMIC_ACQUIRE);
            bool was_there =
                m < member[i].leaves_after && !(seat[i].was_lost && m >= member[i].late_at);

            me->wrong += was_there && (at < m + 1 || at > m + 2);
            right |= was_there && wants_more(i, m);
        }
        me->wrong += any != right;
    }
    barrier_leave(&barrier, me->number);
    ticks(); /* wakes the others, because barrier_leave() does not call ticks() */
    barrier_stay(&barrier);
    return NULL;
}

static void run(unsigned seats, void (*change)(void))
{
    for (unsigned i = 0; i < seats; i++) {
        reached[i] = 0;
        member[i] = (struct member){.number = i, .leaves_after = MEETINGS, .late_at = MEETINGS};
    }
    if (change)
        change();
    for (unsigned i = 0; i < seats; i++)
        assert_int_equal(pthread_create(&member[i].thread, NULL, take_part, &member[i]), 0);
    for (unsigned i = 0; i < seats; i++) {
        assert_int_equal(pthread_join(member[i].thread, NULL), 0);
        assert_int_equal(member[i].wrong, 0);
    }
}

TEST(all_meet_and_agree)
{
    for (unsigned seats = 1; seats <= SEATS; seats++) {
        begin(seats, true);
        run(seats, NULL);
        for (unsigned i = 0; i < seats; i++) {
            assert_int_equal(member[i].met, MEETINGS);
            assert_int_equal(member[i].status, STATUS_OK);
            assert_int_equal(ends[i], 0);
            assert_false(seat[i].was_lost);
        }
    }
}

static void one_leaves_early(void)
{
    member[1].leaves_after = MEETINGS / 3;
    member[2].leaves_after = MEETINGS / 2;
}

TEST(the_others_go_on_without_who_leaves)
{
    begin(4, false);
    run(4, one_leaves_early);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(member[i].met, member[i].leaves_after);
        assert_int_equal(member[i].status, STATUS_OK);
    }
}

TEST(or_end_when_all_are_needed)
{
    begin(4, true);
    run(4, one_leaves_early);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(member[i].met, MEETINGS / 3);
        assert_int_equal(member[i].status, i == 1 ? STATUS_OK : STATUS_PARTNER);
        assert_int_equal(seat[i].status, member[i].status);
        assert_false(seat[i].was_lost);
    }
}

static void one_is_late(void)
{
    member[1].late_at = 7;
    member[1].too_late = true;
}

/*
 * The other members abort the late member's window once. After BOUND they go on without the late
 * member, or leave if all members are needed.
 */
TEST(who_does_not_come_is_left_behind)
{
    for (unsigned needs_all = 0; needs_all < 2; needs_all++) {
        begin(3, needs_all);
        run(3, one_is_late);
        assert_int_equal(member[1].met, 7);
        assert_int_equal(member[1].status, STATUS_TIMEOUT);
        assert_true(seat[1].was_lost);
        assert_int_equal(ends[1], 2);
        for (unsigned i = 0; i < 3; i += 2) {
            assert_int_equal(member[i].met, needs_all ? 7 : MEETINGS);
            assert_int_equal(member[i].status, needs_all ? STATUS_PARTNER : STATUS_OK);
            assert_int_equal(ends[i], 0);
            assert_false(seat[i].was_lost);
        }
    }
}

static void one_is_slow(void)
{
    member[2].late_at = 7;
}

TEST(who_is_ended_may_still_come)
{
    begin(3, true);
    run(3, one_is_slow);
    assert_int_equal(ends[2], 2);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(member[i].met, MEETINGS);
}

static void one_is_gone_another_late(void)
{
    member[0].leaves_after = 3;
    member[2].late_at = 5;
    member[2].too_late = true;
}

/* A member that has left still aborts the windows of late members and removes them. */
TEST(who_has_left_watches_too)
{
    begin(3, false);
    run(3, one_is_gone_another_late);
    assert_int_equal(member[0].met, 3);
    assert_int_equal(member[1].met, MEETINGS);
    assert_int_equal(member[1].status, STATUS_OK);
    assert_int_equal(member[2].met, 5);
    assert_int_equal(member[2].status, STATUS_TIMEOUT);
    assert_int_equal(ends[2], 2);
}

TEST(leaving_twice_is_leaving_once)
{
    bool any;

    begin(2, false);
    assert_false(barrier_is_short(&barrier));
    barrier_leave(&barrier, 1);
    barrier_leave(&barrier, 1);
    assert_true(barrier_is_short(&barrier));
    assert_int_equal(barrier_meet(&barrier, 0, true, &any), STATUS_OK);
    assert_true(any);
    assert_int_equal(barrier_meet(&barrier, 1, true, &any), STATUS_TIMEOUT);
    assert_false(any);
    barrier_leave(&barrier, 0);
    barrier_stay(&barrier);
}

/*
 * Called while seat 0 waits. Seat 1 comes to this meeting, and in its next meeting gives up seat 0.
 */
static void let_the_other_go_on(void)
{
    static bool is_going;
    bool any;

    if (is_going) {
        now++;
        return;
    }
    is_going = true;
    assert_int_equal(barrier_meet(&barrier, 1, true, &any), STATUS_OK);
    assert_true(any);
    assert_int_equal(barrier_meet(&barrier, 1, false, &any), STATUS_OK);
    is_going = false;
}

TEST(who_is_held_up_is_not_told_what_others_agreed)
{
    const struct barrier_port port = {ticks, let_the_other_go_on, end_holder};
    bool any;

    begin(2, false);
    barrier.port = &port;
    assert_int_equal(barrier_meet(&barrier, 0, true, &any), STATUS_TIMEOUT);
    assert_int_equal(seat[0].status, STATUS_TIMEOUT);
    assert_true(seat[0].was_lost);
    assert_false(any);
}
