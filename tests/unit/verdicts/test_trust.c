/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trust map of made-up counts: each pair must get the kind of error that its counts were given.
 */
#include <inttypes.h>

#include "pmu/verdicts/trust.h"
#include "tests/unit/test.h"

#define COUNTERS 3u
#define KERNELS  3u
#define SIZES    3u

enum { INSTRUCTIONS, BRANCHES, LOADS, NAMES };

static const char *const NAME[NAMES] = {"instructions", "branches", "loads"};
static const unsigned IS[NAMES] = {DECLARED_INSTRUCTIONS, DECLARED_BRANCHES, DECLARED_LOADS};
/* Counts at n = 1. No two events have the same counts. */
static const int64_t DECLARED[KERNELS][NAMES] = {{7, 2, 1}, {5, 3, 0}, {4, 1, 4}};
static const int64_t N[SIZES] = {100, 200, 400};

static struct known_kernel kernels[KERNELS * SIZES];
static struct event events[EVENTS_MAX];
static const struct cpu_record cpu;
static const struct run_record run = {.kernel_ring = RING_OS};
static struct view view;
static struct rows rows;
static struct result result;
static struct trust trust;

/* The pair that tests change: branches on pmc1. */
#define WRONG (BRANCHES * COUNTERS + 1)

static const struct event *event_of(unsigned name, unsigned counter)
{
    return &events[name * COUNTERS + counter];
}

static void begin(void)
{
    memset(&view, 0, sizeof(view));
    memset(events, 0, sizeof(events));
    memset(kernels, 0, sizeof(kernels));
    for (unsigned k = 0; k < KERNELS * SIZES; k++) {
        kernels[k].name[0] = (char)('a' + k / SIZES);
        kernels[k].n = (uint64_t)N[k % SIZES];
        for (unsigned name = 0; name < NAMES; name++)
            kernels[k].expect[IS[name]].low = DECLARED[k / SIZES][name] * N[k % SIZES];
        view.kernel[k] = &kernels[k];
    }
    for (unsigned e = 0; e < NAMES * COUNTERS; e++) {
        snprintf(events[e].name, sizeof(events[e].name), "%s@%u", NAME[e / COUNTERS], e % COUNTERS);
        events[e].counters = (uint16_t)(1u << e % COUNTERS);
        events[e].rings = RING_OS;
        events[e].declared = (int8_t)IS[e / COUNTERS];
    }
    view.cpu = &cpu;
    view.run = &run;
    view.event = events;
    view.events = NAMES * COUNTERS;
    view.kernels = KERNELS * SIZES;
}

BEFORE_EACH(begin);

static struct row exact_row(unsigned name, unsigned counter, unsigned kernel)
{
    int64_t count = DECLARED[kernel / SIZES][name] * N[kernel % SIZES];

    return (struct row){
        .event = event_of(name, counter),
        .verdict = VERDICT_EXACT,
        .accepted = 20,
        .has_slot = true,
        .slot = {.counter = (uint8_t)counter},
        .expect = {.kind = EXPECT_EXACT, .low = count, .high = count},
        .stats = {.count = 20, .min = count, .max = count},
    };
}

static unsigned does_not_declare_loads = KERNELS; /* from this kernel on */

/* Judges all kernels; change() is called with the rows of WRONG. */
static const struct trust_pair *judge(void (*change)(struct row *row, unsigned kernel))
{
    trust_start(&trust, &view);
    for (unsigned k = 0; k < KERNELS * SIZES; k++) {
        rows.view = &view;
        result.kernel = k;
        rows.result = &result;
        rows.count = 0;
        for (unsigned e = 0; e < NAMES * COUNTERS; e++) {
            struct row *row = &rows.row[rows.count++];

            *row = exact_row(e / COUNTERS, e % COUNTERS, k);
            if (e / COUNTERS == LOADS && k / SIZES >= does_not_declare_loads)
                row->expect.kind = EXPECT_NOTHING;
            if (e == WRONG && change)
                change(row, k);
        }
        trust_add(&trust, &rows);
    }
    trust_judge(&trust);
    return &trust.pair[WRONG];
}

