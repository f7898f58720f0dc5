/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that raise #GP or ignore a write while the PMU is taken or given back. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/msr.h"

static struct cpu_caps caps;
static struct pmu_found found;
static struct pmu_error error;

#define SELECT1_FOUND 0x5300c4ull

static void machine(void)
{
    fake_start(4, 2, 3);
    caps = (struct cpu_caps){.vendor = VENDOR_INTEL,
                             .pmu_version = 4,
                             .gp_count = 2,
                             .fixed_map = 7,
                             .features = FEATURE_DS};
    fake_set(MSR_IA32_PERF_GLOBAL_CTRL, 3);
    fake_set(MSR_IA32_FIXED_CTR_CTRL, 0x333);
    fake_set(MSR_IA32_PERFEVTSEL0, 0x5300c0);
    fake_set(MSR_IA32_PERFEVTSEL0 + 1, SELECT1_FOUND);
    fake_set(MSR_IA32_DEBUGCTL, 0x1000);
    fake_set(MSR_IA32_PEBS_ENABLE, 1);
}

BEFORE_EACH(machine);

static void take(void)
{
    error = pmu_take(&FAKE_PORT, &caps, &found);
}

static void expect(enum status status, uint32_t msr, uint64_t written, uint64_t read)
{
    assert_int_equal(error.status, status);
    assert_int_equal(error.msr, msr);
    assert_int_equal(error.written, written);
    assert_int_equal(error.read, read);
}

/*
 * A register that raises #GP is reported and not saved. All other controls are saved and cleared.
 */
TEST(unreadable_controls_are_reported)
{
    static const struct {
        uint32_t msr, held;
    } ROWS[] = {{MSR_IA32_PERF_GLOBAL_CTRL, HELD_GLOBAL_CTRL},
                {MSR_IA32_FIXED_CTR_CTRL, HELD_FIXED_CTRL},
                {MSR_IA32_PERFEVTSEL0, HELD_SELECT(0)},
                {MSR_IA32_PERFEVTSEL0 + 1, HELD_SELECT(1)}};
    uint32_t all = HELD_GLOBAL_CTRL | HELD_FIXED_CTRL | HELD_SELECT(0) | HELD_SELECT(1) |
                   HELD_DEBUGCTL | HELD_PEBS;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        machine();
        fake_register(ROWS[i].msr)->read_faults = true;
        take();
        expect(STATUS_MSR_FAULT, ROWS[i].msr, 0, 0);
        assert_int_equal(found.held, all & ~ROWS[i].held);
        for (size_t k = 0; k < sizeof(ROWS) / sizeof(ROWS[0]); k++)
            assert_int_equal(fake_value(ROWS[k].msr) == 0, k != i);
        fake.writes = 0;
        pmu_give_back(&FAKE_PORT, &caps, &found);
        for (unsigned w = 1; w < fake.writes; w++) /* log[0] stops the counters */
            assert_int_not_equal(fake.log[w].msr, ROWS[i].msr);
    }
}

TEST(the_first_error_is_the_one_reported)
{
    fake_register(MSR_IA32_FIXED_CTR_CTRL)->read_faults = true;
    fake_register(MSR_IA32_PERFEVTSEL0 + 1)->read_faults = true;
    take();
    expect(STATUS_MSR_FAULT, MSR_IA32_FIXED_CTR_CTRL, 0, 0);
}

/* A hypervisor may lack IA32_DEBUGCTL and IA32_PEBS_ENABLE. */
TEST(debugctl_and_pebs_may_be_missing)
{
    fake_register(MSR_IA32_DEBUGCTL)->read_faults = true;
    fake_register(MSR_IA32_PEBS_ENABLE)->read_faults = true;
    take();
    assert_int_equal(error.status, STATUS_OK);
    assert_int_equal(found.held & (HELD_DEBUGCTL | HELD_PEBS), 0);
    fake.writes = 0;
    error = pmu_give_back(&FAKE_PORT, &caps, &found);
    assert_int_equal(error.status, STATUS_OK);
    for (unsigned w = 0; w < fake.writes; w++) {
        assert_int_not_equal(fake.log[w].msr, MSR_IA32_DEBUGCTL);
        assert_int_not_equal(fake.log[w].msr, MSR_IA32_PEBS_ENABLE);
    }
}

TEST(a_control_that_stays_on_is_reported)
{
    fake_register(MSR_IA32_PERFEVTSEL0 + 1)->stuck = 0x400000;
    take();
    expect(STATUS_READ_BACK, MSR_IA32_PERFEVTSEL0 + 1, 0, 0x400000);
    machine();
    fake_register(MSR_IA32_PERFEVTSEL0)->write_faults = true;
    take();
    expect(STATUS_MSR_FAULT, MSR_IA32_PERFEVTSEL0, 0, 0);
    assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0 + 1), 0);
}

TEST(status_that_cannot_be_read_is_left)
{
    fake_set(MSR_IA32_PERF_GLOBAL_STATUS, 1);
    fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->read_faults = true;
    take();
    pmu_give_back(&FAKE_PORT, &caps, &found);
    for (unsigned w = 0; w < fake.writes; w++)
        assert_int_not_equal(fake.log[w].msr, MSR_IA32_PERF_GLOBAL_OVF_CTRL);
}

TEST(giving_back_reports_and_goes_on)
{
    static const struct {
        uint32_t msr;
        uint64_t value;
    } ROWS[] = {{MSR_IA32_PEBS_ENABLE, 1},
                {MSR_IA32_DEBUGCTL, 0x1000},
                {MSR_IA32_PERFEVTSEL0, 0x5300c0},
                {MSR_IA32_PERFEVTSEL0 + 1, SELECT1_FOUND},
                {MSR_IA32_FIXED_CTR_CTRL, 0x333}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        machine();
        take();
        fake_register(ROWS[i].msr)->stuck = ~0ull;
        error = pmu_give_back(&FAKE_PORT, &caps, &found);
        expect(STATUS_READ_BACK, ROWS[i].msr, ROWS[i].value, 0);
        for (size_t k = 0; k < sizeof(ROWS) / sizeof(ROWS[0]); k++)
            assert_int_equal(fake_value(ROWS[k].msr), k == i ? 0 : ROWS[k].value);
        assert_int_equal(fake_value(MSR_IA32_PERF_GLOBAL_CTRL), 3);

        machine();
        take();
        fake_register(ROWS[i].msr)->write_faults = true;
        error = pmu_give_back(&FAKE_PORT, &caps, &found);
        expect(STATUS_MSR_FAULT, ROWS[i].msr, ROWS[i].value, 0);
    }
    machine();
    take();
    fake_register(MSR_IA32_PERF_GLOBAL_CTRL)->write_faults = true;
    error = pmu_give_back(&FAKE_PORT, &caps, &found);
    expect(STATUS_MSR_FAULT, MSR_IA32_PERF_GLOBAL_CTRL, 0, 0);
    assert_int_equal(fake_value(MSR_IA32_PERFEVTSEL0), 0x5300c0);
}
