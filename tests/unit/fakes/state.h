/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a plan's section [state]. The CPU's clock changes after some readings of
 * IA32_PERF_STATUS.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_STATE_H
#define BARECOUNT_TESTS_UNIT_FAKES_STATE_H

#include "tests/unit/fakes/msr.h"
#include "pmu/plan/plan.h"
#include "pmu/plan/state.h"

#define MISC_FOUND   0x40840ull /* bits 6, 11 and 18, which no setting uses */
#define RATIO_BASE   21u
#define RATIO_NOW    23u
#define CLOCK(ratio) (0x1c2500000000ull | (uint64_t)(ratio) << 8) /* IA32_PERF_STATUS */

static struct cpu_caps caps;
static struct plan_state wish;
static struct cpu_state now;
static unsigned follows_after; /* readings of IA32_PERF_STATUS until the clock changes; 0: never */

static inline bool read_state(void *context, uint32_t msr, uint64_t *value)
{
    if (msr == MSR_IA32_PERF_STATUS && follows_after > 0 && --follows_after == 0) {
        bool hwp = fake_register(MSR_IA32_PM_ENABLE) && fake_value(MSR_IA32_PM_ENABLE);
        uint64_t asked = fake_value(hwp ? MSR_IA32_HWP_REQUEST : MSR_IA32_PERF_CTL);

        fake_set(msr, (fake_value(msr) & ~0xff00ull) | (asked & 0xff00));
    }
    return fake_read(context, msr, value);
}

static const struct msr_port STATE_PORT = {.read = read_state, .write = fake_write};

/* An Intel CPU without HWP, which also has AMD's registers of [state]. */
static inline void machine(void)
{
    fake_start(0, 0, 0);
    fake_add(MSR_IA32_MISC_ENABLE, 1ull << 38 | MISC_FOUND);
    fake_add(MSR_MISC_FEATURE_CONTROL, 0xf);
    fake_add(MSR_IA32_PERF_CTL, 1ull << 32 | 0xff00);
    fake_add(MSR_IA32_PERF_STATUS, 0);
    fake_add(MSR_PLATFORM_INFO, 0);
    fake_add(MSR_AMD_HWCR, 0xffffffff);
    fake_add(MSR_AMD_PREFETCH_CONTROL, 0x3f);
    fake_set(MSR_IA32_MISC_ENABLE, MISC_FOUND);
    fake_set(MSR_IA32_PERF_STATUS, CLOCK(RATIO_NOW));
    fake_set(MSR_PLATFORM_INFO, 0x80000000000 | RATIO_BASE << 8);
    caps = fake_caps(0, 0, 0);
    caps.features = FEATURE_MSR | FEATURE_TURBO | FEATURE_EIST;
    follows_after = 3;
    memset(&now, 0xa5, sizeof(now));
}

static inline void set(struct plan_state asked)
{
    wish = asked;
    now.items = 0;
    for (unsigned i = 0; i < STATE_SETTINGS; i++)
        if (state_has(&wish, i))
            state_set(&STATE_PORT, &caps, &wish, i, &now);
    assert_in_range(now.items, 0, STATE_ITEMS_MAX);
}

static inline void restore(void)
{
    state_restore(&STATE_PORT, &now);
}

static inline void assert_item(unsigned i, enum state_setting setting, uint32_t msr,
                               enum status status)
{
    assert_true(i < now.items);
    assert_int_equal(now.item[i].setting, setting);
    assert_int_equal(now.item[i].msr, msr);
    assert_int_equal(now.item[i].status, status);
}

static inline void assert_values(unsigned i, uint64_t found, uint64_t asked, uint64_t got)
{
    assert_int_equal(now.item[i].found, found);
    assert_int_equal(now.item[i].asked, asked);
    assert_int_equal(now.item[i].got, got);
}

static inline void assert_log(unsigned writes, uint32_t first_msr, uint64_t first,
                              uint32_t last_msr, uint64_t last)
{
    assert_int_equal(fake.writes, writes);
    assert_int_equal(fake.log[0].msr, first_msr);
    assert_int_equal(fake.log[0].value, first);
    assert_int_equal(fake.log[writes - 1].msr, last_msr);
    assert_int_equal(fake.log[writes - 1].value, last);
}

static inline void assert_words(const char *expected)
{
    assert_written(state_words(&now, &out), expected);
}

static inline void assert_why(unsigned i, const char *expected)
{
    assert_written(state_why(&now.item[i], &out), expected);
}

#endif
