/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel must retire the same number of instructions in each pass. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/rows.h"

enum { EXACT, RANGE, NOTHING };

static void begin(void (*change)(struct cpu_caps *caps))
{
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    run_kernel("nothing", EXPECT_NOTHING);
    run_cpu(0, change);
}

/* `kernel` is EXACT, RANGE or NOTHING. */
static void expect_right_of(unsigned kernel, unsigned event)
{
    static const enum verdict RIGHT[] = {VERDICT_EXACT, VERDICT_WITHIN, VERDICT_MEASURED};

    if (run_events[event].status != STATUS_OK)
        expect_row(event, VERDICT_UNAVAILABLE, "");
    else
        expect_row(event, run_events[event].declared < 0 ? VERDICT_MEASURED : RIGHT[kernel], "");
}

static unsigned pass_of(unsigned event)
{
    unsigned pass, slot;

    return schedule_find(&run_schedule, event, &pass, &slot) ? pass : PASSES_MAX;
}

/*
 * In changed_pass, `added` is added to the count. In every pass except alike_pass, the count grows
 * by `spread` from attempt to attempt.
 */
static unsigned anchor, changed_pass;
static unsigned alike_pass = PASSES_MAX;
static unsigned changed_attempt; /* UINT32_MAX: all attempts */
static int64_t added, spread;

static void change_anchor(struct point *point)
{
    if (point->event != anchor || point->kernel == KERNEL_CALIBRATION || point->kind != SAMPLE_N)
        return;
    if (point->pass != alike_pass)
        point->value += (uint64_t)spread * point->attempt;
    if (point->pass == changed_pass &&
        (changed_attempt == UINT32_MAX || changed_attempt == point->attempt))
        point->value += (uint64_t)added;
}

static void expect_only_changed(unsigned kernel, enum verdict verdict, const char *reason)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (pass_of(e) == changed_pass && *reason)
            expect_row(e, verdict, reason);
        else
            expect_right_of(kernel, e);
    assert_int_equal(make(EVENTS_COUNT)->verdict, VERDICT_MEASURED);
}

/* The window has 7 instructions and a WRMSR, the kernel 1 + 3 * 1000. */
static const struct {
    int64_t added;
    unsigned attempt;
    enum verdict verdict;
    const char *reason;
} CHANGES[] = {
    {1, UINT32_MAX, VERDICT_OFF,
     "passes: 3010 to 3010 instructions in this one, 3009 to 3009 in the first"},
    {-1, UINT32_MAX, VERDICT_OFF,
     "passes: 3008 to 3008 instructions in this one, 3009 to 3009 in the first"},
    {1, 0, VERDICT_NOISY,
     "passes: 3009 to 3010 instructions in this one, 3009 to 3009 in the first"},
    {-1, RUN_RUNS - 1, VERDICT_NOISY,
     "passes: 3008 to 3009 instructions in this one, 3009 to 3009 in the first"},
};

TEST(an_exact_kernel_is_alike_in_all_passes)
{
    spread = 0;
    for (size_t i = 0; i < sizeof(CHANGES) / sizeof(CHANGES[0]); i++)
        for (changed_pass = 1; changed_pass <= 2; changed_pass++) {
            begin(NULL);
            assert_int_equal(run_schedule.passes, 3);
            anchor = run_event("INST_RETIRED.ANY");
            added = CHANGES[i].added;
            changed_attempt = CHANGES[i].attempt;
            run_hook = change_anchor;
            run_measure(EXACT);
            expect_only_changed(EXACT, CHANGES[i].verdict, CHANGES[i].reason);
        }
}

/*
 * If a kernel declares no counts, and its instructions vary within a pass, any counts are accepted.
 */