static const char *words(const struct trust_pair *pair)
{
    static char text[TRUST_WORDS_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    trust_words(&trust, pair, &out);
    return out_end(&out);
}

static void count(struct row *row, int64_t least, int64_t most)
{
    row->stats.min = least;
    row->stats.max = most;
}

static void plus_3(struct row *row, unsigned kernel)
{
    (void)kernel;
    count(row, row->expect.low + 3, row->expect.low + 3);
}

static void minus_1(struct row *row, unsigned kernel)
{
    (void)kernel;
    count(row, row->expect.low - 1, row->expect.low - 1);
}

static void twice(struct row *row, unsigned kernel)
{
    (void)kernel;
    count(row, 2 * row->expect.low, 2 * row->expect.low);
}

static void half(struct row *row, unsigned kernel)
{
    (void)kernel;
    count(row, row->expect.low / 2, row->expect.low / 2);
}

static void one_percent_more(struct row *row, unsigned kernel)
{
    (void)kernel;
    count(row, row->expect.low * 101 / 100, row->expect.low * 101 / 100);
}

static void twice_plus_1(struct row *row, unsigned kernel)
{
    (void)kernel;
    count(row, 2 * row->expect.low + 1, 2 * row->expect.low + 1);
}

static void from_above(struct row *row, unsigned kernel)
{
    (void)kernel;
    count(row, 5000 - row->expect.low, 5000 - row->expect.low);
}

static void dead(struct row *row, unsigned kernel)
{
    (void)kernel;
    count(row, -2, -2);
}

static void as_loads(struct row *row, unsigned kernel)
{
    int64_t loads = DECLARED[kernel / SIZES][LOADS] * N[kernel % SIZES];

    count(row, loads, loads);
}

static void lose(struct row *row, enum verdict verdict, const char *reason)
{
    row->accepted = 0;
    row->verdict = verdict;
    strcpy(row->reason, reason);
}

/* The window's cost may be different for `instructions` and `loads` than for `branches`. */
static int64_t offset;

static void as_loads_and_offset(struct row *row, unsigned kernel)
{
    as_loads(row, kernel);
    count(row, row->stats.min + offset, row->stats.min + offset);
}

/* Declares 2 to 3 counts more than the loads, and counts 6 more than the loads. */
static void plus_3_of_a_range(struct row *row, unsigned kernel)
{
    int64_t loads = DECLARED[kernel / SIZES][LOADS] * N[kernel % SIZES];

    row->expect = (struct expect){.kind = EXPECT_RANGE, .low = loads + 2, .high = loads + 3};
    count(row, loads + 6, loads + 6);
}

static void vary(struct row *row, unsigned kernel)
{
    count(row, row->expect.low, row->expect.low + (kernel / SIZES == 1));
}

static void one_kernel_more(struct row *row, unsigned kernel)
{
    int64_t more = kernel / SIZES == 1 ? N[kernel % SIZES] : 0;

    count(row, row->expect.low + more, row->expect.low + more);
}

static void lost(struct row *row, unsigned kernel)
{
    if (kernel / SIZES > 0)
        lose(row, VERDICT_FAULT, "it hangs");
}

static void unable(struct row *row, unsigned kernel)
{
    if (kernel / SIZES > 0)
        lose(row, VERDICT_UNAVAILABLE, "the CPU lacks it");
}

TEST(each_kind)
{
    static const struct {
        void (*change)(struct row *row, unsigned kernel);
        const char *words;
    } CASES[] = {
        {0, "exact"},
        {plus_3, "constant +3"},
        {minus_1, "constant -1"},
        {twice, "factor 2"},
        {half, "factor 1/2"},
        {one_percent_more, "factor 101/100"},
        {twice_plus_1, "factor 2, constant +1"},
        {from_above, "factor -1, constant +5000"},
        {dead, "dead"},
        {as_loads, "counts loads"},
        {vary, "varies"},
        {one_kernel_more, "unexplained"},
        {lost, "unknown"},
        {unable, "exact"},
    };

    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_string_equal(words(judge(CASES[i].change)), CASES[i].words);
        for (unsigned e = 0; e < trust.events; e++)
            assert_true(e == WRONG || trust.pair[e].kind == TRUST_EXACT);
    }
}

