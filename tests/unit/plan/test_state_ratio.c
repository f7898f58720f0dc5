/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ratio= in [state] is set through IA32_PERF_CTL or IA32_HWP_REQUEST. The resulting clock is
 * recorded.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/state.h"

BEFORE_EACH(machine);

#define HIGHEST    38ull
#define GUARANTEED 30ull
#define LOWEST     8ull
#define EFFICIENT  12ull                            /* bits 23:16 of IA32_HWP_CAPABILITIES */
#define REQUEST    (0x1c080ull << 24 | 0x002608ull) /* window, EPP 80H; maximum 38, minimum 8 */
#define PACKAGE    (1ull << 42)

/* Firmware has enabled HWP, and a package request is in force. */
static void machine_with_hwp(void)
{
    machine();
    caps.features |= FEATURE_HWP;
    fake_add(MSR_IA32_PM_ENABLE, 0);
    fake_add(MSR_IA32_HWP_CAPABILITIES, 0);
    fake_add(MSR_IA32_HWP_REQUEST, 0x7ffffffffff);
    fake_set(MSR_IA32_PM_ENABLE, 1);
    fake_set(MSR_IA32_HWP_CAPABILITIES, LOWEST << 24 | EFFICIENT << 16 | GUARANTEED << 8 | HIGHEST);
    fake_set(MSR_IA32_HWP_REQUEST, PACKAGE | REQUEST);
}

TEST(a_ratio_and_the_base)
{
    static const uint32_t ASKED[] = {9, PLAN_RATIO_BASE};
    static const unsigned RATIOS[] = {9, RATIO_BASE};

    for (unsigned i = 0; i < 2; i++) {
        machine();
        fake_set(MSR_IA32_PERF_CTL, 0x100002000);
        set((struct plan_state){.ratio = ASKED[i]});
        assert_int_equal(now.items, 2);
        assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_OK);
        assert_values(0, 0x100002000, 0x100000000 | RATIOS[i] << 8, 0x100000000 | RATIOS[i] << 8);
        assert_item(1, STATE_RATIO, MSR_IA32_PERF_STATUS, STATUS_OK);
        assert_values(1, CLOCK(RATIO_NOW), CLOCK(RATIOS[i]), CLOCK(RATIOS[i]));
        assert_int_equal(now.item[1].written, 0);
        assert_words(i == 0 ? "ratio 9" : "ratio 21");
        restore();
        assert_log(2, MSR_IA32_PERF_CTL, 0x100000000 | RATIOS[i] << 8, MSR_IA32_PERF_CTL,
                   0x100002000);
    }
}

/* If the clock does not follow before the wait ends, the requested ratio stays in the register. */
TEST(a_clock_that_does_not_follow)
{
    follows_after = 0;
    set((struct plan_state){.ratio = 9});
    assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_OK);
    assert_item(1, STATE_RATIO, MSR_IA32_PERF_STATUS, STATUS_STATE_CLOCK);
    assert_values(1, CLOCK(RATIO_NOW), CLOCK(9), CLOCK(RATIO_NOW));
    assert_why(1, "IA32_PERF_STATUS does not show the requested ratio: it shows 23");
    assert_words("ratio 9");
    assert_true(fake.reads < 60000);
    machine();
    follows_after = 10000;
    set((struct plan_state){.ratio = 9});
    assert_item(1, STATE_RATIO, MSR_IA32_PERF_STATUS, STATUS_OK);
}

/* Without a ratio in MSR_PLATFORM_INFO, the base is unknown. ratio=9 does not need the base. */
TEST(no_base_is_known)
{
    for (unsigned i = 0; i < 2; i++) {
        machine();
        fake_set(MSR_PLATFORM_INFO, 0xffffffffffff00ff);
        fake_register(MSR_PLATFORM_INFO)->read_faults = i == 1;
        set((struct plan_state){.ratio = PLAN_RATIO_BASE});
        assert_int_equal(now.items, 1);
        assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_STATE_BASE);
        assert_why(0, "MSR_PLATFORM_INFO does not say which ratio the base clock has: MSR 0x199");
        assert_int_equal(fake.writes, 0);
        set((struct plan_state){.ratio = 9});
        assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_OK);
    }
}

/*
 * If the low byte of IA32_PERF_CTL or IA32_PERF_STATUS is not 0, nothing is written, because the
 * byte may be a voltage.
 */
TEST(a_voltage_beside_the_ratio)
{
    static const uint32_t MSRS[] = {MSR_IA32_PERF_CTL, MSR_IA32_PERF_STATUS};

    for (unsigned i = 0; i < 2; i++) {
        machine();
        fake_set(MSRS[i], 0x0613);
        set((struct plan_state){.ratio = 9});
        assert_int_equal(now.items, 1);
        assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_STATE_VOLTAGE);
        assert_int_equal(fake.writes, 0);
        assert_int_equal(now.item[0].written, 0);
    }
}

