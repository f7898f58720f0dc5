/* SPDX-License-Identifier: BSD-2-Clause */
/* The state that a plan does not change is read and reported. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/state.h"

BEFORE_EACH(machine);

TEST(what_is_kept_is_looked_at)
{
    set((struct plan_state){.prefetch = SWITCH_OFF});
    state_look(&STATE_PORT, &caps, &wish, &now);
    assert_int_equal(now.items, 4);
    assert_item(0, STATE_PREFETCH, MSR_MISC_FEATURE_CONTROL, STATUS_OK);
    assert_item(1, STATE_TURBO, MSR_IA32_MISC_ENABLE, STATUS_OK);
    assert_values(1, MISC_FOUND, MISC_FOUND, MISC_FOUND);
    assert_item(2, STATE_RATIO, MSR_IA32_PERF_CTL, STATUS_OK);
    assert_item(3, STATE_RATIO, MSR_IA32_PERF_STATUS, STATUS_OK);
    assert_values(3, CLOCK(RATIO_NOW), CLOCK(RATIO_NOW), CLOCK(RATIO_NOW));
    for (unsigned i = 0; i < now.items; i++)
        assert_int_equal(now.item[i].kept, i > 0);
    assert_words("prefetch off (0xf)");
    assert_log(1, MSR_MISC_FEATURE_CONTROL, 0xf, MSR_MISC_FEATURE_CONTROL, 0xf);
    restore();
    assert_log(2, MSR_MISC_FEATURE_CONTROL, 0xf, MSR_MISC_FEATURE_CONTROL, 0);
}

TEST(what_is_kept_may_not_be_there)
{
    caps.features = FEATURE_MSR;
    fake_register(MSR_MISC_FEATURE_CONTROL)->read_faults = true;
    set((struct plan_state){.turbo = SWITCH_KEEP});
    state_look(&STATE_PORT, &caps, &wish, &now);
    assert_int_equal(now.items, 3);
    assert_item(0, STATE_TURBO, 0, STATUS_STATE_ABSENT);
    assert_item(1, STATE_PREFETCH, MSR_MISC_FEATURE_CONTROL, STATUS_MSR_REFUSED);
    assert_item(2, STATE_RATIO, 0, STATUS_STATE_ABSENT);
    caps.vendor = VENDOR_AMD;
    set((struct plan_state){.turbo = SWITCH_KEEP});
    state_look(&STATE_PORT, &caps, &wish, &now);
    assert_int_equal(now.items, 2);
    assert_item(1, STATE_PREFETCH, 0, STATUS_STATE_ABSENT);
    assert_int_equal(fake.writes, 0);
}
