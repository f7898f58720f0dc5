/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter preset to -N overflows at the N-th event (Intel SDM vol. 3B, "Performance Event Select
 * Registers").
 */
#include "tests/unit/test.h"
#include "tests/unit/fakes/pass.h"

#define MASK_48 0xffffffffffffull

static void start(unsigned version, unsigned gp, unsigned fixed)
{
    machine(version, gp, fixed);
    caps.gp_width_bits = FAKE_WIDTH;
    caps.fixed_width_bits = fixed ? FAKE_WIDTH : 0;
    assert_int_equal(program(0).status, STATUS_OK);
}

static uint64_t counter_value(const struct slot *slot)
{
    return fake_value((slot->where == SLOT_FIXED ? MSR_IA32_FIXED_CTR0 : MSR_IA32_PMC0) +
                      slot->counter);
}

static void expect_preset(uint64_t events)
{
    const struct pass *pass = &schedule.pass[0];

    assert_true(fake_preset(&caps, &programmed, events));
    for (unsigned s = 0; s < pass->slots; s++) {
        assert_true(counter_value(&pass->slot[s]) == (-events & MASK_48));
        if (pass->slot[s].where != SLOT_FIXED)
            assert_true(fake_value(MSR_IA32_PERFEVTSEL0 + pass->slot[s].counter) ==
                        programmed.select[pass->slot[s].counter]);
    }
    assert_true(fake_value(MSR_IA32_FIXED_CTR_CTRL) == programmed.fixed_ctrl);
    assert_int_equal(fake.early_opened + fake.ill_written + fake.absent, 0);
}

TEST(counters_hold_minus_n)
{
    static const uint64_t EVENTS_TO_GO[] = {0, 1, 2, 1000, 0x7fffffff, 0x80000000};

    for (size_t i = 0; i < sizeof(EVENTS_TO_GO) / sizeof(EVENTS_TO_GO[0]); i++) {
        start(4, 4, 3);
        expect_preset(EVENTS_TO_GO[i]);
        start(4, 0, 3); /* only fixed counters */
        expect_preset(EVENTS_TO_GO[i]);
        start(2, 2, 0); /* only general counters */
        fake_register(MSR_IA32_FIXED_CTR_CTRL)->msr = 0;
        fake.absent = 0;
        assert_true(fake_preset(&caps, &programmed, EVENTS_TO_GO[i]));
    }
}

/* The full-width alias is not used, so IA32_PMCx take only 32 bits. */
TEST(the_right_registers_are_written)
{
    unsigned general = 0;

    start(4, 4, 3);
    fake.writes = 0;
    assert_true(fake_preset(&caps, &programmed, 5));
    for (unsigned i = 0; i < fake.writes; i++) {
        assert_false(fake.log[i].msr >= 0x4c1 && fake.log[i].msr < 0x4c1 + 4);
        if (fake.log[i].msr < 0xc1 || fake.log[i].msr >= 0xc1 + 4)
            continue;
        general++;
        assert_true(fake.log[i].value == 0xfffffffbull);
    }
    assert_true(general > 0);
}

TEST(what_cannot_be_held_is_not_written)
{
    start(4, 4, 3);
    fake.writes = 0;
    assert_true(pmu_preset_max(&caps) == 0x80000000);
    assert_false(fake_preset(&caps, &programmed, 0x80000001));
    assert_int_equal(fake.writes, 0);
    caps.fixed_width_bits = 31;
    assert_true(pmu_preset_max(&caps) == 0x7fffffff);
    caps.fixed_map = 0;
    assert_true(pmu_preset_max(&caps) == 0x80000000);
    caps.gp_count = 0;
    caps.fixed_map = 7;
    caps.fixed_width_bits = FAKE_WIDTH;
    assert_true(pmu_preset_max(&caps) == MASK_48);
}

TEST(they_overflow_with_the_nth_event)
{
    for (uint64_t events = 2; events <= 9; events++)
        for (uint64_t counted = events - 1; counted <= events; counted++) {
            start(4, 4, 3);
            assert_true(fake_preset(&caps, &programmed, events));
            fake.window = true;
            fake_write(NULL, programmed.open_msr, programmed.open_value);
            for (uint64_t i = 0; i + 1 < counted; i++)
                fake_tick();
            fake_write(NULL, programmed.open_msr, 0);
            assert_true(fake_value(MSR_IA32_PERF_GLOBAL_STATUS) ==
                        (counted == events ? programmed.open_value : 0));
        }
}

/* In PMU version 1, EN alone starts a counter, so a preset leaves EN clear. */
TEST(version_1)
{
    start(1, 2, 0);
    expect_preset(77);
    assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0) >> 22 & 1, 0);
}

TEST(a_register_that_refuses)
{
    start(4, 4, 3);
    fake_register(MSR_IA32_FIXED_CTR0 + 1)->write_faults = true;
    assert_false(fake_preset(&caps, &programmed, 5));
    assert_true(fake_value(MSR_IA32_FIXED_CTR0 + 2) == (-5ull & MASK_48));
}
