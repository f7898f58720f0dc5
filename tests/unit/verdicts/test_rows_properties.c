/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of events that count a property (pmu/counters/property.h). */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/rows.h"

/*
 * `window`: how often the window has the property. `call`: how often a second call of the empty
 * kernel adds the property.
 */
static const struct {
    enum property property;
    unsigned window, call;
} PROPERTIES[] = {
    {PROPERTY_NEAR_CALLS, 1, 1},        {PROPERTY_NEAR_RETURNS, 1, 1},
    {PROPERTY_INDIRECT_BRANCHES, 1, 0}, {PROPERTY_INDIRECT_OR_RETURN, 2, 1},
    {PROPERTY_FAR_BRANCHES, 0, 0},      {PROPERTY_CONDITIONAL_TAKEN, 0, 0},
    {PROPERTY_NOT_TAKEN, 0, 0},
};
#define PROPERTIES_COUNT (sizeof(PROPERTIES) / sizeof(PROPERTIES[0]))
#define EVENT_OF(i)      (EVENTS_COUNT + (unsigned)(i))

/*
 * In each of its n iterations, the kernel has the property with index i in PROPERTIES i times. The
 * sum has index 3, which is the sum of its parts' indices, 1 and 2.
 */
static unsigned per_n(unsigned i)
{
    return i;
}

/*
 * `once` is added to the counts of windows with one call, and `twice` to those of windows with two.
 */
static unsigned once, twice;

static void count_properties(struct point *point)
{
    const unsigned i = point->event - EVENTS_COUNT;
    const bool empty = point->kernel == KERNEL_CALIBRATION;
    const bool two = empty && point->kind == SAMPLE_2N;

    if (point->event < EVENTS_COUNT)
        return;
    point->value = run_record.method == METHOD_DELTAS ? 0 : PROPERTIES[i].window;
    point->value += two ? PROPERTIES[i].call + twice : once;
    point->value += empty ? 0 : (uint64_t)per_n(i) * RUN_N * (point->kind == SAMPLE_2N ? 2 : 1);
}

static const struct known_kernel LISTS_SOME = {
    .name = "some",
    .n = RUN_N,
    .no_others = PROPERTY_NEAR_RETURNS,
    .list = {{EXPECT_RANGE, PROPERTY_INDIRECT_BRANCHES, 0, 2000, 0, 4000},
             {EXPECT_EXACT, PROPERTY_FAR_BRANCHES, 4000, 4000, 8000, 8000},
             {EXPECT_NOTHING, PROPERTY_CONDITIONAL_TAKEN, 0, 0, 0, 0}},
};

static void measure(void (*change)(struct run_record *run), const struct known_kernel *kernel,
                    unsigned samples_of_two)
{
    run_begin(change, "");
    run_append(RECORD_KERNEL, kernel, sizeof(*kernel));
    for (unsigned i = 0; i < PROPERTIES_COUNT; i++)
        run_more[i] = (struct event){.name = "X",
                                     .select = 0x100 * i + 1,
                                     .declared = EVENT_UNDECLARED,
                                     .kind = (uint8_t)PROPERTIES[i].property,
                                     .arch = EVENT_NOT_ARCH,
                                     .fixed = EVENT_NOT_FIXED,
                                     .rings = (uint8_t)run_record.kernel_ring};
    run_more_count = PROPERTIES_COUNT;
    run_cpu(0, NULL);
    run_hook = count_properties;
    run_result_of(KERNEL_CALIBRATION, STATUS_OK, RUN_CALIBRATION, samples_of_two);
    run_look_at(0);
}

static void whole(void (*change)(struct run_record *run), unsigned samples_of_two)
{
    static struct known_kernel kernel;

    kernel = (struct known_kernel){.name = "all", .n = RUN_N, .no_others = PROPERTY_END};
    for (unsigned i = 1; i < PROPERTIES_COUNT; i++) {
        const int64_t count = per_n(i) * RUN_N;

        kernel.list[i] = (struct expect){
            EXPECT_EXACT, PROPERTIES[i].property, count, count, 2 * count, 2 * count};
    }
    measure(change, &kernel, samples_of_two);
}

static void expect_all(enum verdict verdict, const char *reason)
{
    for (unsigned i = 0; i < PROPERTIES_COUNT; i++) {
        expect_row(EVENT_OF(i), verdict, reason);
        if (verdict == VERDICT_EXACT)
            assert_int_equal(row.stats.min, per_n(i) * RUN_N);
    }
}

static void under_linux(struct run_record *run)
{
    run->source = SOURCE_LINUX;
}

