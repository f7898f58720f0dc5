/* SPDX-License-Identifier: BSD-2-Clause */
/* The MWAIT hint of the deepest state in CPUID.05H (Intel SDM vol. 2A "CPUID"). */
#include "tests/unit/test.h"
#include "pmu/cpu/mwait.h"

#define LISTED 1u /* ECX bit 0: EDX is valid */

static uint32_t hint_of(uint32_t ecx, uint32_t edx)
{
    const struct cpuid_regs leaf = {.eax = 0x40, .ebx = 0x40, .ecx = ecx, .edx = edx};

    return mwait_deepest_hint(&leaf, true);
}

static uint32_t hint_without_tsc(uint32_t edx)
{
    const struct cpuid_regs leaf = {.eax = 0x40, .ebx = 0x40, .ecx = LISTED, .edx = edx};

    return mwait_deepest_hint(&leaf, false);
}

/* Bits 7:4 of the hint are the state minus 1, and bits 3:0 are the last sub-state. */
TEST(each_state)
{
    for (uint32_t c = 1; c <= 7; c++)
        for (uint32_t sub = 1; sub <= 15; sub++)
            assert_int_equal(hint_of(LISTED, sub << (4 * c)), (c - 1) * 16 + sub - 1);
}

TEST(the_deepest_of_many)
{
    assert_int_equal(hint_of(LISTED, 0x00000021), 0x01); /* C1 with two sub-states */
    assert_int_equal(hint_of(LISTED, 0x00002020), 0x21); /* C1 and C3, two sub-states each */
    assert_int_equal(hint_of(LISTED, 0x11142120), 0x60); /* up to C7 */
}

TEST(nothing_but_c1)
{
    assert_int_equal(hint_of(LISTED, 0), 0);
    assert_int_equal(hint_of(LISTED, 0xf), 0); /* C0 is not a state to wait in */
    assert_int_equal(hint_of(0, 0x11142120), 0);
    assert_int_equal(hint_of(2, 0x11142120), 0);
}

/* Without an invariant TSC, C3 and deeper states are not used. */
TEST(where_the_time_stamp_goes_on)
{
    for (uint32_t c = 1; c <= 7; c++)
        for (uint32_t sub = 1; sub <= 15; sub++)
            assert_int_equal(hint_without_tsc(sub << (4 * c)), c <= 2 ? (c - 1) * 16 + sub - 1 : 0);
    assert_int_equal(hint_without_tsc(0x11142120), 0x10); /* C2 with one sub-state */
    assert_int_equal(hint_without_tsc(0x11142020), 0x01); /* no C2: C1 with two sub-states */
}

/* MWAIT is no better than a busy loop if the state is C1, or in a virtual machine. */
TEST(when_it_gains)
{
    const struct cpu_caps real = {.features = FEATURE_MONITOR};
    const struct cpu_caps virtual = {.features = FEATURE_MONITOR | FEATURE_HYPERVISOR};

    assert_false(mwait_gains(&real, 0x00));
    assert_false(mwait_gains(&real, 0x01)); /* a sub-state of C1 */
    assert_true(mwait_gains(&real, 0x10));
    assert_true(mwait_gains(&real, 0x60));
    assert_false(mwait_gains(&virtual, 0x60));
}

TEST(stores_that_do_not_wake)
{
    struct cpu_caps caps = {.vendor = VENDOR_INTEL, .family = 6};

    for (caps.model = 0; caps.model <= 0xff; caps.model++)
        assert_int_equal(mwait_ends(&caps), caps.model != 0x5c && caps.model != 0xbd &&
                                                caps.model != 0x6a && caps.model != 0x6c);
    caps.model = 0x6a;
    caps.family = 19;
    assert_true(mwait_ends(&caps));
    caps.family = 6;
    caps.vendor = VENDOR_AMD;
    assert_true(mwait_ends(&caps));
}
