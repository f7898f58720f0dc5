/* SPDX-License-Identifier: BSD-2-Clause */
/* Which uncore events and package records are accepted, and how long they are valid. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_uncore.h"

static void begin(void)
{
    run_begin(NULL, "");
    run_kernel("one", EXPECT_EXACT);
    run_uncore_event("dram_read_bytes", KIND_IMC, 0xf, UNIT_BYTES);
    run_uncore_event("package_energy_uJ", KIND_ENERGY, 1, UNIT_MICROJOULES);
}

static bool events_are_believed(size_t offset, uint8_t value)
{
    begin();
    run_make_cpu(0, NULL);
    ((uint8_t *)&run_events[EVENTS_COUNT])[offset] = value;
    run_describe();
    run_look();
    return run_view.event != NULL;
}

TEST(events_of_a_package)
{
    assert_true(events_are_believed(offsetof(struct event, kind), UNCORE_KINDS - 1));
    assert_false(events_are_believed(offsetof(struct event, kind), UNCORE_KINDS));
    assert_true(events_are_believed(offsetof(struct event, declared), (uint8_t)EVENT_UNDECLARED));
    assert_false(events_are_believed(offsetof(struct event, declared), DECLARED_LOADS));
    assert_false(events_are_believed(offsetof(struct event, scope), SCOPE_UNCORE + 1));
}

/*
 * Only an uncore event may have the flag EVENT_SUM. The event must have a second select, no extra
 * register, and a unit other than microjoules.
 */
TEST(events_that_are_sums)
{
    static const struct {
        bool right;
        uint8_t scope, unit;
        uint32_t extra_msr;
        uint64_t extra;
    } ROWS[] = {
        {true, SCOPE_UNCORE, UNIT_BYTES, 0, 0xcf06},
        {false, SCOPE_CPU, UNIT_COUNT, 0, 0xcf06},
        {false, SCOPE_UNCORE, UNIT_MICROJOULES, 0, 0xcf06},
        {false, SCOPE_UNCORE, UNIT_BYTES, 0xe05, 0xcf06},
        {false, SCOPE_UNCORE, UNIT_BYTES, 0, 0},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        begin();
        run_make_cpu(0, NULL);
        run_events[EVENTS_COUNT].scope = ROWS[i].scope;
        run_events[EVENTS_COUNT].unit = ROWS[i].unit;
        run_events[EVENTS_COUNT].extra_msr = ROWS[i].extra_msr;
        run_events[EVENTS_COUNT].extra = ROWS[i].extra;
        run_events[EVENTS_COUNT].flags = EVENT_SUM;
        run_describe();
        run_look();
        assert_int_equal(run_view.event != NULL, ROWS[i].right);
    }
}

static bool slot_is_believed(enum slot_where where, unsigned counter)
{
    unsigned pass;
    struct slot *slot;

    begin();
    run_make_cpu(0, NULL);
    slot = (struct slot *)(uintptr_t)run_uncore_slot(0, &pass);
    slot->where = (uint8_t)where;
    slot->counter = (uint8_t)counter;
    run_describe();
    run_look();
    assert_non_null(run_view.event);
    return run_view.schedule != NULL;
}

TEST(slots_of_a_package)
{
    assert_true(slot_is_believed(SLOT_UNCORE, UNCORE_COUNTERS_MAX - 1));
    assert_false(slot_is_believed(SLOT_UNCORE, UNCORE_COUNTERS_MAX));
    assert_false(slot_is_believed(SLOT_GENERAL, 0));
    assert_false(slot_is_believed(SLOT_FIXED, 0));
}

static bool second_is_believed(bool is_sum, unsigned counter, unsigned second)
{
    unsigned pass;
    struct slot *slot;

    begin();
    run_more[0].flags = is_sum ? EVENT_SUM : 0;
    run_more[0].extra = 0xcf06;
    run_make_cpu(0, NULL);
    slot = (struct slot *)(uintptr_t)run_uncore_slot(0, &pass);
    slot->counter = (uint8_t)counter;
    slot->second = (uint8_t)second;
    run_describe();
    run_look();
    assert_non_null(run_view.event);
    return run_view.schedule != NULL;
}

