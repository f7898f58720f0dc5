/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * If an uncore register cannot be taken over, the kinds that need it are lost. All other kinds are
 * counted, and all written registers are restored.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore_run.h"

#define UNCORE (1u << KIND_UNCORE)
#define CLOCK  (1u << KIND_CLOCK)
#define CBO    (1u << KIND_CBO)
#define ARB    (1u << KIND_ARB)
#define CHA    (1u << KIND_CHA)
#define BOXES  0xe00u
#define FREEZE (1ull << 8)

enum how { BY_READ, BY_WRITE, BY_KEEPING, HOWS };

/* 0x710 is the first select of the second slice, and 0x3b2 is the arbiter's first select. */
static void client(void)
{
    fake_sandy_bridge(3);
    somebody_was_here(false);
    find(0x2a);
    no_events();
}

static void nehalem_at_rest(void)
{
    nehalem(false);
}

static void server(void)
{
    static const struct uncore_model MODEL = {.name = "server"};
    static const struct uncore_type SLICES = {.kind = KIND_CHA,
                                              .counters = 1,
                                              .width_bits = 48,
                                              .select_bytes = 8,
                                              .counter_bytes = 8,
                                              .has_box = 1,
                                              .clock_is_0 = 1,
                                              .select = 1,
                                              .counter = 8,
                                              .enable = EN,
                                              .fields = 0xffff,
                                              .box_freeze = FREEZE};
    const uint64_t mask = (1ull << 48) - 1;

    fake_start();
    memset(&uncore, 0, sizeof(uncore));
    uncore.model = &MODEL;
    uncore.groups = 2;
    uncore.group[0] =
        (struct uncore_group){.type = SLICES, .units = 2, .unit = {BOXES, BOXES + 0x10}};
    uncore.group[1] = (struct uncore_group){.type = UBOX, .units = 1};
    for (unsigned i = 0; i < 2; i++)
        fake_add_counter(
            (struct fake_counter){.box = fake_add(SPACE_MSR, BOXES + 0x10 * i, FREEZE),
                                  .select = fake_add(SPACE_MSR, BOXES + 0x10 * i + 1, EN | 0xffff),
                                  .counter = fake_add(SPACE_MSR, BOXES + 0x10 * i + 8, mask),
                                  .box_freeze = FREEZE,
                                  .enable = EN,
                                  .width_mask = mask});
    add_ubox();
    no_events();
}

/*
 * `msr`: one register of each sort. `failed`: the kinds that need this register. `bit`: the bit of
 * the register that must read as 0.
 */
static const struct row {
    void (*machine)(void);
    uint32_t msr, failed;
    uint64_t bit; /* 0: the register may read as any value */
} ROWS[] = {
    {nehalem_at_rest, 0x3c4, UNCORE, EN},
    {nehalem_at_rest, 0x396, UNCORE, 0}, /* a filter */
    {nehalem_at_rest, 0x395, CLOCK, 1},
    {nehalem_at_rest, 0x391, UNCORE | CLOCK, 1ull << 32},
    {client, 0x710, CBO, EN},
    {client, 0x3b2, ARB, EN},
    {client, 0x394, CLOCK, EN},
    {client, 0x391, CBO | ARB | CLOCK, 1ull << 29},
    {server, BOXES + 0x10, CHA, 0},
    {server, BOXES + 0x11, CHA, EN},
    {server, 0x703, CLOCK, EN},
};
#define ROWS_COUNT (sizeof(ROWS) / sizeof(ROWS[0]))

static const struct row *row_of(void (*machine)(void), uint32_t msr)
{
    const struct row *row = ROWS;

    while (row->machine != machine || row->msr != msr)
        row++;
    return row;
}

/* Makes the row's register fail. Returns false if the register cannot fail in the way `how`. */
static bool fail_at(const struct row *row, enum how how)
{
    struct fake_register *bad;

    row->machine();
    bad = fake_msr(row->msr);
    if (how == BY_KEEPING) {
        bad->value |= row->bit;
        bad->stuck = row->bit;
    }
    bad->read_faults = how == BY_READ;
    bad->write_faults = how == BY_WRITE;
    memcpy(before, fake.reg, sizeof(before));
    fake.window = true;
    return how != BY_KEEPING || row->bit != 0;
}