TEST(another_cost_of_the_window)
{
    static const struct {
        int64_t offset;
        const char *words;
    } CASES[] = {{-4, "counts loads"},
                 {127, "counts loads"},
                 {-127, "counts loads"},
                 {128, "unexplained"},
                 {-128, "unexplained"}};

    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        offset = CASES[i].offset;
        assert_string_equal(words(judge(as_loads_and_offset)), CASES[i].words);
    }
}

TEST(a_constant_error_is_not_another_event)
{
    assert_string_equal(words(judge(plus_3_of_a_range)), "unexplained");
}

/* The largest error is reported, with the first kernel that shows it. */
TEST(the_largest_error)
{
    const struct trust_pair *pair = judge(one_kernel_more);

    assert_int_equal(pair->error, 400);
    assert_int_equal(pair->point.kernel, 5);
    assert_int_equal(pair->point.least, 1600);
    assert_int_equal(judge(plus_3)->point.kernel, 0);
}

static unsigned able; /* kernels from this one on cannot run */

static void twice_if_able(struct row *row, unsigned kernel)
{
    twice(row, kernel);
    if (kernel / SIZES >= able)
        lose(row, VERDICT_UNAVAILABLE, "the CPU lacks it");
}

/* The counts of a single kernel are always on a line, so that line explains nothing. */
TEST(one_kernel_shows_no_line)
{
    able = 2;
    assert_int_equal(judge(twice_if_able)->kind, TRUST_LINE);
    able = 1;
    assert_int_equal(judge(twice_if_able)->kind, TRUST_UNEXPLAINED);
}

/* Only the kernels before number `able` count loads. The other kernels do not declare loads. */
static void as_loads_if_able(struct row *row, unsigned kernel)
{
    if (kernel / SIZES < able)
        as_loads(row, kernel);
}

/* A counter that counts another event is recognised if at least two kernels declare that event. */
TEST(kernels_that_declare_the_other_event)
{
    static const char *const WORDS[] = {"unexplained", "counts loads"};

    for (able = 1; able <= 2; able++) {
        does_not_declare_loads = able;
        assert_string_equal(words(judge(as_loads_if_able)), WORDS[able - 1]);
    }
    does_not_declare_loads = KERNELS;
}

/* The plan may list n before other parameters. */
TEST(kernels_in_any_order)
{
    for (unsigned k = 0; k < KERNELS * SIZES; k++)
        view.kernel[k] = &kernels[k % KERNELS * SIZES + k / KERNELS];
    trust_start(&trust, &view);
    for (unsigned k = 0; k < KERNELS * SIZES; k++)
        assert_int_equal(trust.first_kernel[k], k % KERNELS);
}

static void odd_half(struct row *row, unsigned kernel)
{
    (void)kernel;
    row->expect.low = row->expect.high = row->expect.low + 1;
    count(row, (row->expect.low + 1) / 2, (row->expect.low + 1) / 2);
}

/* The count is half the declared count plus 1/2. The constant must be a whole number. */
TEST(constants_are_whole_numbers)
{
    assert_int_equal(judge(odd_half)->kind, TRUST_UNEXPLAINED);
}

static void one_size(struct row *row, unsigned kernel)
{
    if (kernel > 0)
        row->expect.kind = EXPECT_NOTHING;
}

static void one_size_as_loads(struct row *row, unsigned kernel)
{
    as_loads(row, kernel);
    one_size(row, kernel);
}