/* A sum needs two different, valid counters. Other events have no second counter. */
TEST(slots_of_sums)
{
    assert_true(second_is_believed(true, 0, UNCORE_COUNTERS_MAX - 1));
    assert_false(second_is_believed(true, 0, UNCORE_COUNTERS_MAX));
    assert_false(second_is_believed(true, 2, 2));
    assert_true(second_is_believed(false, 2, 2));
    assert_true(second_is_believed(false, 0, 0xff));
}

static const struct uncore_record *taken(void (*change)(struct uncore_record *uncore), size_t bytes)
{
    struct uncore_record uncore = run_uncore_of(3);

    begin();
    run_cpu(3, NULL);
    change(&uncore);
    run_append(RECORD_UNCORE, &uncore, bytes);
    run_look();
    assert_non_null(run_view.schedule);
    return run_view.uncore;
}

static void nothing(struct uncore_record *uncore)
{
    (void)uncore;
}

static void of_another_cpu(struct uncore_record *uncore)
{
    uncore->cpu = 2;
}

static void as_many_groups(struct uncore_record *uncore)
{
    uncore->groups = UNCORE_GROUPS_MAX;
}

static void too_many_groups(struct uncore_record *uncore)
{
    uncore->groups = UNCORE_GROUPS_MAX + 1;
}

static void no_end(struct uncore_record *uncore)
{
    memset(uncore->model, 'x', sizeof(uncore->model));
}

static void unknown_kind(struct uncore_record *uncore)
{
    uncore->group[2].kind = UNCORE_KINDS;
}

static void unknown_fault(struct uncore_record *uncore)
{
    uncore->group[0].fault = UNCORE_FAULTS;
}

static void behind_the_groups(struct uncore_record *uncore)
{
    uncore->group[3].kind = uncore->group[3].fault = 0xff;
}

TEST(the_record_at_its_bounds)
{
    const size_t whole = sizeof(struct uncore_record);

    assert_non_null(taken(nothing, whole));
    assert_string_equal(run_view.uncore->model, "Skylake server");
    assert_non_null(taken(as_many_groups, whole));
    assert_non_null(taken(behind_the_groups, whole));
    assert_null(taken(nothing, whole - 8));
    assert_null(taken(of_another_cpu, whole));
    assert_null(taken(too_many_groups, whole));
    assert_null(taken(no_end, whole));
    assert_null(taken(unknown_kind, whole));
    assert_null(taken(unknown_fault, whole));
}

/* A package's record belongs to the CPU whose records precede it. */
TEST(each_cpu_has_its_own)
{
    struct uncore_record uncore = run_uncore_of(0), other = run_uncore_of(2);
    struct journal_cursor cursor;
    const struct journal_head *head;
    unsigned seen = 0;

    begin();
    other.package = 7;
    run_uncore(&uncore);
    run_cpu(0, NULL);
    run_uncore(&uncore);
    run_calibration();
    run_more_count = 0;
    run_cpu(1, NULL);
    run_calibration();
    run_cpu(2, NULL);
    run_uncore(&other);
    run_calibration();
    for (unsigned i = 0; i < 2; i++)
        for (unsigned cpu = 0; cpu < 3; cpu++) {
            run_again(cpu, NULL);
            run_result(0, STATUS_OK);
        }
    cursor = journal_start(run_bytes, run_journal.used);
    view_start(&run_view, run_scratch, 256);
    while ((head = journal_next(&cursor))) {
        const struct result *result = view_take(&run_view, &cursor, head);

        if (!run_view.cpu)
            assert_null(run_view.uncore);
        if (!result)
            continue;
        seen++;
        if (result->cpu == 1) {
            assert_null(run_view.uncore);
        } else {
            assert_non_null(run_view.uncore);
            assert_int_equal(run_view.uncore->cpu, result->cpu);
            assert_int_equal(run_view.uncore->package, result->cpu == 2 ? 7 : 1);
        }
    }
    assert_int_equal(seen, 6);
}
