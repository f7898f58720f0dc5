/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on sums: the names and rings that they apply to, and their tolerance. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_uncore.h"
#include "pmu/cpu/mtrr.h"
#include "pmu/events/text.h"
#include "pmu/verdicts/sums.h"

#define L1_HIT    "MEM_LOAD_RETIRED.L1_HIT"
#define L1_MISS   "MEM_LOAD_RETIRED.L1_MISS"
#define FB_HIT    "MEM_LOAD_RETIRED.FB_HIT"
#define ALL_LOADS "MEM_INST_RETIRED.ALL_LOADS" /* built in */
#define LOADS     2005                         /* 5 + 2 n */

static int64_t count[8], range[8], empty_range[8];
static struct sums sums;
static struct sum_values values;

static struct event *more(const char *name, uint64_t select, uint8_t rings)
{
    struct event *event = &run_more[run_more_count];

    event_begin(piece_of(name), rings, event);
    event->select = select;
    count[run_more_count] = range[run_more_count] = empty_range[run_more_count] = 0;
    run_more_count++;
    return event;
}

/*
 * The empty window counts 100, and the kernel 100 + count[]. In the second sample, the empty window
 * counts empty_range[] more, and the kernel range[] more.
 */
static void counts(struct point *point)
{
    unsigned i = point->event - EVENTS_COUNT;
    bool is_most = point->attempt == 1;

    if (point->event < EVENTS_COUNT)
        return;
    if (point->kernel == KERNEL_CALIBRATION)
        point->value = 100 + (uint64_t)(is_most ? empty_range[i] : 0);
    else
        point->value = 100 + (uint64_t)(count[i] + (is_most ? range[i] : 0));
}

static void begin(enum expect_kind kind)
{
    run_begin(NULL, "");
    run_kernel("kernel", kind);
    run_hook = counts;
}

static void measure(void)
{
    run_measure(0);
    assert_non_null(run_last);
    sums.event = NULL;
    sums_find(&sums, &run_view);
}

static void run_all(void)
{
    run_cpu(0, NULL);
    measure();
}

static void expect_of(unsigned index, const char *words, const char *verdict)
{
    assert_in_range(sums.count, index + 1, SUMS_MAX);
    assert_written(sum_words(&sums.sum[index], &out), words);
    if (sum_make(&run_view, run_last, &sums.sum[index], &values))
        assert_written(sum_verdict(&sums.sum[index], &values, &out), verdict);
    else
        assert_string_equal("not computed", verdict);
}

static void expect(const char *words, const char *verdict)
{
    assert_int_equal(sums.count, 1);
    expect_of(0, words, verdict);
}

static void levels(bool has_buffers)
{
    begin(EXPECT_EXACT);
    more(L1_HIT, 0x1d1, RING_OS);
    more(L1_MISS, 0x8d1, RING_OS);
    if (has_buffers)
        more(FB_HIT, 0x40d1, RING_OS);
}

static void expect_levels(int64_t hits, int64_t misses, int64_t buffers, const char *verdict)
{
    count[0] = hits, count[1] = misses, count[2] = buffers;
    run_hook = counts;
    run_all();
    expect(run_more_count == 3 ? L1_HIT " + " L1_MISS " + " FB_HIT " = " ALL_LOADS
                               : L1_HIT " + " L1_MISS " <= " ALL_LOADS,
           verdict);
}

