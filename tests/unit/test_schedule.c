/* SPDX-License-Identifier: BSD-2-Clause */
/* Which counter counts which event in which pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/schedule.h"

static struct cpu_caps caps;
static struct schedule schedule;

static int skylake(void **state)
{
    (void)state;
    caps = (struct cpu_caps){
        .vendor = VENDOR_INTEL,
        .family = 6,
        .model = 0x55,
        .pmu_version = 4,
        .gp_count = 4,
        .arch_events = 7,
        .fixed_map = 7,
    };
    memset(&schedule, 0xa5, sizeof(schedule));
    return 0;
}

static unsigned available(bool fixed)
{
    unsigned count = 0;

    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        count += (EVENTS[e].fixed != EVENT_NOT_FIXED) == fixed &&
                 event_available(&EVENTS[e], &caps) == STATUS_OK;
    return count;
}

/* What holds for every schedule, whatever the CPU. */
static void check_rules(void)
{
    unsigned slots_of[EVENTS_MAX] = {0};

    assert_in_range(schedule.passes, 1, PASSES_MAX);
    for (unsigned p = 0; p < schedule.passes; p++) {
        unsigned general = 0, fixed = 0;

        assert_true(schedule.pass[p].slots <= SLOTS_MAX);
        assert_true(schedule.passes == 1 || schedule.pass[p].slots > 0);
        for (unsigned s = 0; s < schedule.pass[p].slots; s++) {
            const struct slot *slot = &schedule.pass[p].slot[s];
            unsigned *taken = slot->fixed ? &fixed : &general;

            assert_true(slot->event < EVENTS_COUNT);
            slots_of[slot->event]++;
            assert_false(*taken >> slot->counter & 1); /* a counter counts one event */
            *taken |= 1u << slot->counter;
            assert_int_equal(slot->fixed, EVENTS[slot->event].fixed != EVENT_NOT_FIXED);
            if (slot->fixed)
                assert_int_equal(slot->counter, EVENTS[slot->event].fixed);
            else if (EVENTS[slot->event].counters) /* only some can count it */
                assert_true(EVENTS[slot->event].counters >> slot->counter & 1);
        }
        assert_int_equal(fixed & ~caps.fixed_map, 0);
        assert_int_equal(general >> caps.gp_count, 0);
        assert_true(p == 0 || fixed == 0);
    }
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        unsigned pass = 99, slot = 99;
        bool there = event_available(&EVENTS[e], &caps) == STATUS_OK;

        assert_int_equal(schedule.status[e], event_available(&EVENTS[e], &caps));
        assert_int_equal(slots_of[e], there);
        assert_int_equal(schedule_find(&schedule, e, &pass, &slot), there);
        if (there)
            assert_int_equal(schedule.pass[pass].slot[slot].event, e);
    }
}

static void every_number_of_counters(void **state)
{
    unsigned general = available(false);

    (void)state;
    assert_true(general > GP_COUNTERS_MAX); /* so that 8 counters need two passes as well */
    for (caps.gp_count = 1; caps.gp_count <= GP_COUNTERS_MAX; caps.gp_count++) {
        schedule_make(&caps, &schedule);
        check_rules();
        assert_int_equal(schedule.passes, (general + caps.gp_count - 1) / caps.gp_count);
        assert_int_equal(schedule.pass[0].slots, available(true) + caps.gp_count);
    }
}

/* Each set of fixed counters with each set of architectural events. */
static void every_set_of_events(void **state)
{
    (void)state;
    for (caps.fixed_map = 0; caps.fixed_map < 8; caps.fixed_map++)
        for (caps.arch_events_absent = 0; caps.arch_events_absent < 128; caps.arch_events_absent++)
            for (caps.model = 0x54; caps.model <= 0x55; caps.model++) {
                unsigned general = available(false);

                schedule_make(&caps, &schedule);
                check_rules();
                assert_int_equal(schedule.passes, general ? (general + 3) / 4 : 1);
            }
}

