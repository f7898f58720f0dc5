/* SPDX-License-Identifier: BSD-2-Clause */
/* Uncore counting: taking over, programming, opening and closing. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore_run.h"

TEST(taking_stops_all_at_once)
{
    nehalem(true);
    for (unsigned i = 0; i < 8; i++)
        fake_msr(0x391)->value |= 1ull << i;
    fake_msr(0x3c3)->value &= ~EN;
    fake_msr(0x391)->value &= ~(1ull << 6);
    assert_int_equal(fake_open(), 7);
    take(ALL_KINDS);
    assert_int_equal(fake.log[0].address, 0x391);
    assert_int_equal(fake.log[0].value, 0);
    assert_int_equal(held.left_running, 7);
    assert_int_equal(fake_open() + fake.early + fake.absent + fake.ill_written, 0);
    for (unsigned i = 0; i < fake.counters; i++) {
        assert_int_equal(fake.reg[fake.counter[i].counter].value, 0);
        assert_int_equal(fake.reg[fake.counter[i].select].value, 0);
    }
}

TEST(only_the_kinds_asked_for_are_touched)
{
    nehalem(false);
    take(1u << KIND_CLOCK);
    for (unsigned i = 0; i < fake.writes; i++)
        assert_true(fake.log[i].address == 0x391 || fake.log[i].address == 0x394 ||
                    fake.log[i].address == 0x395);
    assert_int_equal(fake.writes, 3);
    assert_int_equal(held.count, 3);
    nehalem(false);
    take(1u << KIND_UNCORE);
    for (unsigned i = 0; i < fake.writes; i++)
        assert_false(fake.log[i].address == 0x394 || fake.log[i].address == 0x395);
    assert_int_equal(held.count, 1 + 8 + 8 + 1);
    nehalem(false);
    take(1u << KIND_CBO | 1u << KIND_ENERGY);
    assert_int_equal(fake.writes + held.count, 0);
}

/*
 * A client's kinds share one enable bit. Counters that other software left enabled would count too.
 */
TEST(what_opens_together_is_taken_together)
{
    fake_sandy_bridge(2);
    somebody_was_here(true);
    fake_msr(0x391)->value = 0;
    memcpy(before, fake.reg, sizeof(before));
    find(0x2a);
    no_events();
    take(1u << KIND_CLOCK);
    count(KIND_CLOCK, 0, 0);
    run(100);
    assert_int_equal(raw[0], 100);
    assert_int_equal(uncore_give_back(&FAKE_PORT, &held).status, STATUS_OK);
    assert_memory_equal(fake.reg, before, sizeof(before));
}

TEST(a_pass_stands_in_its_registers_and_counts_nothing_yet)
{
    nehalem(true);
    take(ALL_KINDS);
    count(KIND_UNCORE, SELECT, 3)->extra_msr = 0x396;
    event[0].extra = 0x4000000000000123ull;
    count(KIND_UNCORE, 5, 7);
    count(KIND_CLOCK, 0, 0);
    assert_int_equal(uncore_kinds(event, &pass), 1u << KIND_UNCORE | 1u << KIND_CLOCK);
    assert_int_equal(program(), STATUS_OK);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(fake_msr(0x3c0 + i)->value, i == 3 ? SELECT | EN : i == 7 ? 5 | EN : 0);
    assert_int_equal(fake_msr(0x395)->value, 1);
    assert_int_equal(fake_msr(0x396)->value, 0x4000000000000123ull);
    assert_int_equal(programmed.global, 1ull << 3 | 1ull << 7 | 1ull << 32);
    assert_int_equal(fake_open() + fake.early, 0);
    pass.slots = 0;
    count(KIND_UNCORE, 1, 0);
    assert_int_equal(program(), STATUS_OK);
    assert_int_equal(fake_msr(0x3c0)->value, 1 | EN);
    assert_int_equal(fake_msr(0x3c3)->value + fake_msr(0x3c7)->value + fake_msr(0x396)->value, 0);
    assert_int_equal(programmed.global, 1);
    assert_int_equal(fake.absent, 0);
}

/* An event may set all bits that the manual defines, except the enable bits of counter and PMI. */
TEST(no_reserved_bit_is_written)
{
    const uint64_t fields = 0xff86ffff, client_fields = 0x1f84ffff;

    for (unsigned bit = 0; bit < 64; bit++) {
        nehalem_taken();
        count(KIND_UNCORE, 1ull << bit, 0);
        assert_int_equal(program(), fields & 1ull << bit ? STATUS_OK : STATUS_UNCORE_FIELD);
        sandy_bridge_taken(4);
        count(bit & 1 ? KIND_CBO : KIND_ARB, 1ull << bit, 0);
        assert_int_equal(program(), client_fields & 1ull << bit ? STATUS_OK : STATUS_UNCORE_FIELD);
        assert_int_equal(fake.absent, 0);
    }
}

/* OCC_CTR_RST reads as 0, which is no error. */
TEST(what_is_not_kept_is_told)
{
    struct uncore_error error;

    nehalem_taken();
    count(KIND_UNCORE, SELECT | 1ull << 17, 2);
    fake_msr(0x3c2)->stuck = 1ull << 17;
    assert_int_equal(program(), STATUS_OK);
    fake_msr(0x3c2)->value = 0;
    fake_msr(0x3c2)->stuck = 2;
    error = program_error();
    assert_int_equal(error.status, STATUS_UNCORE_KEPT);
    assert_int_equal(error.space, SPACE_MSR);
    assert_int_equal(error.address, 0x3c2);
    assert_int_equal(error.written, SELECT | 1ull << 17 | EN);
    assert_int_equal(error.read, error.written & ~2ull);
    fake_msr(0x3c2)->write_faults = true;
    error = program_error();
    assert_int_equal(error.status, STATUS_UNCORE_REFUSED);
    assert_int_equal(error.address, 0x3c2);
}

