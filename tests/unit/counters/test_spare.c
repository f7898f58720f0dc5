/* SPDX-License-Identifier: BSD-2-Clause */
/* The spare counter, whose overflow ends a hanging kernel. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/pass.h"
#include "pmu/counters/spare.h"

#define FULL_WIDTH (1ull << 13) /* bit 13 of IA32_PERF_CAPABILITIES */
#define MASK_48    0xffffffffffffull
#define GP         4u

static void start(unsigned pass)
{
    struct cpu_caps left;

    machine(4, GP, 3);
    fake.full_width = true;
    caps.gp_width_bits = FAKE_WIDTH;
    left = spare_without(&caps);
    schedule_make(&left, false, events, EVENTS_COUNT, &schedule, &schedule_work);
    assert_int_equal(program(pass).status, STATUS_OK);
}

TEST(who_can)
{
    struct cpu_caps other;

    machine(4, GP, 3);
    assert_true(spare_can(&caps, FULL_WIDTH));
    assert_int_equal(spare_counter(&caps), GP - 1);
    assert_false(spare_can(&caps, ~FULL_WIDTH));
    other = caps;
    other.gp_count = 1;
    assert_false(spare_can(&other, FULL_WIDTH));
    other.gp_count = 2;
    assert_true(spare_can(&other, FULL_WIDTH));
    other = caps;
    other.vendor = VENDOR_AMD;
    assert_true(spare_can(&other, 0));
}

/*
 * Microcode uses IA32_PMC3 itself (Intel, "Performance Monitoring Impact of Intel Transactional
 * Synchronization Extension Memory Ordering Issue"). If PMC3 is the last counter, PMC2 is the spare
 * one, and the schedule uses PMC0 and PMC1. Of eight counters, PMC3 is not the last.
 */
TEST(tsx_force_abort)
{
    machine(4, GP, 3);
    caps.features |= FEATURE_TSX_ABORT;
    assert_int_equal(spare_counter(&caps), 2);
    assert_int_equal(spare_without(&caps).gp_count, 2);
    caps.gp_count = 8;
    assert_int_equal(spare_counter(&caps), 7);
    assert_int_equal(spare_without(&caps).gp_count, 7);
}

TEST(out_of_the_schedule)
{
    unsigned counted = 0;

    start(0);
    for (unsigned p = 0; p < schedule.passes; p++)
        for (unsigned s = 0; s < schedule.pass[p].slots; s++) {
            const struct slot *slot = &schedule.pass[p].slot[s];

            assert_true(slot->where == SLOT_FIXED || slot->counter < GP - 1);
            counted |= 1u << slot->event;
        }
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        assert_true(events[e].status != STATUS_OK || counted >> e & 1);
}

/* The select's fields are event 3CH, both rings (bits 16 and 17), INT (20) and EN (22). */
TEST(in_the_registers)
{
    const uint64_t select = 0x3c | 1 << 16 | 1 << 17 | 1 << 20 | 1 << 22;
    uint64_t open_value;

    start(0);
    open_value = programmed.open_value;
    spare_add(&caps, GP - 1, &programmed);
    assert_true(programmed.open_value == (open_value | 1 << (GP - 1)));
    assert_int_equal(programmed.open_msr, MSR_IA32_PERF_GLOBAL_CTRL);
    fake.window = true;
    assert_true(spare_start(&FAKE_PORT, &caps, GP - 1, 1000));
    assert_true(fake_value(MSR_IA32_PMC0 + GP - 1) == (-1000 & MASK_48));
    assert_true(fake_value(MSR_IA32_PERFEVTSEL0 + GP - 1) == select);
    assert_true(fake_value(MSR_IA32_PERF_GLOBAL_CTRL) == 1 << (GP - 1));
    assert_int_equal(fake.ill_written + fake.absent, 0);
    for (unsigned i = 0; i < programmed.pass->slots; i++)
        if (programmed.pass->slot[i].where != SLOT_FIXED)
            assert_true(fake_value(MSR_IA32_PERFEVTSEL0 + programmed.pass->slot[i].counter) ==
                        programmed.select[programmed.pass->slot[i].counter]);
}

TEST(overflows_with_the_last)
{
    const struct spare_watch watch = spare_watch(&caps, GP - 1);
    uint64_t found;

    start(0);
    fake.window = true;
    fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value = 1 << (GP - 1);
    assert_true(spare_start(&FAKE_PORT, &caps, GP - 1, 4));
    for (unsigned i = 0; i < 3; i++) {
        assert_false(fake_value(MSR_IA32_PERF_GLOBAL_STATUS) >> (GP - 1) & 1);
        assert_false(spare_is_over(&FAKE_PORT, &watch));
    }
    fake_read(0, MSR_IA32_DEBUGCTL, &found);
    assert_true(fake_value(MSR_IA32_PERF_GLOBAL_STATUS) >> (GP - 1) & 1);
    assert_true(spare_is_over(&FAKE_PORT, &watch));
    assert_true(spare_stop(&FAKE_PORT, &caps, GP - 1));
    assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + GP - 1), 0);
    assert_false(spare_is_over(&FAKE_PORT, &(struct spare_watch){0}));
}

/* The counter never starts below 2^47. */
TEST(beyond_its_width)
{
    const uint64_t half = 1ull << 47;

    start(0);
    fake.window = true;
    assert_true(spare_start(&FAKE_PORT, &caps, GP - 1, half + 1));
    assert_true(fake_value(MSR_IA32_PMC0 + GP - 1) == half);
    fake_set(MSR_IA32_PERF_GLOBAL_CTRL, 0);
    assert_true(spare_start(&FAKE_PORT, &caps, GP - 1, half - 1));
    assert_true(fake_value(MSR_IA32_PMC0 + GP - 1) == half + 1);
    assert_int_equal(fake.ill_written, 0);
}

TEST(a_register_refuses)
{
    start(0);
    fake_register(MSR_IA32_PERFEVTSEL0 + GP - 1)->write_faults = true;
    assert_false(spare_start(&FAKE_PORT, &caps, GP - 1, 3));
    assert_true(fake_value(MSR_IA32_PERF_GLOBAL_CTRL) == 0);
}
