/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking over the PMU and giving it back. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/msr.h"
#include "pmu/events/built_in.h"

static struct cpu_caps caps;
static struct pmu_found found;
static struct pmu_error error;

static void machine(unsigned version, unsigned gp, unsigned fixed)
{
    fake_start(version, gp, fixed);
    for (unsigned i = 0; i < EXTRAS_MAX; i++)
        fake_add(EXTRA_MSRS[i], ~0ull);
    caps = fake_caps(version, gp, fixed);
    caps.features = FEATURE_DS;
}

/* Firmware has enabled counters, PEBS and freezing. Some overflow bits are set. */
static void busy_machine(void)
{
    machine(4, 4, 3);
    for (unsigned i = 0; i < 4; i++)
        fake_set(MSR_IA32_PERFEVTSEL0 + i, 0x5300c0 + i);
    fake_set(MSR_IA32_FIXED_CTR_CTRL, 0xb3a);
    fake_set(MSR_IA32_PERF_GLOBAL_CTRL, 0x70000000full);
    fake_set(MSR_IA32_PERF_GLOBAL_STATUS, 1ull << 63 | 1ull << 33 | 1);
    fake_set(MSR_IA32_DEBUGCTL, 0x1801);
    fake_set(MSR_IA32_PEBS_ENABLE, 0x5);
}

static const uint32_t CONTROLS[] = {
    MSR_IA32_PERF_GLOBAL_CTRL, MSR_IA32_FIXED_CTR_CTRL,  MSR_IA32_PERFEVTSEL0,
    MSR_IA32_PERFEVTSEL0 + 1,  MSR_IA32_PERFEVTSEL0 + 2, MSR_IA32_PERFEVTSEL0 + 3,
    MSR_IA32_DEBUGCTL,         MSR_IA32_PEBS_ENABLE,
};
#define CONTROLS_COUNT (sizeof(CONTROLS) / sizeof(CONTROLS[0]))

static void take(void)
{
    memset(&found, 0xa5, sizeof(found));
    error = pmu_take(&FAKE_PORT, &caps, &found);
}

static void dump(uint64_t values[CONTROLS_COUNT])
{
    for (size_t i = 0; i < CONTROLS_COUNT; i++)
        values[i] = fake_value(CONTROLS[i]);
}

TEST(taking_stops_all_and_remembers)
{
    busy_machine();
    take();
    assert_int_equal(error.status, STATUS_OK);
    assert_int_equal(fake.log[0].msr, MSR_IA32_PERF_GLOBAL_CTRL); /* stops all counters */
    assert_int_equal(fake.log[0].value, 0);
    for (size_t i = 0; i < CONTROLS_COUNT; i++)
        assert_int_equal(fake_value(CONTROLS[i]),
                         CONTROLS[i] == MSR_IA32_DEBUGCTL ? 0x1 : 0); /* LBR is left alone */
    assert_int_equal(fake_value(MSR_IA32_PERF_GLOBAL_STATUS), 0);
    assert_int_equal(fake_on() + fake.early_opened + fake.absent + fake.ill_written, 0);

    assert_int_equal(found.held, HELD_SELECT(0) | HELD_SELECT(1) | HELD_SELECT(2) | HELD_SELECT(3) |
                                     HELD_FIXED_CTRL | HELD_GLOBAL_CTRL | HELD_DEBUGCTL |
                                     HELD_PEBS | HELD_EXTRA(0) | HELD_EXTRA(1) | HELD_EXTRA(2) |
                                     HELD_EXTRA(3));
    for (unsigned i = 0; i < GP_COUNTERS_MAX; i++)
        assert_int_equal(found.select[i], i < 4 ? 0x5300c0 + i : 0);
    assert_int_equal(found.fixed_ctrl, 0xb3a);
    assert_int_equal(found.global_ctrl, 0x70000000full);
    assert_int_equal(found.global_status, 1ull << 63 | 1ull << 33 | 1);
    assert_int_equal(found.debugctl, 0x1801);
    assert_int_equal(found.pebs_enable, 0x5);
}

/*
 * MSR 390H is written only with bits that are set in MSR 38EH, because other bits may be reserved.
 */
