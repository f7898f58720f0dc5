/* SPDX-License-Identifier: BSD-2-Clause */
/* Zeroing and reading the counters of a pass, and their overflow bits. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/pass.h"

/*
 * The fixed counters' control is cleared first and restored last. Each general counter's select is
 * cleared before the counter is zeroed, and restored afterwards.
 */
TEST(zeroing_step_by_step)
{
    unsigned at = 0;

    machine(4, 4, 3);
    program(0);
    assert_int_equal(fake.writes, 4 + 1);
    fake.writes = 0;
    assert_true(fake_preset(&caps, &programmed, 0));
    assert_true(fake.log[at].msr == 0x38d && fake.log[at].value == 0);
    at++;
    for (unsigned s = 0; s < schedule.pass[0].slots; s++) {
        const struct slot *slot = &schedule.pass[0].slot[s];
        const uint32_t msr[3] = {0x186 + slot->counter, 0xc1 + slot->counter,
                                 0x186 + slot->counter};

        if (slot->where == SLOT_FIXED) {
            assert_int_equal(fake.log[at].msr, 0x309 + slot->counter);
            assert_int_equal(fake.log[at++].value, 0);
            continue;
        }
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(fake.log[at].msr, msr[i]);
            assert_int_equal(fake.log[at++].value, i < 2 ? 0 : select_of(slot->event));
        }
    }
    assert_true(fake.log[at].msr == 0x38d && fake.log[at].value == 0x111);
    assert_int_equal(fake.writes, at + 1);
}

TEST(faults_of_zeroing_and_reading_are_told)
{
    static const uint32_t ZEROED[] = {MSR_IA32_FIXED_CTR_CTRL, MSR_IA32_FIXED_CTR0,
                                      MSR_IA32_FIXED_CTR0 + 2, MSR_IA32_PERFEVTSEL0 + 3,
                                      MSR_IA32_PMC0,           MSR_IA32_PMC0 + 3};
    static const uint32_t READ[] = {MSR_IA32_FIXED_CTR0, MSR_IA32_PMC0, MSR_IA32_PMC0 + 3};
    uint64_t raw[SLOTS_MAX];

    for (size_t i = 0; i < sizeof(ZEROED) / sizeof(ZEROED[0]); i++) {
        machine(4, 4, 3);
        program(0);
        fake_register(ZEROED[i])->write_faults = true;
        assert_false(fake_preset(&caps, &programmed, 0));
    }
    for (size_t i = 0; i < sizeof(READ) / sizeof(READ[0]); i++) {
        machine(4, 4, 3);
        program(0);
        fake_register(READ[i])->read_faults = true;
        assert_false(pmu_read(&FAKE_PORT, &programmed, raw));
    }
}

/* Fixed counter 2's status bit is left out, because it may be set without an overflow. */
TEST(overflows_of_the_pass_alone)
{
    machine(4, 8, 3);
    schedule.pass[0].slots = 5; /* three fixed counters, PMC0 and PMC1 */
    program(0);
    assert_int_equal(programmed.open_value, 0x700000003ull);
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t status = 1ull << bit;
        bool ours = (0x300000003ull >> bit & 1) != 0;
        unsigned slot = bit < 32 ? bit + 3 : bit - 32;

        fake_set(MSR_IA32_PERF_GLOBAL_STATUS, status);
        fake.writes = 0;
        assert_int_equal(pmu_overflowed(&FAKE_PORT, &programmed), ours ? 1u << slot : 0);
        assert_int_equal(fake.writes, ours);
        assert_int_equal(fake_value(MSR_IA32_PERF_GLOBAL_STATUS), ours ? 0 : status);
    }
    fake_set(MSR_IA32_PERF_GLOBAL_STATUS, ~0ull);
    assert_int_equal(pmu_overflowed(&FAKE_PORT, &programmed), 0x1b);
    assert_int_equal(fake_value(MSR_IA32_PERF_GLOBAL_STATUS), ~0x300000003ull);
    fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->read_faults = true;
    assert_int_equal(pmu_overflowed(&FAKE_PORT, &programmed), 0);
}
