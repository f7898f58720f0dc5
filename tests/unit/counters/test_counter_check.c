/* SPDX-License-Identifier: BSD-2-Clause */
/* The counter test: it passes good counters, and finds each kind of defect. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/trial.h"

TEST(right_counters_pass)
{
    static const unsigned WIDTHS[] = {32, 40, 48};

    for (unsigned version = 1; version <= 5; version++)
        for (unsigned gp = 1; gp <= GP_COUNTERS_MAX; gp++)
            for (unsigned w = 0; w < 3; w++)
                for (unsigned full = 0; full <= (version > 1 ? 1 : 0); full++) {
                    machine(version, gp);
                    fake.width = caps.gp_width_bits = caps.fixed_width_bits = WIDTHS[w];
                    for (unsigned i = 0; version > 1 && i < ALL_FIXED; i++)
                        fake_register(MSR_IA32_FIXED_CTR0 + i)->writable = fake_bits(WIDTHS[w]);
                    fake.full_width = full;
                    test_and_expect(0, COUNTER_RIGHT);
                    expect_order();
                    assert_int_equal(tests.counters, version > 1        ? gp + ALL_FIXED
                                                     : gp < SELECTS_MAX ? gp
                                                                        : SELECTS_MAX);
                    assert_int_equal(tests.general_named, gp);
                    assert_int_equal(tests.general_kept, gp);
                    assert_int_equal(caps.gp_count, gp);
                    assert_int_equal(fake_value(MSR_IA32_PERF_GLOBAL_STATUS), 0);
                    assert_null(counter_check_first(&tests));
                    assert_int_equal(counter_check_failures(&tests), 0);
                }
}

/* Counters of top-down analysis may stand still in the test, but must keep a written value. */
TEST(counters_that_may_stand_still)
{
    for (unsigned keeps = 0; keeps < 2; keeps++) {
        fake_counters_start(5, 8, 7);
        caps = fake_caps(5, 8, 7);
        caps.gp_width_bits = caps.fixed_width_bits = FAKE_WIDTH;
        tests = (struct counter_tests){0};
        caps.fixed_map = 0x77;
        lie_told = LIE_STUCK;
        liars = 0x70ull << 32;
        if (!keeps)
            fake_register(MSR_IA32_FIXED_CTR0 + 5)->stuck = 1;
        test();
        expect(keeps ? 0 : 1ull << 37, COUNTER_FORGETS);
        assert_int_equal(tests.counters, 14);
    }
}

TEST(absent_counters_are_not_tested)
{
    machine(5, 8);
    caps.gp_absent = 0xa0;
    test_and_expect(0, COUNTER_RIGHT);
    assert_int_equal(tests.counters, 6 + ALL_FIXED);
    assert_int_equal(tests.general_named, 6);
    assert_int_equal(tests.general_kept, 6);
    assert_int_equal(caps.gp_count, 7);
}

/*
 * Each counter gets 33 equal windows and one with an overflow. Each bit gets one more window, in
 * which the count carries into the bit and out of it.
 */
TEST(every_bit_is_tried)
{
    machine(4, 4);
    test();
    assert_int_equal(tests.windows, (4 + ALL_FIXED) * (33 + FAKE_WIDTH + 1));
}

static const uint64_t COUNTERS[] = {1 << 0, 1 << 1, 1 << 3, 1ull << 32, 1ull << 33, 1ull << 34};