TEST(other_kernels_ranges_must_meet)
{
    static const struct {
        int64_t added, spread;
        unsigned attempt;
        enum verdict verdict;
        const char *reason;
    } ROWS[] = {
        {0, 1, UINT32_MAX, VERDICT_MEASURED, ""},
        {3, 1, UINT32_MAX, VERDICT_MEASURED, ""}, /* 3012 to 3015, after 3009 to 3012 */
        {4, 1, UINT32_MAX, VERDICT_MEASURED, ""}, /* 3013 to 3016 */
        {-3, 1, UINT32_MAX, VERDICT_MEASURED, ""},
        {-4, 1, UINT32_MAX, VERDICT_MEASURED, ""},
        {1, 0, UINT32_MAX, VERDICT_OFF, "passes: 3010 to 3010 instructions in this one, 3009 to"},
        {1, 0, 1, VERDICT_MEASURED, ""}, /* 3009 to 3010 */
    };

    changed_pass = 1;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        begin(NULL);
        anchor = run_event("INST_RETIRED.ANY");
        added = ROWS[i].added;
        spread = ROWS[i].spread;
        changed_attempt = ROWS[i].attempt;
        run_hook = change_anchor;
        run_measure(NOTHING);
        expect_only_changed(NOTHING, ROWS[i].verdict, ROWS[i].reason);
    }
    for (alike_pass = 0; alike_pass < 2; alike_pass++) { /* 3009 to 3012, and 3019 */
        begin(NULL);
        added = 10;
        spread = 1;
        changed_attempt = UINT32_MAX;
        run_hook = change_anchor;
        run_measure(NOTHING);
        expect_only_changed(NOTHING, VERDICT_MEASURED, "");
    }
    alike_pass = PASSES_MAX;
    begin(NULL); /* 3000 to 3002 are declared, so passes may differ */
    added = 1;
    spread = 0;
    changed_attempt = 1;
    run_hook = change_anchor;
    run_measure(RANGE);
    expect_only_changed(RANGE, VERDICT_WITHIN, "");
}

TEST(a_pair_waits_as_it_must)
{
    spread = 0;
    changed_pass = 1;
    for (unsigned kernel = EXACT; kernel <= NOTHING; kernel += NOTHING - EXACT) {
        begin(NULL);
        anchor = run_event("INST_RETIRED.ANY");
        added = CHANGES[0].added;
        changed_attempt = CHANGES[0].attempt;
        run_hook = change_anchor;
        run_partner = 3;
        run_measure(kernel);
        expect_only_changed(kernel, CHANGES[0].verdict, kernel == EXACT ? CHANGES[0].reason : "");
    }
}

/* Without fixed counters, the general event of instructions is in every pass. */
TEST(a_general_counter_is_an_anchor_too)
{
    spread = 0;
    changed_pass = 1;
    begin(no_fixed_counters);
    assert_true(run_schedule.passes > 2);
    anchor = run_event("INST_RETIRED.ANY_P");
    added = CHANGES[0].added;
    changed_attempt = CHANGES[0].attempt;
    run_hook = change_anchor;
    run_measure(EXACT);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (pass_of(e) == changed_pass)
            expect_row(e, CHANGES[0].verdict, CHANGES[0].reason);
        else
            assert_true(pass_of(e) < PASSES_MAX || EVENTS[e].fixed_only);
}

static void one_general(struct cpu_caps *caps)
{
    caps->fixed_map = 0;
    caps->gp_count = 1;
}

TEST(without_an_anchor_nothing_is_judged)
{
    spread = 0;
    changed_attempt = 0;
    begin(one_general);
    anchor = run_event("INST_RETIRED.ANY_P");
    changed_pass = pass_of(anchor);
    added = 1;
    run_hook = change_anchor;
    run_measure(EXACT);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (e == anchor)
            expect_row(e, VERDICT_NOISY, "expected 3001, counted 3001 to 3002");
        else if (!EVENTS[e].fixed_only)
            expect_right_of(EXACT, e);
}

static void no_instructions(unsigned index, struct event *event)
{
    if (index == run_event("INST_RETIRED.ANY"))
        event->declared = EVENT_UNDECLARED;
}

TEST(only_instructions_are_an_anchor)
{
    spread = 0;
    changed_pass = 1;
    changed_attempt = UINT32_MAX;
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_change_event = no_instructions;
    run_cpu(0, NULL);
    anchor = run_event("INST_RETIRED.ANY");
    added = 100;
    run_hook = change_anchor;
    run_measure(EXACT);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        expect_right_of(EXACT, e);
}

static unsigned dirty_pass;

static uint16_t all_are_dirty(const struct point *point)
{
    return point->pass == dirty_pass && point->kernel != KERNEL_CALIBRATION ? EVIDENCE_SMI : 0;
}

TEST(nothing_clean_in_the_first_pass)
{
    dirty_pass = 0;
    begin(NULL);
    run_evidence = all_are_dirty;
    run_measure(EXACT);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (pass_of(e) == dirty_pass)
            expect_row(e, VERDICT_NOISY, "only 0 of 4 samples were clean");
        else
            expect_right_of(EXACT, e);
}