static void nothing_declared(struct row *row, unsigned kernel)
{
    (void)kernel;
    row->expect.kind = EXPECT_NOTHING;
}

TEST(one_declared_count_proves_nothing)
{
    assert_int_equal(judge(one_size)->kind, TRUST_UNKNOWN);
    assert_int_equal(judge(one_size_as_loads)->kind, TRUST_UNEXPLAINED);
    assert_int_equal(judge(nothing_declared)->kind, TRUST_UNDECLARED);
}

static int64_t low, high;
static uint32_t expect_kind;
static int64_t least, most;

static void bounds(struct row *row, unsigned kernel)
{
    int64_t n = N[kernel % SIZES];

    row->expect = (struct expect){.kind = expect_kind, .low = n + low, .high = n + high};
    count(row, n + least, n + most);
}

static enum trust_kind bounded(uint32_t kind, int64_t from, int64_t to)
{
    low = 0;
    high = 5;
    expect_kind = kind;
    least = from;
    most = to;
    return judge(bounds)->kind;
}

TEST(declared_ranges)
{
    assert_int_equal(bounded(EXPECT_RANGE, 2, 2), TRUST_WITHIN);
    assert_int_equal(bounded(EXPECT_RANGE, 0, 5), TRUST_WITHIN);
    assert_int_equal(bounded(EXPECT_AT_LEAST, 900, 900), TRUST_AT_LEAST);
    assert_int_equal(bounded(EXPECT_RANGE, 0, 6), TRUST_VARIES);
    assert_int_equal(bounded(EXPECT_RANGE, 6, 6), TRUST_UNEXPLAINED);
    assert_int_equal(bounded(EXPECT_AT_LEAST, -1, -1), TRUST_UNEXPLAINED);
}

static void rejected(struct row *row, unsigned kernel)
{
    (void)kernel;
    row->verdict = VERDICT_OFF;
    strcpy(row->reason, "pmc1 failed its test");
}

static void hot(struct row *row, unsigned kernel)
{
    rejected(row, kernel);
    row->verdict = VERDICT_NOISY;
    row->noisy_by = 1u << NOISY_BY_HEAT;
}

TEST(right_counts_that_the_program_rejects)
{
    const struct trust_pair *pair = judge(rejected);

    assert_string_equal(words(pair), "off");
    assert_string_equal(pair->reason, "pmc1 failed its test");
    assert_int_equal(judge(hot)->kind, TRUST_EXACT); /* noisy only by heat: no failure */
}

static void never(struct row *row, unsigned kernel)
{
    (void)kernel;
    row->has_slot = false;
    lose(row, VERDICT_UNAVAILABLE, "the CPU has no such event");
}

static void of_the_package(struct row *row, unsigned kernel)
{
    (void)kernel;
    events[WRONG].scope = SCOPE_UNCORE;
    (void)row;
}

TEST(events_without_counts)
{
    const struct trust_pair *pair = judge(never);

    assert_int_equal(pair->kind, TRUST_NOT_COUNTED);
    assert_string_equal(pair->reason, "the CPU has no such event");
    assert_int_equal(judge(of_the_package)->kind, TRUST_NOTHING);
}

static const char *name_of(const char *name, unsigned counters)
{
    static char text[EVENT_NAME_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    strcpy(events[0].name, name);
    events[0].counters = (uint16_t)counters;
    trust_event(&events[0], &out);
    return out_end(&out);
}

/* Only `@` and the number of the event's only counter are removed. */
TEST(names_with_an_at_sign)
{
    assert_string_equal(name_of("my@loads@0", 1u << 0), "my@loads");
    assert_string_equal(name_of("x@7", 1u << 0), "x@7");
    assert_string_equal(name_of("x@1", 1u << 1 | 1u << 2), "x@1");
    assert_string_equal(name_of("x@", 1u << 0), "x@");
    assert_string_equal(name_of("@0", 1u << 0), "@0");
    assert_string_equal(name_of("x@11", 1u << 11), "x");
}