TEST(only_its_own_kind_fails)
{
    for (unsigned how = 0; how < HOWS; how++)
        for (size_t i = 0; i < ROWS_COUNT; i++) {
            if (!fail_at(&ROWS[i], (enum how)how))
                continue;
            uncore_take(&FAKE_PORT, &uncore, ALL_KINDS, &held);
            assert_int_equal(held.failed, ROWS[i].failed);
            for (unsigned g = 0; g < uncore.groups; g++) {
                const struct uncore_error *error = &held.error[g];
                const unsigned kind = uncore.group[g].type.kind;

                if (!(ROWS[i].failed >> kind & 1)) {
                    assert_int_equal(error->status, STATUS_OK);
                    continue;
                }
                assert_int_equal(error->status,
                                 how == BY_KEEPING ? STATUS_UNCORE_KEPT : STATUS_UNCORE_REFUSED);
                assert_int_equal(error->space, SPACE_MSR);
                assert_int_equal(error->address, ROWS[i].msr);
                assert_int_equal(error->kind, kind);
                assert_int_equal(error->pass, UNCORE_ALL_PASSES);
                assert_int_equal(error->read, how == BY_KEEPING ? ROWS[i].bit : 0);
            }
        }
}

TEST(the_others_count)
{
    for (unsigned how = 0; how < HOWS; how++)
        for (size_t i = 0; i < ROWS_COUNT; i++) {
            if (!fail_at(&ROWS[i], (enum how)how))
                continue;
            uncore_take(&FAKE_PORT, &uncore, ALL_KINDS, &held);
            for (unsigned g = 0; g < uncore.groups; g++)
                if (uncore.group[g].status == STATUS_OK)
                    count(uncore.group[g].type.kind, uncore.group[g].type.cycles, 0);
            uncore_program(&FAKE_PORT, &uncore, event, &pass, held.failed, &programmed);
            assert_int_equal(programmed.failed, ROWS[i].failed);
            assert_true(window_opens());
            fake_pass(100);
            fake_msr(0x611)->value += 100;
            assert_true(window_closes());
            for (unsigned s = 0; s < pass.slots; s++) {
                const unsigned kind = event[s].kind;
                const uint64_t units = uncore_group(&uncore, kind)->units;

                assert_int_equal(raw[s], ROWS[i].failed >> kind & 1 ? 0 : 100 * units);
            }
        }
}

TEST(the_others_pass_their_test)
{
    static struct uncore_record record;

    for (size_t i = 0; i < ROWS_COUNT; i++) {
        assert_true(fail_at(&ROWS[i], BY_WRITE));
        uncore_describe(&uncore, &record);
        uncore_take(&FAKE_PORT, &uncore, ALL_KINDS, &held);
        uncore_check(&FAKE_PORT, &uncore, ~held.failed, fake_delay, NULL, &record);
        for (unsigned g = 0; g < record.groups; g++)
            if (uncore.group[g].type.style != STYLE_FREE)
                assert_int_equal(record.group[g].fault, ROWS[i].failed >> record.group[g].kind & 1
                                                            ? UNCORE_UNTESTED
                                                            : UNCORE_RIGHT);
    }
}

/* A register that rejected its write must not be reported as changed. */
TEST(all_is_given_back)
{
    for (unsigned how = 0; how < HOWS; how++)
        for (size_t i = 0; i < ROWS_COUNT; i++) {
            if (!fail_at(&ROWS[i], (enum how)how))
                continue;
            uncore_take(&FAKE_PORT, &uncore, ALL_KINDS, &held);
            assert_int_equal(uncore_give_back(&FAKE_PORT, &held).status, STATUS_OK);
            assert_memory_equal(fake.reg, before, sizeof(before));
        }
}

TEST(behind_a_global_register_nothing_is_touched)
{
    for (unsigned how = 0; how < HOWS; how++) {
        assert_true(fail_at(row_of(nehalem_at_rest, 0x391), (enum how)how));
        uncore_take(&FAKE_PORT, &uncore, ALL_KINDS, &held);
        assert_int_equal(held.count, how == BY_KEEPING); /* only the global register */
        assert_int_equal(fake.writes, how == BY_KEEPING);
    }
}

/*
 * A client's kinds are taken over together, so a kind that fails is reported even if only another
 * kind was requested.
 */
TEST(a_kind_that_nobody_asked_for)
{
    assert_true(fail_at(row_of(client, 0x710), BY_WRITE));
    uncore_take(&FAKE_PORT, &uncore, ARB, &held);
    assert_int_equal(held.failed, CBO);
    assert_true(fail_at(row_of(nehalem_at_rest, 0x3c4), BY_WRITE));
    uncore_take(&FAKE_PORT, &uncore, CLOCK, &held);
    assert_int_equal(held.failed, 0);
}
