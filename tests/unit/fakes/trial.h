/* SPDX-License-Identifier: BSD-2-Clause */
/* The counter test on the machine of fakes/counters.h, and its results. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_TRIAL_H
#define BARECOUNT_TESTS_UNIT_FAKES_TRIAL_H

#include "tests/unit/fakes/counters.h"

#define ALL_FIXED 3u

static struct cpu_caps caps;
static struct counter_tests tests;

static inline void machine(unsigned version, unsigned gp)
{
    fake_counters_start(version, gp, ALL_FIXED);
    caps = fake_caps(version, gp, ALL_FIXED);
    caps.gp_width_bits = caps.fixed_width_bits = FAKE_WIDTH;
    tests = (struct counter_tests){0};
}

static inline void test(void)
{
    counter_check(&COUNTER_PORT, &caps, fake.full_width, &tests);
}

/* `counters` says which of the four general and three fixed counters are faulty. */
static inline void liars_are(enum lie lie, uint64_t counters)
{
    machine(4, 4);
    lie_told = lie;
    liars = counters;
}

static inline unsigned bit_of(const struct tested_counter *counter)
{
    return counter->counter + (counter->fixed ? 32u : 0);
}

/* The counters of `bits` must have the fault, and all other counters must be right. */
static inline void expect(uint64_t bits, enum counter_fault fault)
{
    uint64_t seen = 0;

    for (unsigned i = 0; i < tests.counters; i++) {
        unsigned bit = bit_of(&tests.counter[i]);
        enum counter_fault right = bits >> bit & 1 ? fault : COUNTER_RIGHT;

        seen |= 1ull << bit;
        if (tests.counter[i].fault != right)
            fail_msg("lie %d of %llx, bits %u: counter bit %u has fault %u, not %d", lie_told,
                     (unsigned long long)liars, lie_bits, bit, tests.counter[i].fault, right);
    }
    assert_true((seen & bits) == bits);
}

static inline void test_and_expect(uint64_t bits, enum counter_fault fault)
{
    test();
    expect(bits, fault);
}

static inline void expect_text(const char *text)
{
    assert_non_null(counter_check_first(&tests));
    assert_written(counter_check_say(counter_check_first(&tests), &out), text);
}

static inline void expect_order(void)
{
    for (unsigned i = 0; i < fake.gp; i++)
        assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + i), 0);
    assert_int_equal(fake_value(MSR_IA32_FIXED_CTR_CTRL), 0);
    assert_int_equal(fake_value(MSR_IA32_PERF_GLOBAL_CTRL), 0);
    assert_int_equal(fake.ill_written + fake.absent + fake.early_opened, 0);
    assert_int_equal(tests.windows, fake_windows);
    assert_true(tests.windows <= tests.counters * COUNTER_WINDOWS_MAX);
}

#endif
