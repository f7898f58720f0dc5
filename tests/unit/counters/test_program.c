/* SPDX-License-Identifier: BSD-2-Clause */
/* Programming a pass: its counters count the right events, and only during the window. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/pass.h"

TEST(each_pass_stands_in_the_registers)
{
    machine(4, 4, 3);
    assert_true(schedule.passes > 2);
    for (unsigned p = 0; p < schedule.passes; p++) {
        uint64_t select[4] = {0}, fixed_ctrl = 0, open = 0;

        assert_int_equal(program(p).status, STATUS_OK);
        for (unsigned s = 0; s < schedule.pass[p].slots; s++) {
            const struct slot *slot = &schedule.pass[p].slot[s];

            if (slot->where == SLOT_FIXED) {
                fixed_ctrl |= 1ull << 4 * slot->counter; /* 01b: CPL 0 only, no PMI */
                open |= 1ull << (32 + slot->counter);
            } else {
                select[slot->counter] = select_of(slot->event);
                open |= 1ull << slot->counter;
            }
        }
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + i), select[i]);
            assert_int_equal(programmed.select[i], select[i]);
        }
        assert_int_equal(fake_value(MSR_IA32_FIXED_CTR_CTRL), fixed_ctrl);
        assert_int_equal(programmed.fixed_ctrl, fixed_ctrl);
        assert_int_equal(programmed.open_msr, 0x38f);
        assert_int_equal(programmed.open_value, open);
        assert_ptr_equal(programmed.pass, &schedule.pass[p]);
    }
    assert_int_equal(fake_value(MSR_IA32_PERF_GLOBAL_CTRL), 0);
    assert_int_equal(fake.early_opened + fake.absent, 0);
}

static const struct slot PLAIN;

TEST(selects_are_the_manuals)
{
    machine(4, 4, 3);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        assert_int_equal(program_select(&events[e], &PLAIN), select_of(e) & ~(1ull << 22));
    /* INST_RETIRED.ANY_P at CPL 0: event C0h, OS, EN */
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (EVENTS[e].select == 0xc0)
            assert_int_equal(select_of(e), 0x4200c0);
}

/*
 * USR and OS are bits 16 and 17 of IA32_PERFEVTSELx, and bits 1 and 0 of a fixed counter's four
 * control bits.
 */
static const struct {
    uint8_t rings;
    uint64_t select, fixed;
} RINGS[] = {
    {0, 0, 0},
    {RING_OS, 1 << 17, 1},
    {RING_USR, 1 << 16, 2},
    {RING_OS | RING_USR, 1 << 17 | 1 << 16, 3},
};

/*
 * Errata AAK100, AAP53 and BD53: the program sets the selects, enables the counters once, and
 * clears all these registers.
 */
TEST(nehalem_and_westmere_are_unlocked)
{
    static const uint8_t MODELS[] = {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f};
    static const uint32_t SELECTS[] = {0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1};

    for (size_t m = 0; m < sizeof(MODELS); m++) {
        machine(3, 4, 3);
        caps.model = MODELS[m];
        fake.writes = 0;
        pmu_unlock(&FAKE_PORT, &caps);
        assert_int_equal(fake.writes, 8 + 2 + 8);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(fake.log[2 * i].msr, MSR_IA32_PMC0 + i);
            assert_int_equal(fake.log[2 * i + 1].msr, MSR_IA32_PERFEVTSEL0 + i);
            assert_int_equal(fake.log[2 * i + 1].value, SELECTS[i]);
            assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + i), 0);
            assert_int_equal(fake_value(MSR_IA32_PMC0 + i), 0);
        }
        assert_int_equal(fake.log[8].msr, MSR_IA32_PERF_GLOBAL_CTRL);
        assert_int_equal(fake.log[8].value, 15);
        assert_int_equal(fake.log[9].msr, MSR_IA32_PERF_GLOBAL_CTRL);
        assert_int_equal(fake.log[9].value, 0);
    }
    machine(4, 4, 3);
    fake.writes = 0;
    pmu_unlock(&FAKE_PORT, &caps);
    assert_int_equal(fake.writes, 0);
}

/* The previous pass may have locked some counters. */
TEST(each_pass_unlocks_nehalem)
{
    machine(3, 4, 3);
    caps.model = 0x1a;
    for (unsigned p = 0; p < schedule.passes; p++) {
        fake.writes = 0;
        assert_int_equal(program(p).status, STATUS_OK);
        assert_int_equal(fake.log[1].value, 0x4300b5);
        assert_int_equal(fake.log[8].msr, MSR_IA32_PERF_GLOBAL_CTRL);
        assert_int_equal(fake.log[8].value, 15);
    }
}

TEST(rings_are_selected)
{
    static const uint64_t SELECTS[] = {0xc0, 0x81d0, 0x010400c0, 0xff0000ull << 24 | 0x3c};

    for (size_t r = 0; r < sizeof(RINGS) / sizeof(RINGS[0]); r++)
        for (size_t s = 0; s < sizeof(SELECTS) / sizeof(SELECTS[0]); s++) {
            struct event event = {.select = SELECTS[s], .rings = RINGS[r].rings};

            assert_int_equal(program_select(&event, &PLAIN), SELECTS[s] | RINGS[r].select);
            assert_int_equal(program_fixed(&event), RINGS[r].fixed);
        }
}