TEST(each_lie_of_each_counter)
{
    static const struct {
        enum lie lie;
        enum counter_fault fault, of_cycles;
    } ROWS[] = {
        {LIE_STUCK, COUNTER_SILENT, COUNTER_SILENT},
        {LIE_ONE_MORE, COUNTER_WINDOW, COUNTER_ANY_RING},
        {LIE_LATE, COUNTER_WINDOW, COUNTER_RIGHT},
        {LIE_NOISY, COUNTER_VARIES, COUNTER_ANY_RING},
        {LIE_OTHER_RING, COUNTER_OTHER_RING, COUNTER_OTHER_RING},
        {LIE_ANY_RING, COUNTER_ANY_RING, COUNTER_ANY_RING},
        {LIE_WRAP, COUNTER_CARRY, COUNTER_CARRY},
        {LIE_FORGETS, COUNTER_FORGETS, COUNTER_FORGETS},
        {LIE_NO_STATUS, COUNTER_OVERFLOW, COUNTER_OVERFLOW},
        {LIE_OTHER_STATUS, COUNTER_OVERFLOW, COUNTER_OVERFLOW},
        {LIE_STICKY, COUNTER_UNCLEARED, COUNTER_UNCLEARED},
        {LIE_UNSET, COUNTER_UNSET, COUNTER_UNSET},
        {LIE_OTHER_SET, COUNTER_UNSET, COUNTER_UNSET},
        {LIE_STICKY_SET, COUNTER_UNCLEARED, COUNTER_UNCLEARED},
    };

    for (size_t r = 0; r < sizeof(ROWS) / sizeof(ROWS[0]); r++)
        for (size_t c = 0; c < sizeof(COUNTERS) / sizeof(COUNTERS[0]); c++) {
            enum counter_fault right = COUNTERS[c] > 1ull << 32 ? ROWS[r].of_cycles : ROWS[r].fault;

            liars_are(ROWS[r].lie, COUNTERS[c]);
            test_and_expect(liars, right);
            expect_order();
            assert_int_equal(counter_check_failures(&tests), right != COUNTER_RIGHT);
            assert_int_equal(caps.gp_count, 4);
        }
}

/*
 * A counter starts at 2^k - 2 and counts `counts` events. Returns the smallest k with which the
 * counter loses a carry out of bit `bits` - 1.
 */
static unsigned first_lost(unsigned bits, uint64_t counts)
{
    unsigned k = 1;

    while ((1ull << k) - 2 + counts < 1ull << bits)
        k++;
    return k;
}

/* A lost carry out of bits 1 to 6 may also be found as another fault, or at a lower bit. */
TEST(each_carry)
{
    static const uint64_t COUNTS[] = {6, 6, 6, 6, FAKE_CYCLES + 2, FAKE_TICKS};

    for (size_t c = 0; c < sizeof(COUNTERS) / sizeof(COUNTERS[0]); c++)
        /* with 1 bit, a reference counter always shows 1 here, and passes */
        for (unsigned bits = 2; bits < FAKE_WIDTH; bits++) {
            const struct tested_counter *failed;

            liars_are(LIE_WRAP, COUNTERS[c]);
            lie_bits = bits;
            test();
            failed = counter_check_first(&tests);
            assert_int_equal(counter_check_failures(&tests), 1);
            assert_int_equal(1ull << bit_of(failed), liars);
            if (COUNTS[c] >= 1ull << bits)
                continue;
            assert_int_equal(failed->fault, COUNTER_CARRY);
            if (bits > 7)
                assert_int_equal(failed->bit, bits - 1);
            else
                assert_in_range(failed->bit, first_lost(bits, COUNTS[c]) - 1, bits - 1);
        }
}

/*
 * The counter of reference cycles may take a written value late. Its status bit may be set again
 * after a clear.
 */
TEST(a_reference_counter_that_is_updated_late)
{
    for (unsigned version = 2; version <= 5; version++) {
        machine(version, 4);
        lie_told = LIE_UPDATED_LATE;
        liars = GLOBAL_REFERENCE;
        test_and_expect(0, COUNTER_RIGHT);
        expect_order();
    }
}

TEST(the_reference_counters_bit_comes_back_late)
{
    for (unsigned version = 2; version <= 5; version++) {
        machine(version, 4);
        lie_told = LIE_LATE_BIT;
        liars = 1 << 2;
        test_and_expect(0, COUNTER_RIGHT);
    }
}

TEST(sentences)
{
    static const struct {
        enum lie lie;
        const char *text;
    } ROWS[] = {
        {LIE_STUCK, "pmc2 failed its test: it counts nothing"},
        {LIE_ONE_MORE, "pmc2 failed its test: the empty window counted 7, not 6"},
        {LIE_LATE, "pmc2 failed its test: the empty window counted 9, not 6"},
        {LIE_NOISY, "pmc2 failed its test: the empty window counted 6 to 9"},
        {LIE_OTHER_RING, "pmc2 failed its test: it counts the wrong ring: CPL 0 when set to CPL 3"},
        {LIE_ANY_RING, "pmc2 failed its test: set to count CPL 3 alone, it counted 6 at CPL 0"},
        {LIE_WRAP, "pmc2 failed its test: carries are lost above bit 9"},
        {LIE_FORGETS, "pmc2 failed its test: it reads 0x7fffaaaaaaaa, not the 0xffffaaaaaaaa "
                      "that was written"},
        {LIE_NO_STATUS, "pmc2 failed its test: its overflow set status bits 0x0, not 0x4"},
        {LIE_OTHER_STATUS, "pmc2 failed its test: its overflow set status bits 0xc, not 0x4"},
        {LIE_STICKY, "pmc2 failed its test: its status bit cannot be cleared"},
        {LIE_UNSET, "pmc2 failed its test: MSR 0x391 set status bits 0x0, not 0x4"},
        {LIE_OTHER_SET, "pmc2 failed its test: MSR 0x391 set status bits 0xc, not 0x4"},
        {LIE_STICKY_SET, "pmc2 failed its test: its status bit cannot be cleared"},
    };

    for (size_t r = 0; r < sizeof(ROWS) / sizeof(ROWS[0]); r++) {
        liars_are(ROWS[r].lie, 1 << 2);
        test();
        expect_text(ROWS[r].text);
    }
}

