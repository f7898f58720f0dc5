/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter whose register raises #GP is removed, although CPUID enumerates it. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/msr.h"
#include "pmu/events/built_in.h"

#define ALL_FIXED 7u

static const struct {
    const char *row;
    unsigned version;
    uint32_t refuses[2]; /* 0: none */
    uint32_t first, gp, gp_refused, fixed_map, fixed_refused;
} ROWS[] = {
    {"all answer", 4, {0}, 0, 4, 0, ALL_FIXED, 0},
    {"version 1, all answer", 1, {0}, 0, 4, 0, 0, 0},
    {"version 1, no counter", 1, {0x186}, 0x186, 0, 4, 0, 0},
    {"no global control", 2, {0x38f}, 0x38f, 0, 4, 0, ALL_FIXED},
    {"no global status", 2, {0x38e}, 0x38e, 0, 4, 0, ALL_FIXED},
    {"no fixed control", 2, {0x38d}, 0x38d, 4, 0, 0, ALL_FIXED},
    {"no fixed counter 0", 2, {0x309}, 0x309, 4, 0, 6, 1},
    {"no fixed counter 2", 2, {0x30b}, 0x30b, 4, 0, 3, 4},
    {"select 2 and all behind it", 2, {0x188}, 0x188, 2, 2, ALL_FIXED, 0},
    {"counter 3", 2, {0xc4}, 0xc4, 3, 1, ALL_FIXED, 0},
    {"counter 0: none is left", 2, {0xc1}, 0xc1, 0, 4, ALL_FIXED, 0},
    {"the first of two is named", 2, {0x30a, 0x187}, 0x30a, 1, 3, 5, 2},
};

TEST(counters_that_refuse_are_left_out)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct cpu_caps caps = {.vendor = VENDOR_INTEL,
                                .pmu_version = ROWS[i].version,
                                .gp_count = 4,
                                .arch_events = 7,
                                .fixed_map = ROWS[i].version < 2 ? 0 : ALL_FIXED};
        uint32_t first;

        fake_start(ROWS[i].version, 4, 3);
        for (unsigned k = 0; k < 2 && ROWS[i].refuses[k]; k++)
            fake_register(ROWS[i].refuses[k])->read_faults = true;
        first = pmu_probe(&FAKE_PORT, &caps);
        if (first != ROWS[i].first || caps.gp_count != ROWS[i].gp ||
            caps.gp_refused != ROWS[i].gp_refused || caps.fixed_map != ROWS[i].fixed_map ||
            caps.fixed_refused != ROWS[i].fixed_refused)
            fail_msg("%s: first %x, general %u and %u, fixed %x and %x", ROWS[i].row, first,
                     caps.gp_count, caps.gp_refused, caps.fixed_map, caps.fixed_refused);
        assert_int_equal(fake.writes + fake.absent, 0);
        for (unsigned e = 0; e < EVENTS_COUNT; e++) {
            bool fixed = EVENTS[e].fixed >= 0;
            bool refused = fixed ? ROWS[i].fixed_refused >> EVENTS[e].fixed & 1 : ROWS[i].gp == 0;
            assert_int_equal(event_available(&EVENTS[e], &caps) == STATUS_MSR_FAULT, refused);
        }
    }
}

TEST(no_counter_is_left_below_one_that_refuses)
{
    struct cpu_caps caps = {
        .vendor = VENDOR_INTEL, .pmu_version = 6, .gp_count = 4, .gp_absent = 3};

    fake_start(6, 4, 0);
    fake_register(MSR_IA32_PERFEVTSEL0 + 2)->read_faults = true;
    assert_int_equal(pmu_probe(&FAKE_PORT, &caps), MSR_IA32_PERFEVTSEL0 + 2);
    assert_int_equal(caps.gp_count, 0);
    assert_int_equal(caps.gp_refused, 2);
}

TEST(fixed_counters_without_use_are_not_asked)
{
    struct cpu_caps caps = {
        .vendor = VENDOR_INTEL, .pmu_version = 5, .gp_count = 2, .fixed_map = 2};

    fake_start(5, 2, 2);
    fake_register(MSR_IA32_FIXED_CTR0)->msr = 0;
    assert_int_equal(pmu_probe(&FAKE_PORT, &caps), 0);
    assert_int_equal(caps.fixed_map, 2);
    assert_int_equal(fake.absent, 0);
}