TEST(overflows_are_cleared_by_their_own_ones)
{
    static const uint64_t STATUS[] = {1, 1ull << 62, 0x70000000full | 1ull << 63};

    for (size_t i = 0; i < sizeof(STATUS) / sizeof(STATUS[0]); i++) {
        machine(3, 4, 3);
        fake_set(MSR_IA32_PERF_GLOBAL_STATUS, STATUS[i]);
        take();
        assert_int_equal(fake.writes, 1);
        assert_int_equal(fake.log[0].msr, MSR_IA32_PERF_GLOBAL_OVF_CTRL);
        assert_int_equal(fake.log[0].value, STATUS[i]);
        fake_set(MSR_IA32_PERF_GLOBAL_STATUS, STATUS[i]);
        pmu_give_back(&FAKE_PORT, &caps, &found);
        assert_int_equal(fake_value(MSR_IA32_PERF_GLOBAL_STATUS), 0);
    }
}

TEST(a_quiet_machine_is_not_written)
{
    machine(4, 4, 3);
    fake_set(MSR_IA32_DEBUGCTL, 0x4003);
    take();
    assert_int_equal(error.status, STATUS_OK);
    assert_int_equal(fake.writes, 0);
    assert_false(pmu_was_in_use(&found, &caps));
    assert_int_equal(pmu_give_back(&FAKE_PORT, &caps, &found).status, STATUS_OK);
    for (unsigned i = 0; i < fake.writes; i++) {
        assert_int_not_equal(fake.log[i].msr, MSR_IA32_DEBUGCTL);
        assert_int_not_equal(fake.log[i].msr, MSR_IA32_PEBS_ENABLE);
    }
}

TEST(giving_back_restores_in_reverse_order)
{
    static const uint32_t ORDER[] = {MSR_IA32_PERF_GLOBAL_CTRL, /* stop first */
                                     MSR_IA32_PEBS_ENABLE,      MSR_IA32_DEBUGCTL,
                                     MSR_IA32_PERFEVTSEL0 + 3,  MSR_IA32_PERFEVTSEL0 + 2,
                                     MSR_IA32_PERFEVTSEL0 + 1,  MSR_IA32_PERFEVTSEL0,
                                     MSR_IA32_FIXED_CTR_CTRL,   MSR_IA32_PERF_GLOBAL_CTRL};
    uint64_t before[CONTROLS_COUNT], after[CONTROLS_COUNT];
    static struct event events[EVENTS_MAX];
    static struct schedule schedule;
    static struct schedule_work work;
    struct programmed programmed = {0};

    busy_machine();
    dump(before);
    take();
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        event_builtin(e, &caps, RING_OS, &events[e]);
    schedule_make(&caps, false, events, EVENTS_COUNT, &schedule, &work);
    for (unsigned p = 0; p < schedule.passes; p++) {
        error = pmu_program(&FAKE_PORT, &caps, events, &schedule.pass[p], &programmed);
        assert_int_equal(error.status, STATUS_OK);
        assert_true(fake_preset(&caps, &programmed, 0));
    }
    assert_int_equal(fake.early_opened, 0);
    fake.window = true;
    fake_write(NULL, programmed.open_msr, programmed.open_value);
    assert_true(fake_on() > 0);
    fake.writes = 0;
    error = pmu_give_back(&FAKE_PORT, &caps, &found);
    assert_int_equal(error.status, STATUS_OK);
    dump(after);
    assert_memory_equal(before, after, sizeof(before));
    assert_int_equal(fake.writes, sizeof(ORDER) / sizeof(ORDER[0]));
    for (unsigned i = 0; i < fake.writes; i++)
        assert_int_equal(fake.log[i].msr, ORDER[i]);
    assert_int_equal(fake.log[0].value, 0);
}

TEST(absent_counters)
{
    machine(5, 8, 3);
    caps.gp_absent = 0x4a;
    for (unsigned i = 0; i < 8; i++)
        if (caps.gp_absent >> i & 1)
            fake_register(MSR_IA32_PERFEVTSEL0 + i)->read_faults =
                fake_register(MSR_IA32_PMC0 + i)->read_faults = true;
    assert_int_equal(pmu_probe(&FAKE_PORT, &caps), 0);
    assert_int_equal(caps.gp_count, 8);
    take();
    assert_int_equal(error.status, STATUS_OK);
    assert_int_equal(found.held & 0xff, 0xb5);
    fake_register(MSR_IA32_PMC0 + 4)->read_faults = true;
    assert_int_equal(pmu_probe(&FAKE_PORT, &caps), MSR_IA32_PMC0 + 4);
    assert_int_equal(caps.gp_count, 3); /* counter 3 does not exist */
    assert_int_equal(caps.gp_refused, 3);
}

