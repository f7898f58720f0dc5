/* SPDX-License-Identifier: BSD-2-Clause */
/* The counter test with registers that raise #GP, with SMIs, and with unusable counters. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/trial.h"

TEST(registers_that_refuse)
{
    static const struct {
        uint32_t msr;
        bool read; /* false: a write raises #GP */
        uint64_t bits;
    } ROWS[] = {
        {0x187, false, 1 << 1},         {0xc3, true, 1 << 2},
        {0xc3, false, 1 << 2},          {0x30a, false, 2ull << 32},
        {0x38d, false, 7ull << 32},     {0x38e, true, 0x70000000full},
        {0x38f, false, 0x70000000full}, {0x390, false, 0x70000000full},
    };

    for (size_t r = 0; r < sizeof(ROWS) / sizeof(ROWS[0]); r++) {
        machine(4, 4);
        fake_register(ROWS[r].msr)->read_faults = ROWS[r].read;
        fake_register(ROWS[r].msr)->write_faults = !ROWS[r].read;
        test_and_expect(ROWS[r].bits, COUNTER_REFUSES);
        assert_int_equal(counter_check_first(&tests)->msr, ROWS[r].msr);
        expect_text(formatted("%s%u failed its test: MSR 0x%x raised #GP",
                              counter_check_first(&tests)->fixed ? "fixed" : "pmc",
                              counter_check_first(&tests)->counter, ROWS[r].msr));
    }
}

/* IA32_A_PMCx are enumerated but raise #GP, so the test writes IA32_PMCx. */
TEST(aliases_that_are_not_there)
{
    machine(4, 4);
    fake.full_width = false;
    counter_check(&COUNTER_PORT, &caps, true, &tests);
    expect(0, COUNTER_RIGHT);
    assert_int_equal(tests.alias_refused, 0x4c1);
}

TEST(widths_that_no_counter_has)
{
    static const unsigned WIDTHS[] = {0, 31, 64, 255};

    for (size_t i = 0; i < sizeof(WIDTHS) / sizeof(WIDTHS[0]); i++) {
        machine(4, 4);
        caps.gp_width_bits = WIDTHS[i];
        test_and_expect(0xf, COUNTER_WIDTH);
        expect_text(formatted("pmc0 failed its test: CPUID gives it %u bits", WIDTHS[i]));
    }
}

TEST(disturbed_steps_are_repeated)
{
    unsigned windows;

    machine(4, 1);
    test();
    windows = tests.windows;
    for (unsigned k = 0; k < windows; k++) {
        machine(4, 1);
        fake_smi_from = k;
        fake_smi_to = k + 1;
        test_and_expect(0, COUNTER_RIGHT);
        assert_true(tests.windows >= windows);
    }
    machine(4, 1);
    fake_smi_from = 3;
    fake_smi_to = 4;
    fake_smi_seen = false;
    test();
    assert_int_equal(counter_check_failures(&tests), 1);
}

TEST(an_end_without_end_of_smis)
{
    machine(4, 8);
    fake_smi_from = 0;
    lie_told = LIE_NOISY;
    liars = UINT64_MAX;
    test();
    assert_true(counter_check_failures(&tests) > 0);
    expect_order();
}

/* Microcode may reserve IA32_PMC3, and CPUID's bitmap of fixed counters may have holes. */
TEST(counters_without_use_are_left_alone)
{
    machine(4, 4);
    caps.features |= FEATURE_TSX_ABORT;
    caps.fixed_map = 5;
    test_and_expect(0, COUNTER_RIGHT);
    assert_int_equal(tests.counters, 5);
    assert_null(counter_check_failed(&tests, &(struct slot){.counter = 3}));
    for (unsigned i = 0; i < fake.writes && i < FAKE_LOG_MAX; i++) {
        assert_int_not_equal(fake.log[i].msr, 0x189);
        assert_int_not_equal(fake.log[i].msr, 0x30a);
    }
}

TEST(a_failed_counter_is_found_by_its_slot)
{
    liars_are(LIE_STUCK, 1 << 1 | 1ull << 32);
    test();
    for (unsigned i = 0; i < 4; i++) {
        const struct slot slots[] = {{.counter = (uint8_t)i},
                                     {.where = SLOT_FIXED, .counter = (uint8_t)i}};

        assert_int_equal(counter_check_failed(&tests, &slots[0]) != NULL, i == 1);
        assert_int_equal(counter_check_failed(&tests, &slots[1]) != NULL, i == 0);
        assert_null(counter_check_failed(NULL, &slots[0]));
    }
}