/* Version 1 has no global control: one counter, opened by its own select. */
static void version_1_has_one_counter_a_pass(void **state)
{
    (void)state;
    caps.pmu_version = 1;
    caps.fixed_map = 0;
    caps.gp_count = 2;
    caps.features = FEATURE_TSX_ABORT;
    schedule_make(&caps, &schedule);
    check_rules();
    assert_int_equal(schedule.passes, available(false));
    for (unsigned p = 0; p < schedule.passes; p++) {
        assert_int_equal(schedule.pass[p].slots, 1);
        assert_int_equal(schedule.pass[p].slot[0].counter, 0);
        assert_int_equal(schedule.pass[p].slot[0].fixed, 0);
    }
}

/* IA32_PMC3 is the microcode's; the others, also those above it, are ours. */
static void tsx_force_abort_leaves_pmc3(void **state)
{
    unsigned general = available(false);

    (void)state;
    caps.features = FEATURE_TSX_ABORT;
    for (unsigned counters = 1; counters <= GP_COUNTERS_MAX; counters++) {
        unsigned ours = counters > 3 ? counters - 1 : counters;

        caps.gp_count = counters;
        schedule_make(&caps, &schedule);
        check_rules();
        assert_int_equal(schedule.passes, (general + ours - 1) / ours);
        for (unsigned p = 0; p < schedule.passes; p++)
            for (unsigned s = 0; s < schedule.pass[p].slots; s++)
                if (counters > 3 && !schedule.pass[p].slot[s].fixed)
                    assert_int_not_equal(schedule.pass[p].slot[s].counter, 3);
    }
}

static void without_an_event_one_empty_pass(void **state)
{
    static const struct {
        uint32_t vendor, version, gp_count;
        enum status status;
    } ROWS[] = {
        {VENDOR_AMD, 4, 4, STATUS_VENDOR},
        {VENDOR_INTEL, 0, 0, STATUS_NO_PMU},
        {VENDOR_INTEL, 1, 0, STATUS_NO_COUNTER},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        unsigned pass, slot;

        caps = (struct cpu_caps){
            .vendor = ROWS[i].vendor, .pmu_version = ROWS[i].version, .gp_count = ROWS[i].gp_count};
        schedule_make(&caps, &schedule);
        check_rules();
        assert_int_equal(schedule.passes, 1);
        assert_int_equal(schedule.pass[0].slots, 0);
        assert_int_equal(schedule.status[EVENTS_COUNT - 1], ROWS[i].status);
        assert_false(schedule_find(&schedule, EVENTS_COUNT - 1, &pass, &slot));
    }
}

/* Events that only some counters can count go first, then the others in the table's order. */
static void order_is_the_tables(void **state)
{
    unsigned expected[EVENTS_MAX] = {0}, count = 0, next = 0;

    (void)state;
    for (unsigned constrained = 2; constrained-- > 0;)
        for (unsigned e = 0; e < EVENTS_COUNT; e++)
            if (EVENTS[e].fixed == EVENT_NOT_FIXED && (EVENTS[e].counters != 0) == constrained)
                expected[count++] = e;
    schedule_make(&caps, &schedule);
    for (unsigned p = 0; p < schedule.passes; p++)
        for (unsigned s = 0, counter = 0; s < schedule.pass[p].slots; s++) {
            const struct slot *slot = &schedule.pass[p].slot[s];

            if (slot->fixed)
                continue;
            assert_int_equal(slot->event, expected[next++]);
            assert_int_equal(slot->counter, counter++);
        }
    assert_int_equal(next, count);
}

/* What stands behind the last pass is none. */
static void passes_end_where_they_say(void **state)
{
    unsigned pass, slot, last;

    (void)state;
    schedule_make(&caps, &schedule);
    schedule.passes--;
    last = schedule.pass[schedule.passes].slot[0].event;
    assert_false(schedule_find(&schedule, last, &pass, &slot));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_number_of_counters, skylake),
        cmocka_unit_test_setup(every_set_of_events, skylake),
        cmocka_unit_test_setup(version_1_has_one_counter_a_pass, skylake),
        cmocka_unit_test_setup(tsx_force_abort_leaves_pmc3, skylake),
        cmocka_unit_test_setup(without_an_event_one_empty_pass, skylake),
        cmocka_unit_test_setup(order_is_the_tables, skylake),
        cmocka_unit_test_setup(passes_end_where_they_say, skylake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