TEST(each_event_of_a_pass_has_its_rings)
{
    uint64_t select[4] = {0}, fixed_ctrl = 0;

    machine(4, 4, 3);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        events[e].rings = RINGS[1 + e % 3].rings;
    for (unsigned s = 0; s < schedule.pass[0].slots; s++) {
        const struct slot *slot = &schedule.pass[0].slot[s];

        if (slot->where == SLOT_FIXED)
            fixed_ctrl |= RINGS[1 + slot->event % 3].fixed << 4 * slot->counter;
        else
            select[slot->counter] =
                EVENTS[slot->event].select | RINGS[1 + slot->event % 3].select | 1ull << 22;
    }
    assert_int_equal(program(0).status, STATUS_OK);
    assert_int_equal(fixed_ctrl, 0x321); /* OS, USR, both */
    assert_int_equal(fake_value(MSR_IA32_FIXED_CTR_CTRL), fixed_ctrl);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + i), select[i]);
}

/*
 * Every register access counts as one event, so each counter must show the accesses in the window.
 */
static void measure_passes(uint64_t window)
{
    for (unsigned p = 0; p < schedule.passes; p++) {
        uint64_t raw[SLOTS_MAX] = {0};

        assert_int_equal(program(p).status, STATUS_OK);
        for (unsigned i = 0; i < caps.gp_count; i++)
            fake_set(MSR_IA32_PMC0 + i, 0x123456789abc);
        for (unsigned i = 0; i < fake.fixed; i++)
            fake_set(MSR_IA32_FIXED_CTR0 + i, 0x123456789abc);
        assert_true(fake_preset(&caps, &programmed, 0));
        fake.window = true;
        fake_write(NULL, programmed.open_msr, programmed.open_value);
        for (uint64_t i = 0; i + 1 < window; i++)
            fake_tick();
        fake_write(NULL, programmed.open_msr, caps.pmu_version < 2 ? programmed.select[0] : 0);
        fake.window = false;
        assert_true(pmu_read(&FAKE_PORT, &programmed, raw));
        for (unsigned s = 0; s < schedule.pass[p].slots; s++)
            assert_int_equal(raw[s], window);
        assert_false(pmu_overflowed(&FAKE_PORT, &programmed));
    }
    assert_int_equal(fake.early_opened + fake.ill_written + fake.absent, 0);
}

TEST(counters_count_the_window_alone)
{
    machine(4, 4, 3);
    measure_passes(1);
    machine(2, 8, 3);
    measure_passes(1000);
    machine(2, 2, 0);
    fake_register(MSR_IA32_FIXED_CTR_CTRL)->msr = 0;
    measure_passes(3);
    machine(5, 0, 3); /* fixed counters only */
    measure_passes(3);
}

/*
 * In version 1, EN in the select starts a counter. MSRs 309H to 30BH and 38DH to 390H do not exist.
 */
TEST(version_1_opens_by_its_select)
{
    machine(1, 2, 0);
    fake_set(MSR_IA32_PERFEVTSEL0 + 1, 0x5300c0);
    for (unsigned p = 0; p < schedule.passes; p++) {
        uint64_t select = select_of(schedule.pass[p].slot[0].event);

        assert_int_equal(program(p).status, STATUS_OK);
        assert_int_equal(programmed.open_msr, 0x186);
        assert_int_equal(programmed.open_value, select);
        assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0), select & ~(1ull << 22));
        assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + 1), 0);
        assert_int_equal(programmed.fixed_ctrl, 0);
    }
    measure_passes(7);
    assert_int_equal(fake.absent, 0);
}

TEST(an_empty_pass_writes_nothing)
{
    uint64_t raw[SLOTS_MAX];

    machine(4, 4, 3);
    schedule = (struct schedule){.passes = 1};
    assert_int_equal(program(0).status, STATUS_OK);
    assert_int_equal(programmed.open_msr | programmed.open_value, 0);
    assert_true(fake_preset(&caps, &programmed, 0));
    assert_true(pmu_read(&FAKE_PORT, &programmed, raw));
    assert_false(pmu_overflowed(&FAKE_PORT, &programmed));
    assert_int_equal(fake.writes + fake.reads, 0);
}

TEST(what_a_pass_leaves_out_is_cleared)
{
    machine(4, 4, 3);
    program(0);
    schedule.pass[1] = schedule.pass[0];
    schedule.pass[1].slots = 3; /* the fixed ones */
    assert_int_equal(program(1).status, STATUS_OK);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + i), 0);
    assert_int_equal(fake_value(MSR_IA32_FIXED_CTR_CTRL), 0x111);
}

#define STUCK (1ull << 12)

static void expect_error(unsigned pass, enum status status, uint32_t msr)
{
    struct pmu_error error = program(pass);

    assert_int_equal(error.status, status);
    assert_int_equal(error.msr, msr);
    if (status == STATUS_READ_BACK)
        assert_int_equal(error.read, error.written | STUCK);
    assert_int_equal(fake.early_opened, 0);
}

TEST(what_does_not_take_is_reported)
{
    machine(4, 4, 3);
    assert_true(schedule.passes >= 3);
    for (unsigned p = 0; p < 3; p++)
        for (unsigned i = 0; i <= 4; i++) {
            uint32_t msr = i < 4 ? MSR_IA32_PERFEVTSEL0 + i : MSR_IA32_FIXED_CTR_CTRL;

            machine(4, 4, 3);
            fake_set(msr, STUCK);
            fake_register(msr)->stuck = STUCK;
            expect_error(p, STATUS_READ_BACK, msr);
            machine(4, 4, 3);
            fake_register(msr)->write_faults = true;
            expect_error(p, STATUS_MSR_FAULT, msr);
            machine(4, 4, 3);
            fake_register(msr)->read_faults = true;
            expect_error(p, STATUS_MSR_FAULT, msr);
        }
}