TEST(a_list_with_holes)
{
    static const enum verdict RIGHT[PROPERTIES_COUNT] = {
        VERDICT_EXACT,                      /* calls: 0, because below no_others and not listed */
        VERDICT_MEASURED,                   /* returns: not below no_others, and not listed */
        VERDICT_WITHIN,   VERDICT_MEASURED, /* the sum lacks returns */
        VERDICT_EXACT,    VERDICT_MEASURED, /* listed, but not declared */
        VERDICT_OFF,                        /* none declared, 6 per n counted */
    };

    once = twice = 0;
    measure(NULL, &LISTS_SOME, RUN_TWICE);
    for (unsigned i = 0; i < PROPERTIES_COUNT; i++)
        expect_row(EVENT_OF(i), RIGHT[i],
                   RIGHT[i] == VERDICT_OFF ? "declared 0 per iteration, counted 6" : "");
}

/* A sum of exact counts is exact. If the kernel does not declare a part, the sum is unknown.
 */
TEST(sums)
{
    static const struct known_kernel KERNEL = {
        .no_others = PROPERTY_FP_256_SINGLE,
        .list = {{EXPECT_RANGE, PROPERTY_CONDITIONAL_TAKEN, 90, 100, 190, 200},
                 {EXPECT_RANGE, PROPERTY_FORWARD_TAKEN, 7, 9, 14, 18},
                 {EXPECT_EXACT, PROPERTY_FP_128_SINGLE, 300, 300, 600, 600},
                 {EXPECT_EXACT, PROPERTY_FP_128_DOUBLE, 20, 20, 40, 40},
                 {EXPECT_RANGE, PROPERTY_FP_256_DOUBLE, 1000, 5000, 2000, 10000}},
    };
    static const struct {
        enum property sum;
        struct expect expect;
    } ROWS[] = {
        {PROPERTY_FP_128, {EXPECT_EXACT, 0, 320, 320, 640, 640}},
        {PROPERTY_FP_SCALAR, {EXPECT_EXACT, 0, 0, 0, 0, 0}},
        {PROPERTY_FP_4_FLOPS, {EXPECT_RANGE, 0, 1300, 5300, 2600, 10600}},
        {PROPERTY_FP_8_FLOPS, {EXPECT_NOTHING, 0, 0, 0, 0, 0}},
        {PROPERTY_SPLITS, {EXPECT_NOTHING, 0, 0, 0, 0, 0}},
        {PROPERTY_BACKWARD_TAKEN, {EXPECT_RANGE, 0, 81, 93, 172, 186}},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct event event = {.kind = ROWS[i].sum, .declared = EVENT_UNDECLARED};
        const struct expect expect = view_expect(&KERNEL, &event);

        assert_memory_equal(&expect, &ROWS[i].expect, sizeof(expect));
    }
}

TEST(the_window_has_properties)
{
    once = twice = 0;
    whole(NULL, RUN_TWICE);
    expect_all(VERDICT_EXACT, "");
    for (unsigned i = 0; i < PROPERTIES_COUNT; i++)
        assert_int_equal(view_declared_cost(&run_view, &run_events[EVENT_OF(i)]),
                         PROPERTIES[i].window);
}

/* A counter that counts one too many is wrong, unless WRMSR's microcode may be the cause. */
TEST(one_too_many)
{
    once = 1;
    twice = 2;
    whole(NULL, RUN_TWICE);
    expect_all(VERDICT_OFF, "window cost: the empty window counted");
    twice = 1;
    whole(NULL, 0);
    expect_all(VERDICT_OFF, "window cost: the empty window counted");
    whole(NULL, RUN_TWICE);
    expect_all(VERDICT_EXACT, "");
}

/* At CPL 3 and under Linux, the window is different, and its cost is not declared. */
TEST(windows_of_other_rings_and_systems)
{
    static void (*const CHANGES[])(struct run_record *) = {at_cpl_3, under_linux};

    once = twice = 7;
    for (size_t i = 0; i < 2; i++) {
        whole(CHANGES[i], RUN_TWICE);
        for (unsigned k = 0; k < PROPERTIES_COUNT; k++)
            assert_false(view_declares_cost(&run_view, &run_events[EVENT_OF(k)]));
        expect_all(VERDICT_EXACT, "");
    }
}

TEST(differences_have_no_window)
{
    once = twice = 0;
    whole(differences, RUN_TWICE);
    expect_all(VERDICT_EXACT, "");
}

TEST(forged_lists)
{
    struct known_kernel kernel = LISTS_SOME;

    kernel.list[KNOWN_LIST_MAX - 1].kind = EXPECT_RANGE + 1;
    once = twice = 0;
    measure(NULL, &kernel, RUN_TWICE);
    assert_null(run_last);
    kernel.list[KNOWN_LIST_MAX - 1].kind = EXPECT_RANGE;
    kernel.list[KNOWN_LIST_MAX - 1].property = UINT32_MAX;
    measure(NULL, &kernel, RUN_TWICE);
    expect_row(EVENT_OF(4), VERDICT_EXACT, "");
}
