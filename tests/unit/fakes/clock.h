/* SPDX-License-Identifier: BSD-2-Clause */
/* A clock for threads that wait for each other. It advances only when a thread sets it. */
#ifndef BARECOUNT_FAKE_CLOCK_H
#define BARECOUNT_FAKE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define CLOCK_USERS 5u
#define READINGS    8u /* once a thread has read the clock this often, it has seen the new time */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t changes;               /* incremented when a thread reads or moves the clock */
static uint64_t now;                   /* set only by tests */
static unsigned readings[CLOCK_USERS]; /* how often each thread read the clock */
static bool is_moving;                 /* a thread is setting the clock, so others must not sleep */

static _Thread_local unsigned self;
static _Thread_local uint64_t seen;

static void tell_change(void)
{
    changes++;
    pthread_cond_broadcast(&changed);
}

/* pmu/cpu/barrier.c reads the time after each change of the barrier, and before it polls again. */
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

/* Sets the clock, with the lock held, and waits until the other users have read it. */
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
