/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass's extra registers: written, read back and restored. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/pass.h"

/* The two offcore events (B7H) need different values, so the second gets the other register. */
static const struct {
    uint64_t select, extra;
    uint32_t msr, msr_in_pass;
    uint64_t select_in_pass; /* Intel SDM: the event of MSR_OFFCORE_RSP_1 is BBH */
} OF_EVENTS[] = {
    {0x1b7, 0x3fbfc00001, 0x1a6, 0x1a6, 0x1b7},
    {0x1b7, 0x3f803c0002, 0x1a6, 0x1a7, 0x1bb},
    {0x1cd, 0x20, 0x3f6, 0x3f6, 0x1cd},
    {0x1c6, 0x400106, 0x3f7, 0x3f7, 0x1c6},
};
#define COUNT (sizeof(OF_EVENTS) / sizeof(OF_EVENTS[0]))
/* Other cores have the fifth and later registers of EXTRA_MSRS. */

static void add_registers(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        fake_add(EXTRA_MSRS[i], fake_bits(40));
}

static void one_pass(void)
{
    fake_start(4, 4, 3);
    add_registers();
    caps = fake_caps(4, 4, 3);
    for (unsigned e = 0; e < COUNT; e++)
        events[e] = (struct event){.select = OF_EVENTS[e].select,
                                   .extra = OF_EVENTS[e].extra,
                                   .extra_msr = OF_EVENTS[e].msr,
                                   .arch = EVENT_NOT_ARCH,
                                   .fixed = EVENT_NOT_FIXED,
                                   .declared = EVENT_UNDECLARED,
                                   .rings = RING_OS};
    schedule_make(&caps, false, events, COUNT, &schedule, &schedule_work);
    assert_int_equal(schedule.passes, 1);
    assert_int_equal(schedule.pass[0].extras, COUNT);
}

BEFORE_EACH(one_pass);

static bool is_extra(uint32_t msr)
{
    for (unsigned i = 0; i < COUNT; i++)
        if (EXTRA_MSRS[i] == msr)
            return true;
    return false;
}

TEST(selects_and_registers_belong_together)
{
    assert_int_equal(program(0).status, STATUS_OK);
    for (unsigned e = 0; e < COUNT; e++) {
        unsigned pass, slot;
        uint64_t select = OF_EVENTS[e].select_in_pass | 1ull << 17 | 1ull << 22; /* OS, EN */

        assert_true(schedule_find(&schedule, e, &pass, &slot));
        assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + schedule.pass[0].slot[slot].counter),
                         select);
        assert_int_equal(fake_value(OF_EVENTS[e].msr_in_pass), OF_EVENTS[e].extra);
    }
    assert_int_equal(fake.absent + fake.early_opened, 0);
}

/* The SDM requires the extra register to be written before the event is selected. */
TEST(registers_come_before_selects)
{
    unsigned extras = 0, selects = 0;

    assert_int_equal(program(0).status, STATUS_OK);
    for (unsigned i = 0; i < fake.writes; i++) {
        if (is_extra(fake.log[i].msr)) {
            extras++;
            assert_int_equal(selects, 0);
        }
        selects += fake.log[i].msr - MSR_IA32_PERFEVTSEL0 < 4 && fake.log[i].value != 0;
    }
    assert_int_equal(extras, COUNT);
    assert_int_equal(selects, COUNT);
}

TEST(a_slot_changes_its_select)
{
    struct event event = {.select = 0x1b7, .rings = RING_OS | RING_USR};

    for (unsigned bit = 0; bit < 16; bit++) {
        struct slot slot = {.select_xor = (uint16_t)(1u << bit)};

        assert_int_equal(program_select(&event, &slot),
                         (0x1b7 ^ 1ull << bit) | 1ull << 16 | 1ull << 17);
    }
}

#define STUCK (1ull << 35)