/* A difference of two is accepted. */
TEST(hits_and_misses_against_loads)
{
    static const struct {
        int64_t above;
        const char *verdict;
    } ROWS[] = {
        {0, "agrees"},
        {2, "agrees"},
        {-2, "agrees"},
        {3, "differs by 3 (0.15 %)"},
        {-3, "differs by -3 (-0.15 %)"},
        {LOADS, "differs by 2005 (100 %)"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        levels(true);
        expect_levels(1980 + ROWS[i].above, 20, LOADS - 2000, ROWS[i].verdict);
        assert_true(values.total == LOADS && values.sum == LOADS + ROWS[i].above);
        assert_true(values.tolerance == 2);
    }
}

/* A fill buffer hit counts neither as an L1 hit nor as an L1 miss. */
TEST(without_a_part_the_sum_may_be_less)
{
    for (unsigned unavailable = 0; unavailable < 2; unavailable++) {
        levels(unavailable);
        run_more[2].status = STATUS_EVENT_MODEL;
        count[0] = 1000, count[1] = 5;
        run_all();
        expect(L1_HIT " + " L1_MISS " <= " ALL_LOADS, "agrees");
        levels(unavailable);
        run_more[2].status = STATUS_EVENT_MODEL;
        count[0] = LOADS, count[1] = 3;
        run_all();
        expect(L1_HIT " + " L1_MISS " <= " ALL_LOADS, "differs by 3 (0.15 %)");
    }
}

/* The tolerance is the sum of all ranges, plus 2. */
TEST(the_tolerance)
{
    const int64_t tolerance = 2 + (7 + 11) + (3 + 1);

    for (unsigned over = 0; over < 2; over++) {
        levels(false);
        range[0] = 7, range[1] = 11;
        empty_range[0] = 3, empty_range[1] = 1;
        expect_levels(LOADS + tolerance + over, 0, 0, over ? "differs by 25 (1.247 %)" : "agrees");
        assert_true(values.tolerance == tolerance);
    }
}

static void one_load_more(struct point *point)
{
    counts(point);
    if (point->event == run_event(ALL_LOADS))
        point->value += point->kernel != KERNEL_CALIBRATION;
}

static uint16_t none_is_clean(const struct point *point)
{
    return point->kernel == KERNEL_CALIBRATION ? 0 : EVIDENCE_SMI;
}

TEST(rows_that_cannot_be_added)
{
    levels(true);
    run_hook = one_load_more;
    run_all();
    expect(L1_HIT " + " L1_MISS " + " FB_HIT " = " ALL_LOADS, "not computed");
    levels(true);
    run_evidence = none_is_clean;
    run_all();
    expect(L1_HIT " + " L1_MISS " + " FB_HIT " = " ALL_LOADS, "not computed");
    for (unsigned i = 0; i < 2; i++) {
        levels(true);
        run_more[i].status = STATUS_EVENT_MODEL;
        run_all();
        assert_int_equal(sums.count, 0);
    }
    begin(EXPECT_EXACT);
    more(L1_HIT, 0x1d1, RING_OS);
    run_all();
    assert_int_equal(sums.count, 0);
}

/*
 * The sum is not computed if loads are not declared exactly, if memory is not cached, or if the
 * kernel runs on a pair of CPUs.
 */
TEST(kernels_whose_loads_are_not_known)
{
    static const struct {
        enum expect_kind kind;
        uint32_t memory, partner;
        const char *verdict;
    } ROWS[] = {
        {EXPECT_EXACT, MEMORY_WB, CPU_NONE, "agrees"},
        {EXPECT_EXACT, MEMORY_UC, CPU_NONE, "not computed"},
        {EXPECT_EXACT, MEMORY_WC, CPU_NONE, "not computed"},
        {EXPECT_EXACT, MEMORY_DEFAULT, 1, "not computed"},
        {EXPECT_RANGE, MEMORY_DEFAULT, CPU_NONE, "not computed"},
        {EXPECT_NOTHING, MEMORY_DEFAULT, CPU_NONE, "not computed"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        begin(ROWS[i].kind);
        more(L1_HIT, 0x1d1, RING_OS);
        more(L1_MISS, 0x8d1, RING_OS);
        count[0] = LOADS;
        run_partner = ROWS[i].partner;
        run_all();
        ((struct known_kernel *)(uintptr_t)run_view.kernel[0])->memory = ROWS[i].memory;
        expect(L1_HIT " + " L1_MISS " <= " ALL_LOADS, ROWS[i].verdict);
    }
}

/* Events are matched by their names in the tables, not in the plan. */
TEST(names)
{
    static const struct {
        const char *name;
        bool is_it;
    } ROWS[] = {
        {L1_HIT, true},
        {"mem_load_retired:l1_hit", true},
        {L1_HIT ":k", true},
        {L1_HIT ":cmask=1", false},
        {L1_HIT ":cmask=1:k", false},
        {L1_HIT "S", false},
        {"MEM_LOAD_RETIRED.L1_HIT|MEM_LOAD_RETIRED.L1_MISS", false},
        {"MEM_LOAD_RETIRED", false},
    };

    for (unsigned named = 0; named < 2; named++)
        for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
            begin(EXPECT_EXACT);
            more(ROWS[i].name, 0x1d1, RING_OS);
            more(L1_MISS, 0x8d1, RING_OS);
            if (named)
                event_rename(piece_of("Hits"), &run_more[0]);
            run_all();
            assert_int_equal(sums.count, ROWS[i].is_it);
            if (ROWS[i].is_it)
                expect(formatted("%s + " L1_MISS " <= " ALL_LOADS, named ? "Hits" : ROWS[i].name),
                       "agrees");
        }
}

TEST(a_sum_is_of_one_ring)
{
    levels(false);
    run_more[0].rings = RING_USR;
    run_all();
    assert_int_equal(sums.count, 0);
    begin(EXPECT_EXACT);
    for (uint8_t rings = RING_OS; rings <= (RING_OS | RING_USR); rings++) {
        more("BR_MISP_RETIRED.COND_TAKEN", 0x1c5, rings);
        more("BR_MISP_RETIRED.COND_NTAKEN", 0x10c5, rings);
    }
    more("BR_MISP_RETIRED.COND", 0x11c5, RING_USR);
    run_all();
    assert_int_equal(sums.count, 3); /* COND, and os + usr = both for each of its two parts */
    assert_int_equal(sums.sum[0].part[0], EVENTS_COUNT + 2);
    assert_int_equal(sums.sum[0].part[1], EVENTS_COUNT + 3);
    assert_int_equal(sums.sum[0].total, EVENTS_COUNT + 6);
    assert_false(
        sum_make(&run_view, run_last, &sums.sum[0], &values)); /* the kernel runs at CPL 0 */
}

/* Events of rings `os`, `usr` and both are matched by their selects, whatever their names. */
TEST(rings)
{
    static const struct {
        uint64_t select;
        int64_t both;
        const char *verdict; /* null: no sum */
    } ROWS[] = {
        {0x1c5, 42, "agrees"},
        {0x1c5, 45, "differs by -3 (-6.667 %)"},
        {0x101c5, 42, NULL},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        begin(EXPECT_NOTHING);
        more("A:u", 0x1c5, RING_USR);
        more("A:k", 0x1c5, RING_OS);
        more("All", ROWS[i].select, RING_OS | RING_USR);
        count[0] = 2, count[1] = 40, count[2] = ROWS[i].both;
        run_all();
        if (ROWS[i].verdict)
            expect("A:k + A:u = All", ROWS[i].verdict);
        else
            assert_int_equal(sums.count, 0);
    }
}

TEST(rings_of_cycles)
{
    for (unsigned over = 0; over < 2; over++) {
        begin(EXPECT_EXACT);
        more("C:k", 0x203c, RING_OS)->unit = UNIT_CYCLES;
        more("C:u", 0x203c, RING_USR)->unit = UNIT_CYCLES;
        more("C:uk", 0x203c, RING_OS | RING_USR)->unit = UNIT_CYCLES;
        count[0] = 9000 - 90 - over, count[1] = 1000 - 10, count[2] = 10000;
        run_all();
        expect_of(0, "C:k + C:u = C:uk", over ? "differs by -101 (-1.01 %)" : "agrees");
        assert_true(values.tolerance == 100);
    }
}

#define CACHES (1u << 20)
#define BUFFER (8ull * CACHES) /* eight times as large as the caches */
#define N      (1u << 20)
#define BYTES  (64ll * N)

static struct known_kernel walker;
static uint64_t caches_bytes;

static void in_parallel(struct run_record *run)
{
    run->parallel = 1;
}

static void start_walk(void)
{
    walker =
        (struct known_kernel){.name = "walk", .n = N, .flags = KNOWN_READS, .buffer_bytes = BUFFER};
    caches_bytes = CACHES;
}

static void walk(bool parallel)
{
    static const struct uncore_record PACKAGE = {
        .model = "x", .groups = 1, .group = {{.kind = KIND_IMC, .counters = 4, .units = 1}}};

    run_begin(parallel ? in_parallel : NULL, "");
    run_append(RECORD_KERNEL, &walker, sizeof(walker));
    run_hook = counts;
    run_uncore_event("dram_read_bytes", KIND_IMC, 0xf, UNIT_BYTES);
    run_uncore_event("dram_write_bytes", KIND_IMC, 0xf, UNIT_BYTES);
    run_make_cpu(0, NULL);
    run_cpu_record.caches_bytes = caches_bytes;
    run_describe();
    run_uncore(&PACKAGE);
    measure();
    assert_int_equal(sums.count, 2);
}

static void expect_walk(const char *reads, const char *writes)
{
    walk(false);
    expect_of(0, "dram_read_bytes = the bytes that the kernel moves", reads);
    expect_of(1, "dram_write_bytes = the bytes that the kernel moves", writes);
}

/* Ordinary stores read a line before they write it. */
TEST(bytes_that_a_kernel_moves)
{
    static const struct {
        uint32_t flags;
        unsigned reads, writes; /* lines per n */
    } ROWS[] = {
        {0, 0, 0},
        {KNOWN_READS, 1, 0},
        {KNOWN_WRITES, 1, 1},
        {KNOWN_STREAMS, 0, 1},
        {KNOWN_READS | KNOWN_WRITES, 2, 1},
        {KNOWN_READS | KNOWN_STREAMS, 1, 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        start_walk();
        walker.flags = ROWS[i].flags;
        count[0] = ROWS[i].reads * N, count[1] = ROWS[i].writes * N;
        memset(range, 0, sizeof(range)), memset(empty_range, 0, sizeof(empty_range));
        expect_walk(ROWS[i].reads ? "agrees" : "not computed",
                    ROWS[i].writes ? "agrees" : "not computed");
        count[0] *= 2, count[1] *= 2;
        expect_walk(ROWS[i].reads ? formatted("differs by %lld (100 %%)", BYTES * ROWS[i].reads)
                                  : "not computed",
                    ROWS[i].writes ? formatted("differs by %lld (100 %%)", BYTES * ROWS[i].writes)
                                   : "not computed");
    }
}

TEST(bytes_that_nobody_knows)
{
    count[0] = N;
    start_walk();
    walker.buffer_bytes = 4 * CACHES - 1;
    expect_walk("not computed", "not computed");
    walker.buffer_bytes++;
    expect_walk("agrees", "not computed");
    caches_bytes = 0;
    expect_walk("not computed", "not computed");
    start_walk();
    walker.memory = MEMORY_UC;
    expect_walk("not computed", "not computed");
    start_walk();
    walker.n = 1ull << 46;
    expect_walk("not computed", "not computed");
    start_walk();
    walker.round = N;
    expect_walk("agrees", "not computed");
    walker.round++;
    expect_walk("not computed", "not computed");
    start_walk();
    walk(true);
    expect_of(0, "dram_read_bytes = the bytes that the kernel moves", "not computed");
}

/*
 * The tolerance is an eighth of the bytes, plus 1 %, plus the ranges of the kernel's and the empty
 * window's samples, plus the background. The background is the empty window's mean count minus its
 * smallest, scaled to the kernel's time. One of 8 samples of the empty window has 1 line more.
 */
TEST(the_tolerance_of_bytes)
{
    unsigned pass;
    int64_t tolerance, ticks, empty_ticks;

    start_walk();
    count[0] = N, range[0] = 3, empty_range[0] = 1;
    walk(false);
    run_uncore_slot(0, &pass);
    ticks = (int64_t)run_tsc(pass, RUN_N), empty_ticks = (int64_t)run_tsc(pass, 0);
    tolerance = BYTES / 8 + BYTES / 100 + 64 * (3 + 1) + 64 * (ticks * 125 / empty_ticks / 1000);
    assert_true(ticks * 125 / empty_ticks / 1000 > 0);
    expect_of(0, "dram_read_bytes = the bytes that the kernel moves", "agrees");
    assert_true(values.tolerance == tolerance);
    for (int side = -1; side <= 1; side += 2)
        for (int over = 0; over < 2; over++) {
            count[0] = N + side * (tolerance / 64 + over);
            walk(false);
            sum_make(&run_view, run_last, &sums.sum[0], &values);
            assert_int_equal(sum_agrees(&sums.sum[0], &values), !over);
        }
}

TEST(as_many_as_there_can_be)
{
    static struct event events[3 * SUMS_MAX + 3];
    struct view view = run_view;

    for (unsigned i = 0; i < 3 * SUMS_MAX + 3; i++) {
        events[i] = (struct event){.select = i / 3, .rings = (uint8_t)(1 + i % 3)};
        snprintf(events[i].name, sizeof(events[i].name), "e%u", i);
    }
    view.event = events;
    for (view.events = 3 * SUMS_MAX; view.events <= 3 * SUMS_MAX + 3; view.events += 3) {
        sums.event = NULL;
        sums_find(&sums, &view);
        assert_int_equal(sums.count, SUMS_MAX);
        assert_int_equal(sums.more, view.events > 3 * SUMS_MAX);
    }
}
