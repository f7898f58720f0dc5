/* SPDX-License-Identifier: BSD-2-Clause */
/* A clock for threads that wait for each other: it stands still but where one of them moves it. */
#ifndef BARECOUNT_FAKE_CLOCK_H
#define BARECOUNT_FAKE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define CLOCK_USERS 5u
#define READINGS    8u /* of the clock: by then a wait has begun anew and seen what time it is */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t changes;               /* after each change of the barrier's state it grows */
static uint64_t now;                   /* stands still except where a test moves it */
static unsigned readings[CLOCK_USERS]; /* of the clock, by each member */
static bool is_moving;                 /* somebody moves the clock, so nobody sleeps */

static _Thread_local unsigned self;
static _Thread_local uint64_t seen;

static void tell_change(void)
{
    changes++;
    pthread_cond_broadcast(&changed);
}

/* pmu/cpu/barrier.c asks for the time after each change it makes, and before it looks again. */
static uint64_t ticks(void)
{
    uint64_t time;

    pthread_mutex_lock(&lock);
    readings[self]++;
    tell_change();
    time = now;
    pthread_mutex_unlock(&lock);
    return time;
}

static void pause_here(void)
{
    pthread_mutex_lock(&lock);
    while (changes == seen && !is_moving)
        pthread_cond_wait(&changed, &lock);
    seen = changes;
    pthread_mutex_unlock(&lock);
}

/* With the lock held: sets the clock, and lets the other users see it. */
static void set_clock(unsigned users, uint64_t to)
{
    now = to;
    for (unsigned i = 0; i < users; i++) {
        unsigned before = readings[i];

        while (i != self && readings[i] - before < READINGS)
            pthread_cond_wait(&changed, &lock);
    }
}

#endif