TEST(no_perf_ctl)
{
    caps.features &= ~FEATURE_EIST;
    set((struct plan_state){.ratio = 9});
    assert_item(0, STATE_RATIO, 0, STATUS_STATE_ABSENT);
    assert_int_equal(fake.reads + fake.writes, 0);
    machine();
    fake_register(MSR_IA32_PERF_STATUS)->read_faults = true;
    set((struct plan_state){.ratio = 9});
    assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_MSR_REFUSED);
    assert_int_equal(fake.writes, 0);
}

/* All three HWP levels become the ratio, and the package request is disabled. */
TEST(by_hwp)
{
    static const uint32_t ASKED[] = {LOWEST, HIGHEST, PLAN_RATIO_BASE};
    static const uint64_t LEVELS[] = {LOWEST, HIGHEST, GUARANTEED};

    for (unsigned i = 0; i < 3; i++) {
        const uint64_t level = LEVELS[i];
        const uint64_t asked = (REQUEST & ~0xffffffull) | level << 16 | level << 8 | level;

        machine_with_hwp();
        set((struct plan_state){.ratio = ASKED[i]});
        assert_int_equal(now.items, 2);
        assert_item(0, STATE_RATIO, MSR_IA32_HWP_REQUEST, STATUS_OK);
        assert_values(0, PACKAGE | REQUEST, asked, asked);
        assert_item(1, STATE_RATIO, MSR_IA32_PERF_STATUS, STATUS_OK);
        assert_values(1, CLOCK(RATIO_NOW), CLOCK(level), CLOCK(level));
        restore();
        assert_log(2, MSR_IA32_HWP_REQUEST, asked, MSR_IA32_HWP_REQUEST, PACKAGE | REQUEST);
    }
    assert_words("ratio 30");
}

TEST(outside_of_what_hwp_allows)
{
    static const uint32_t ASKED[] = {LOWEST - 1, HIGHEST + 1};

    for (unsigned i = 0; i < 2; i++) {
        machine_with_hwp();
        set((struct plan_state){.ratio = ASKED[i]});
        assert_int_equal(now.items, 1);
        assert_item(0, STATE_RATIO, MSR_IA32_HWP_REQUEST, STATUS_STATE_RANGE);
        assert_int_equal(fake.writes, 0);
        assert_words("");
    }
}

/* HWP is off and stays off. Reads of HWP's registers, except IA32_PM_ENABLE, would raise #GP. */
TEST(hwp_that_is_off)
{
    machine_with_hwp();
    fake_set(MSR_IA32_PM_ENABLE, 0);
    fake_register(MSR_IA32_HWP_CAPABILITIES)->read_faults = true;
    fake_register(MSR_IA32_HWP_REQUEST)->read_faults = true;
    set((struct plan_state){.ratio = 9});
    assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_OK);
    restore();
    assert_log(2, MSR_IA32_PERF_CTL, 0x900, MSR_IA32_PERF_CTL, 0);
    machine_with_hwp();
    caps.features &= ~FEATURE_HWP; /* 770H is not read */
    set((struct plan_state){.ratio = 9});
    assert_item(0, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_OK);
}

TEST(hwp_alone)
{
    static const uint32_t MSRS[] = {MSR_IA32_HWP_CAPABILITIES, MSR_IA32_HWP_REQUEST};

    machine_with_hwp();
    caps.features &= ~FEATURE_EIST;
    set((struct plan_state){.ratio = 9});
    assert_item(0, STATE_RATIO, MSR_IA32_HWP_REQUEST, STATUS_OK);
    for (unsigned i = 0; i < 2; i++) {
        machine_with_hwp();
        fake_register(MSRS[i])->read_faults = true;
        set((struct plan_state){.ratio = 9});
        assert_int_equal(now.items, 1);
        assert_item(0, STATE_RATIO, MSR_IA32_HWP_REQUEST, STATUS_MSR_REFUSED);
        assert_int_equal(fake.writes, 0);
    }
}

/* A hybrid's HWP levels are not ratios, so any clock is recorded without an error. */
TEST(levels_of_a_hybrid)
{
    machine_with_hwp();
    follows_after = 0;
    caps.features |= FEATURE_HYBRID;
    set((struct plan_state){.ratio = PLAN_RATIO_BASE});
    assert_item(1, STATE_RATIO, MSR_IA32_PERF_STATUS, STATUS_OK);
    assert_values(1, CLOCK(RATIO_NOW), CLOCK(RATIO_NOW), CLOCK(RATIO_NOW));
    assert_in_range(fake.reads, 1, 20); /* without waiting */
}
