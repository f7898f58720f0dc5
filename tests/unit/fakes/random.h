/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers for tests. The seed is new each time, and is printed. BARECOUNT_SEED=number
 * repeats a run.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_RANDOM_H
#define BARECOUNT_TESTS_UNIT_FAKES_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t random_state;

static inline void random_start(void)
{
    const char *given = getenv("BARECOUNT_SEED");

    random_state = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("BARECOUNT_SEED=%llu\n", (unsigned long long)random_state);
}

/* splitmix64: any seed is good. */
static inline uint64_t random_bits(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static inline uint64_t random_below(uint64_t bound)
{
    return random_bits() % bound;
}

#endif