TEST(counters_that_do_not_exist)
{
    for (unsigned real = 1; real < 6; real++) {
        machine(4, 6);
        lie_told = LIE_ABSENT;
        liars = fake_bits(6) & ~fake_bits(real);
        test_and_expect(0, COUNTER_RIGHT);
        assert_int_equal(tests.general_named, 6);
        assert_int_equal(tests.general_kept, real);
        assert_int_equal(caps.gp_count, real);
        assert_int_equal(tests.counters, real + ALL_FIXED);
    }
    /* this counter is not absent, because a later one works */
    liars_are(LIE_ABSENT, 1 << 1);
    test_and_expect(liars, COUNTER_SILENT);
    assert_int_equal(caps.gp_count, 4);
    liars_are(LIE_ABSENT, fake_bits(4) | fake_bits(ALL_FIXED) << 32);
    test_and_expect(liars, COUNTER_SILENT);
    assert_int_equal(caps.gp_count, 4);
}

TEST(widths_that_no_counter_has)
{
    static const uint8_t WIDTHS[] = {0, 31, 64};

    for (unsigned w = 0; w < sizeof(WIDTHS); w++) {
        machine(4, 4);
        caps.fixed_width_bits = WIDTHS[w];
        test_and_expect(fake_bits(ALL_FIXED) << 32, COUNTER_WIDTH);
        machine(4, 4);
        caps.gp_width_bits = WIDTHS[w];
        test_and_expect(fake_bits(4), COUNTER_WIDTH);
    }
}

/* A CPU may count none, one or both WRMSRs of a window, but the same number on all counters. */
TEST(the_retirement_of_wrmsr)
{
    for (fake_wrmsr = 0; fake_wrmsr <= 2; fake_wrmsr++) {
        uint64_t wrmsr = fake_wrmsr;

        machine(4, 4);
        fake_wrmsr = wrmsr;
        test_and_expect(0, COUNTER_RIGHT);
        assert_int_equal(tests.wrmsr_counted, wrmsr);
    }
    machine(4, 4);
    fake_wrmsr = 3;
    test_and_expect(fake_bits(4) | 1ull << 32, COUNTER_WINDOW);
    machine(1, 4); /* without a global control, each counter has its own window */
    fake_wrmsr = 2;
    test_and_expect(0, COUNTER_RIGHT);
    machine(1, 1); /* a single counter does not show how many WRMSRs are counted */
    fake_wrmsr = 2;
    test_and_expect(1, COUNTER_WINDOW);
    machine(4, 1); /* if two counters differ, the one that counts one WRMSR is right */
    lie_told = LIE_ONE_MORE;
    liars = 1;
    test_and_expect(1, COUNTER_WINDOW);
}

TEST(without_peace)
{
    machine(4, 4);
    fake_smi_from = 0;
    test_and_expect(fake_bits(4) | 7ull << 32, COUNTER_DISTURBED);
    /* the first counter is tried three times, and each other counter once */
    assert_int_equal(tests.windows, (3 + 4 + ALL_FIXED - 1) * 17);
    expect_text("fixed0 could not be tested: SMIs, NMIs or machine checks disturbed each attempt");
    liars_are(LIE_STUCK, 1 << 2);
    fake_smi_from = 0;
    test();
    assert_int_equal(counter_check_failed(&tests, &(struct slot){.counter = 2})->fault,
                     COUNTER_DISTURBED);
    machine(4, 4); /* an SMI that no register reports looks like a fault of the counter */
    fake_smi_from = 0;
    fake_smi_seen = false;
    test();
    assert_true(counter_check_first(&tests)->fault != COUNTER_DISTURBED);
}
