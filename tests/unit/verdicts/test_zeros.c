/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that stay 0 although others of their group do not, and the note about them. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/run.h"
#include "pmu/verdicts/zeros.h"

#define ROOM 16u

static struct zero_event memory[ROOM];
static struct zeros zeros;
static struct plan plan;
static uint8_t group[EVENTS_MAX];
static unsigned mispredicted, references, misses;
static uint64_t more[EVENTS_MAX]; /* added to each event's own count */
static uint64_t more_of_window[EVENTS_MAX];

static void count_more(struct point *point)
{
    point->value +=
        point->kernel == KERNEL_CALIBRATION ? more_of_window[point->event] : more[point->event];
}

static void nothing_more(void)
{
    memset(more, 0, sizeof(more));
    memset(more_of_window, 0, sizeof(more_of_window));
}

static void add_cpu(unsigned cpu)
{
    run_cpu(cpu, NULL);
    run_calibration();
    run_hook = count_more;
    run_look();
    zeros_expect(&zeros, run_view.event, group, run_view.events);
}

static void begin(void)
{
    nothing_more();
    mispredicted = run_event("BR_MISP_RETIRED.ALL_BRANCHES");
    references = run_event("LONGEST_LAT_CACHE.REFERENCE");
    misses = run_event("LONGEST_LAT_CACHE.MISS");
    memset(group, GROUP_NONE, sizeof(group));
    memset(&plan, 0, sizeof(plan));
    strcpy(plan.group[1].name, "cache");
    zeros_start(&zeros, memory, ROOM);
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
}

BEFORE_EACH(begin);

static void run_kernel_once(void)
{
    run_look_at(0);
    zeros_take(&zeros, run_rows());
}

/* "": no note. Other groups must have no note. */
static void expect(unsigned of, const char *text)
{
    for (unsigned g = 0; g <= GROUP_BUILT_IN; g++) {
        char said[NOTE_BYTES];
        struct out out = out_buffer(said, sizeof(said));
        bool says = zeros_say(&zeros, &plan, g, &out);

        assert_string_equal(out_end(&out), g == of ? text : "");
        assert_int_equal(says, g == of && *text != 0);
        assert_false(out.failed);
    }
}

TEST(one_event_of_a_group)
{
    group[misses] = group[references] = 1;
    add_cpu(0);
    more[references] = 1;
    run_kernel_once();
    expect(1, "LONGEST_LAT_CACHE.MISS: 0 in all kernels, while others of group cache were not: "
              "this machine may not count it");
}

TEST(the_built_in_events_are_a_group)
{
    memset(group, GROUP_BUILT_IN, EVENTS_COUNT);
    add_cpu(0);
    run_kernel_once(); /* declared events are ignored */
    expect(GROUP_BUILT_IN,
           "BR_MISP_RETIRED.ALL_BRANCHES, LONGEST_LAT_CACHE.REFERENCE, LONGEST_LAT_CACHE.MISS: 0 "
           "in all kernels, while others of the built-in events were not: this machine may not "
           "count them");
}

TEST(groups_of_which_nothing_is_said)
{
    expect(0, "");
    group[misses] = group[references] = 1;
    group[mispredicted] = 2;
    add_cpu(0);
    expect(0, "");
    more[mispredicted] = 5;
    run_kernel_once();
    expect(0, "");
    more[misses] = more[references] = 1;
    run_kernel_once();
    expect(0, "");
}

/* One sample that is not 0 keeps the event out of the note. */
TEST(one_count_is_enough)
{
    group[misses] = group[references] = 1;
    add_cpu(0);
    more[references] = 1;
    run_kernel_once();
    add_cpu(1);
    more[misses] = 1;
    run_kernel_once();
    more[misses] = 0;
    run_kernel_once();
    expect(0, "");
}

/* Counts of the empty window prove that the event can be counted. */
TEST(what_the_window_counts)
{
    group[misses] = group[references] = 1;
    more[misses] = more_of_window[misses] = 3;
    more[references] = 1;
    run_cpu(0, NULL);
    run_hook = count_more;
    run_calibration();
    run_look();
    zeros_expect(&zeros, run_view.event, group, run_view.events);
    run_kernel_once();
    expect(0, "");
}

/* An event that one CPU lacks is judged by its counts on the other CPUs. */
TEST(cpus_with_other_events)
{
    static struct event other[2];

    group[misses] = group[references] = 1;
    run_make_cpu(0, NULL);
    other[0] = run_events[references];
    strcpy(other[0].name, "OF.ANOTHER.CORE");
    other[1] = run_events[misses];
    zeros_expect(&zeros, other, (const uint8_t[]){1, 1}, 2);
    add_cpu(1);
    more[references] = 1;
    run_kernel_once();
    expect(1, "LONGEST_LAT_CACHE.MISS: 0 in all kernels, while others of group cache were not: "
              "this machine may not count it");
    assert_int_equal(zeros.events, 3);
}

/* Rows of a failed counter are `off`, so there is no note. */
TEST(counters_that_are_off)
{
    struct rows *rows;

    group[misses] = group[references] = 1;
    add_cpu(0);
    more[references] = 1;
    run_look_at(0);
    rows = (struct rows *)run_rows();
    rows->row[misses].counter_off = true;
    zeros_take(&zeros, rows);
    expect(0, "");
}

/* The longest name and the longest group must fit. */
TEST(many_events)
{
    static struct event event[ROOM];
    static uint8_t of[ROOM];

    for (unsigned i = 0; i < ROOM; i++) {
        memset(event[i].name, 'A' + (char)i, EVENT_NAME_BYTES - 1);
        event[i].declared = EVENT_UNDECLARED;
    }
    memset(plan.group[0].name, 'g', PLAN_NAME_BYTES - 1);
    zeros_expect(&zeros, event, of, ROOM);
    zeros_expect(&zeros, &event[3], of, 1); /* known already */
    assert_int_equal(zeros.events, ROOM);
    for (unsigned i = 0; i < ROOM; i++)
        memory[i].ran = true;
    memory[0].counted = true;
    expect(0, formatted("%s and 14 more: 0 in all kernels, while others of group %s were not: "
                        "this machine may not count them",
                        event[1].name, plan.group[0].name));
    zeros_start(&zeros, NULL, ROOM); /* without memory */
    zeros_expect(&zeros, event, of, ROOM);
    expect(0, "");
}
