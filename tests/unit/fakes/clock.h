/* SPDX-License-Identifier: BSD-2-Clause */
/* A clock that threads share. The clock advances only when a thread sets it. */
#ifndef BARECOUNT_FAKE_CLOCK_H
#define BARECOUNT_FAKE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define CLOCK_USERS 5u
#define READINGS    8u /* after this many readings, a thread has seen the new time */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t changes;
static uint64_t now;
static unsigned readings[CLOCK_USERS];
static bool is_moving; /* a thread moves the clock; until it is done, no other may sleep */

static _Thread_local unsigned self;
static _Thread_local uint64_t seen;

static void tell_change(void)
{
    changes++;
    pthread_cond_broadcast(&changed);
}

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

/* Called with the lock held. Waits until the other users have read the new time. */
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