TEST(a_kind_that_fails_leaves_the_others)
{
    struct uncore_error error;

    for (unsigned failing = 0; failing < 2; failing++) {
        bool is_clock = failing == 0;

        nehalem_taken();
        count(KIND_UNCORE, SELECT, 2);
        count(KIND_CLOCK, 0, 0);
        fake_msr(is_clock ? 0x395 : 0x3c2)->stuck = ~0ull;
        error = program_error();
        assert_int_equal(error.kind, is_clock ? KIND_CLOCK : KIND_UNCORE);
        assert_int_equal(error.status, STATUS_UNCORE_KEPT);
        assert_int_equal(error.address, is_clock ? 0x395 : 0x3c2);
        assert_int_equal(programmed.failed, 1u << (is_clock ? KIND_CLOCK : KIND_UNCORE));
        assert_int_equal(programmed.global, is_clock ? 1ull << 2 : 1ull << 32);
        fake_msr(is_clock ? 0x394 : 0x3b2)->read_faults = true;
        window(100);
        assert_int_equal(raw[0], is_clock ? 200 : 0);
        assert_int_equal(raw[1], is_clock ? 0 : 100);
    }
}

/* In each cycle, a counter grows by its event number, and the clock grows by 1. */
TEST(a_window_counts_what_passes_between)
{
    unsigned writes;

    nehalem(true);
    take(ALL_KINDS);
    count(KIND_UNCORE, 0x05, 6);
    count(KIND_CLOCK, 0, 0);
    count(KIND_UNCORE, 0x11, 1);
    count(KIND_NONE, 0x3c, 0); /* a core's event, programmed elsewhere */
    pass.slot[3].where = SLOT_FIXED;
    raw[3] = 12345;
    assert_int_equal(uncore_kinds(event, &pass), 1u << KIND_UNCORE | 1u << KIND_CLOCK);
    assert_int_equal(program(), STATUS_OK);
    writes = fake.writes;
    fake.window = true;
    assert_true(window_opens());
    assert_int_equal(fake.writes, writes + 1);
    fake_pass(1000);
    assert_true(window_closes());
    assert_int_equal(fake.writes, writes + 2);
    assert_int_equal(fake_open(), 0);
    assert_int_equal(raw[0], 5000);
    assert_int_equal(raw[1], 1000);
    assert_int_equal(raw[2], 17000);
    assert_int_equal(raw[3], 12345);
    run(1); /* counters are not reset */
    assert_int_equal(raw[0], 5);
    assert_int_equal(fake.absent + fake.early, 0);
}

TEST(slices_are_summed_and_counters_wrap)
{
    sandy_bridge_taken(3);
    count(KIND_CBO, 0x34, 1);
    count(KIND_ARB, 0x81, 0);
    count(KIND_CLOCK, 0, 0);
    fake_msr(0x707)->value = (1ull << 44) - 10;
    fake_msr(0x717)->value = (1ull << 44) - 1;
    fake_msr(0x3b0)->value = (1ull << 44) - 1;
    fake_msr(0x395)->value = (1ull << 48) - 1;
    run(100);
    assert_int_equal(raw[0], 3 * 100 * 0x34);
    assert_int_equal(raw[1], 100 * 0x81);
    assert_int_equal(raw[2], 100);
    assert_int_equal(fake_msr(0x391)->value, 0);
    assert_int_equal(fake.absent + fake.early, 0);
}

/*
 * Erratum ICL068: the global register's bit 29 has no effect, so each counter is started by the bit
 * EN of its select.
 */
TEST(ice_lake_is_let_go_by_its_selects)
{
    fake_client(0xe01, 0x394, 0x395, 2);
    for (unsigned i = 0; i < 2; i++)
        fake_client_unit(0, 0x700 + 8 * i, 0x702 + 8 * i, 2, 0x1f000000);
    fake_client_unit(0, 0x3b3, 0x3b1, 1, 0x1f000000);
    fake.counter[0].global = 0; /* the clock */
    find(0x7e);
    no_events();
    take(ALL_KINDS);
    count(KIND_CBO, 0x34, 1);
    count(KIND_ARB, 0x81, 0);
    count(KIND_CLOCK, 0, 0);
    run(100);
    assert_int_equal(raw[0], 2 * 100 * 0x34);
    assert_int_equal(raw[1], 100 * 0x81);
    assert_int_equal(raw[2], 100);
    assert_int_equal(fake_open(), 0);
    assert_int_equal(fake.absent + fake.early, 0);
}

TEST(a_refusal_in_a_window_is_told_and_all_stops)
{
    nehalem_taken();
    count(KIND_UNCORE, 5, 0);
    assert_int_equal(program(), STATUS_OK);
    fake.window = true;
    fake_msr(0x3b0)->read_faults = true;
    assert_false(window_opens());
    fake_msr(0x3b0)->read_faults = false;
    assert_true(window_opens());
    fake_msr(0x3b0)->read_faults = true;
    assert_false(window_closes());
    assert_int_equal(fake_open(), 0);
    fake_msr(0x3b0)->read_faults = false;
    fake_msr(0x394)->read_faults = true;
    find(0x1a);
    fake_msr(0x394)->read_faults = false;
    assert_true(window_opens());
    count(KIND_CLOCK, 0, 0);
    assert_int_equal(program(), STATUS_OK);
    assert_false(window_opens());
    pass.slots--;
    count(KIND_CBO, 5, 0);
    assert_int_equal(program(), STATUS_OK);
    assert_false(window_opens());
}
