/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of perf_event_open(): perf_event_open(2), and arch/x86's format of `config`. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/plan_memory.h"
#include "pmu/events/perf_config.h"
#include "pmu/plan/plan.h"
#include "pmu/counters/select.h"

TEST(encodings)
{
    static const struct {
        uint64_t select, config;
    } ROWS[] = {
        {0x00c0, 0x00c0},
        {0x81d0, 0x81d0},
        {0x18414d1, 0x18414d1}, /* threshold, inverted, edge */
        {1ull << 40 | 0x1cd, 1ull << 40 | 0x1cd},
        {0x0100, 0x00c0}, /* the fixed counter of instructions is a general event in perf */
        {0x0200, 0x003c}, /* likewise core cycles */
        {0x0300, 0x0300}, /* perf's own code for reference cycles */
        {0x0400, 0x0400}, /* slots */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct event event = {
            .select = ROWS[i].select,
            .fixed_only = select_fixed(ROWS[i].select) != EVENT_NOT_FIXED,
        };

        assert_int_equal(perf_config(&event), ROWS[i].config);
        assert_int_equal(perf_config1(&event), 0);
    }
    for (int8_t i = 2; i < 4; i++) {
        const struct event event = {.select = select_of_fixed(i), .fixed_only = 1};

        assert_int_equal(perf_config(&event), (uint64_t)(i + 1) << 8);
    }
    /* AMD has an event 0 */
    assert_int_equal(perf_config(&(struct event){.select = 0x100}), 0x100);
}

TEST(extra_registers)
{
    const struct event event = {.select = 0x1b7, .extra_msr = 0x1a6, .extra = 0x3f80408000};
    const struct event none = {.select = 0x1b7, .extra = 5};
    const struct event merged = {.extra_msr = 0xc0010202, .extra = 1, .flags = EVENT_MERGED};

    assert_int_equal(perf_config1(&event), 0x3f80408000);
    assert_int_equal(perf_config1(&none), 0);
    assert_int_equal(perf_config1(&merged), 0);
}

TEST(rings)
{
    static const struct {
        uint8_t rings;
        bool no_user, no_kernel;
    } ROWS[] = {
        {RING_OS, true, false}, {RING_USR, false, true}, {RING_OS | RING_USR, false, false}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct event event = {.rings = ROWS[i].rings};

        assert_int_equal(perf_excludes_user(&event), ROWS[i].no_user);
        assert_int_equal(perf_excludes_kernel(&event), ROWS[i].no_kernel);
    }
}

/* Without a ring in the plan, each kernel has its default ring. */
TEST(a_plan_that_says_nothing_of_rings)
{
    static struct plan plan;
    static const char SAYS[] = "version=1\n[run]\nring=os\n";
    static const char DOES_NOT[] = "version=1\n[run]\nring=default\n";

    plan_parse(SAYS, sizeof(SAYS) - 1, &plan, plan_memory);
    assert_true(plan.rings_given);
    assert_int_equal(plan.rings, RING_OS);
    plan_parse(DOES_NOT, sizeof(DOES_NOT) - 1, &plan, plan_memory);
    assert_false(plan.rings_given);
    assert_int_equal(plan.rings, RING_OS);
    assert_int_equal(plan.errors, 0);
}
