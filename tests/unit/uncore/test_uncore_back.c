/* SPDX-License-Identifier: BSD-2-Clause */
/* Restoring uncore registers, even if a register failed during the run. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore_run.h"

static void whole_run(uint32_t model, enum uncore_kind kind)
{
    find(model);
    no_events();
    uncore_take(&FAKE_PORT, &uncore, ALL_KINDS, &held);
    count(kind, 0x34, 0)->extra_msr = kind == KIND_UNCORE ? 0x396 : 0;
    event[0].extra = 0x99;
    count(KIND_CLOCK, 0, 0);
    fake.window = true;
    uncore_program(&FAKE_PORT, &uncore, event, &pass, held.failed, &programmed);
    if (programmed.kinds && window_opens()) {
        fake_pass(3);
        window_closes();
    }
    uncore_give_back(&FAKE_PORT, &held);
}

enum bad { BAD_NOTHING, BAD_READ, BAD_WRITE, BAD_BOTH, BAD_STUCK, BADS };

/* A counter cannot be restored if it does not store writes or was not taken over. */
static bool is_lost(unsigned r, bool running)
{
    bool is_counter = false;

    for (unsigned i = 0; i < fake.counters; i++)
        is_counter |= fake.counter[i].counter == r;
    for (unsigned i = 0; i < held.count; i++)
        if (held.held[i].address == fake.reg[r].address)
            return is_counter && fake.reg[r].stuck;
    return is_counter && (running || fake.reg[r].write_faults);
}

static void left_as_found(uint32_t model, enum uncore_kind kind, bool running)
{
    unsigned registers = 1;

    for (unsigned bad = BAD_NOTHING; bad < BADS; bad++)
        for (unsigned r = 1; r < registers || r == 1; r++) {
            if (kind == KIND_UNCORE)
                fake_nehalem();
            else
                fake_sandy_bridge(2);
            somebody_was_here(running);
            registers = fake.regs;
            fake.reg[r].read_faults = bad == BAD_READ || bad == BAD_BOTH;
            fake.reg[r].write_faults = bad == BAD_WRITE || bad == BAD_BOTH;
            fake.reg[r].stuck = bad == BAD_STUCK ? ~0ull : 0;
            memcpy(before, fake.reg, sizeof(before));
            whole_run(model, kind);
            for (unsigned i = 1; i < fake.regs; i++)
                if (!is_lost(i, running))
                    assert_int_equal(fake.reg[i].value, before[i].value);
        }
}

TEST(registers_found_are_registers_left)
{
    left_as_found(0x1a, KIND_UNCORE, false);
    left_as_found(0x1a, KIND_UNCORE, true);
    left_as_found(0x2a, KIND_CBO, false);
    left_as_found(0x2a, KIND_CBO, true);
}

/* If a run ends early, counters are stopped before anything is restored. */
TEST(giving_back_stops_first)
{
    nehalem_taken();
    count(KIND_UNCORE, 5, 0);
    assert_int_equal(program(), STATUS_OK);
    fake.window = true;
    assert_true(window_opens());
    fake.window = false;
    fake.writes = 0;
    assert_int_equal(uncore_give_back(&FAKE_PORT, &held).status, STATUS_OK);
    assert_int_equal(fake.log[0].address, 0x391);
    assert_int_equal(fake.log[0].value, 0);
    assert_int_equal(fake.ill_written + fake.early, 0);
    assert_int_equal(fake_msr(0x3b0)->value, 0x123456789ab);
}

TEST(a_refusal_when_giving_back_is_told)
{
    struct uncore_error error;

    nehalem_taken();
    fake_msr(0x3c4)->write_faults = true;
    error = uncore_give_back(&FAKE_PORT, &held);
    assert_int_equal(error.status, STATUS_UNCORE_REFUSED);
    assert_int_equal(error.address, 0x3c4);
    assert_int_equal(fake_msr(0x3c3)->value, 0xff96ffff);
}