TEST(what_does_not_take_is_reported)
{
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned how = 0; how < 3; how++) {
            uint32_t msr = OF_EVENTS[i].msr_in_pass;
            struct pmu_error error;

            one_pass();
            fake_register(msr)->write_faults = how == 0;
            fake_register(msr)->read_faults = how == 1;
            fake_set(msr, how == 2 ? ~OF_EVENTS[i].extra & STUCK : 0);
            fake_register(msr)->stuck = how == 2 ? STUCK : 0;
            error = program(0);
            assert_int_equal(error.status, how == 2 ? STATUS_READ_BACK : STATUS_MSR_FAULT);
            assert_int_equal(error.msr, msr);
            assert_int_equal(error.written, OF_EVENTS[i].extra);
            if (how == 2)
                assert_int_equal(error.read, OF_EVENTS[i].extra ^ STUCK);
            for (unsigned k = 0; k < 4; k++)
                assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + k), 0);
        }
}

static struct pmu_found found;

static void take_over(void)
{
    memset(&found, 0xa5, sizeof(found));
    assert_int_equal(pmu_take(&FAKE_PORT, &caps, &found).status, STATUS_OK);
}

static void set_registers(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        fake_set(EXTRA_MSRS[i], 0x11 * (i + 1));
}

static const uint32_t HELD_EXTRAS = HELD_EXTRA(0) | HELD_EXTRA(1) | HELD_EXTRA(2) | HELD_EXTRA(3);

TEST(taking_remembers_and_changes_nothing)
{
    set_registers();
    take_over();
    assert_int_equal(found.held & HELD_EXTRAS, HELD_EXTRAS);
    assert_int_equal(fake.writes, 0);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(found.extra[i], 0x11 * (i + 1));
}

static unsigned written_extras(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < fake.writes; i++)
        count += is_extra(fake.log[i].msr);
    return count;
}

TEST(only_what_changed_is_given_back)
{
    for (unsigned map = 0; map < 1u << COUNT; map++) {
        unsigned changed = 0;

        one_pass();
        set_registers();
        take_over();
        schedule.pass[0].extras = 0;
        for (unsigned i = 0; i < COUNT; i++)
            if (map >> i & 1)
                schedule.pass[0].extra[changed++] =
                    (struct pass_extra){.msr = EXTRA_MSRS[i], .value = 0x1000};
        schedule.pass[0].extras = changed;
        assert_int_equal(program(0).status, STATUS_OK);
        assert_int_equal(written_extras(), changed);
        fake.writes = 0;
        assert_int_equal(pmu_give_back(&FAKE_PORT, &caps, &found).status, STATUS_OK);
        assert_int_equal(written_extras(), changed);
        for (unsigned i = 0; i < COUNT; i++)
            assert_int_equal(fake_value(EXTRA_MSRS[i]), 0x11 * (i + 1));
        assert_int_equal(fake.early_opened, 0);
    }
}

TEST(what_cannot_be_given_back_is_told)
{
    for (unsigned bad = 0; bad < COUNT; bad++) {
        struct pmu_error error;

        one_pass();
        set_registers();
        fake_set(MSR_IA32_PERFEVTSEL0, 0x5300c0);
        take_over();
        program(0);
        fake_register(EXTRA_MSRS[bad])->write_faults = true;
        error = pmu_give_back(&FAKE_PORT, &caps, &found);
        assert_int_equal(error.status, STATUS_MSR_FAULT);
        assert_int_equal(error.msr, EXTRA_MSRS[bad]);
        for (unsigned i = 0; i < COUNT; i++)
            if (i != bad)
                assert_int_equal(fake_value(EXTRA_MSRS[i]), 0x11 * (i + 1));
        assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0), 0x5300c0);
    }
}

/* A register that cannot be read is not saved, which is no error. */
TEST(registers_that_are_not_there)
{
    for (unsigned map = 0; map < 1u << COUNT; map++) {
        uint32_t held = 0;

        machine(4, 4, 3);
        for (unsigned i = 0; i < COUNT; i++)
            if (map >> i & 1) {
                fake_add(EXTRA_MSRS[i], fake_bits(40));
                held |= HELD_EXTRA(i);
            }
        take_over();
        assert_int_equal(found.held & HELD_EXTRAS, held);
        assert_int_equal(program(0).status, STATUS_OK);
        fake.absent = 0;
        assert_int_equal(pmu_give_back(&FAKE_PORT, &caps, &found).status, STATUS_OK);
        assert_int_equal(fake.absent, 0);
        assert_int_equal(written_extras(), 0);
    }
}