TEST(in_use_means_enabled_at_both_levels)
{
    static const struct {
        uint32_t version;
        uint32_t in_use;
        uint64_t select3, fixed_ctrl, global_ctrl, pebs;
    } ROWS[] = {
        {2, false, 0, 0, 0, 0},
        {2, true, EVTSEL_EN, 0, 1 << 3, 0},
        {2, false, EVTSEL_EN, 0, ~0ull & ~(1ull << 3), 0},
        {2, false, ~EVTSEL_EN, 0, ~0ull, 0},
        {1, true, EVTSEL_EN, 0, 0, 0}, /* without global control, EN alone starts a counter */
        {1, false, ~EVTSEL_EN, 0, 0, 0},
        {2, true, 0, 0x100, 1ull << 34, 0},  /* CPL 0 */
        {2, true, 0, 0x200, 1ull << 34, 0},  /* CPL 3 */
        {2, false, 0, 0xc00, 1ull << 34, 0}, /* only ANY and PMI */
        {2, false, 0, 0x300, 1ull << 33, 0},
        {2, true, 0, 0x3000, 1ull << 35, 0}, /* the fourth fixed counter */
        {2, false, 0, 0x3000, ~(1ull << 35), 0},
        {2, true, 0, 0x3000000, 1ull << 38, 0}, /* the seventh fixed counter */
        {2, false, 0, 0x30000000, ~0ull, 0},
        {2, true, 0, 0, 0, 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        machine(ROWS[i].version, 4, 3);
        found = (struct pmu_found){.select = {[3] = ROWS[i].select3},
                                   .fixed_ctrl = ROWS[i].fixed_ctrl,
                                   .global_ctrl = ROWS[i].global_ctrl,
                                   .pebs_enable = ROWS[i].pebs};
        if (pmu_was_in_use(&found, &caps) != ROWS[i].in_use)
            fail_msg("row %zu", i);
    }
    for (unsigned i = 0; i < 4; i++) {
        machine(1, 4, 0);
        found = (struct pmu_found){0};
        found.select[i] = EVTSEL_EN;
        assert_true(pmu_was_in_use(&found, &caps));
    }
    for (unsigned i = 0; i < 3; i++) {
        machine(2, 4, 3);
        found = (struct pmu_found){.fixed_ctrl = 1ull << 4 * i, .global_ctrl = 1ull << (32 + i)};
        assert_true(pmu_was_in_use(&found, &caps));
    }
    machine(2, 3, 3); /* no fourth select */
    found = (struct pmu_found){.select = {[3] = EVTSEL_EN}, .global_ctrl = ~0ull};
    assert_false(pmu_was_in_use(&found, &caps));
}

TEST(without_a_counter_nothing_is_touched)
{
    busy_machine();
    caps.gp_count = caps.fixed_map = 0;
    take();
    assert_int_equal(error.status, STATUS_OK);
    assert_memory_equal(&found, &(struct pmu_found){0}, sizeof(found));
    assert_int_equal(pmu_give_back(&FAKE_PORT, &caps, &found).status, STATUS_OK);
    assert_int_equal(fake.writes + fake.reads, 0);
}

/* Version 1 has no MSRs 309H to 30BH and 38DH to 390H. */
TEST(version_1_touches_no_global_register)
{
    machine(1, 2, 0);
    fake_set(MSR_IA32_PERFEVTSEL0 + 1, 0x5300c0);
    take();
    assert_int_equal(error.status, STATUS_OK);
    assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + 1), 0);
    assert_int_equal(pmu_give_back(&FAKE_PORT, &caps, &found).status, STATUS_OK);
    assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + 1), 0x5300c0);
    assert_int_equal(fake.absent, 0);
}

TEST(without_fixed_counters_or_pebs_neither_is_touched)
{
    machine(2, 2, 0);
    fake_register(MSR_IA32_FIXED_CTR_CTRL)->msr = 0;
    fake_register(MSR_IA32_PEBS_ENABLE)->msr = 0;
    caps.features = 0;
    take();
    assert_int_equal(error.status, STATUS_OK);
    assert_int_equal(pmu_give_back(&FAKE_PORT, &caps, &found).status, STATUS_OK);
    assert_int_equal(fake.absent, 0);
}
