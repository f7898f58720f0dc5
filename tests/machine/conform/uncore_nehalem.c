/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nehalem's uncore: eight counters and a clock, which count the activity of the model's caches
 * (../OUTSIDE.md). memory.c explains the cycles of the walks.
 */
#include "uncore.h"

#define EVENTS 8
enum { LOOKUPS, HITS, READ_MISSES, WRITE_MISSES, LINES_OUT, DIRTY_OUT, READS, WRITTEN };
static const uint16_t traffic_events[EVENTS] = {0x0103, 0x0308, 0x0109, 0x0209,
                                                0x1f0b, 0x010b, 0x072c, 0x072f};
static const char *const names[EVENTS] = {"lookups",   "hits",      "read misses", "write misses",
                                          "lines out", "dirty out", "DRAM reads",  "DRAM writes"};
struct traffic {
    uint64_t count[EVENTS];
    uint64_t clock;
};

uint32_t quiet_line(uint32_t buffer)
{
    uint32_t stack = (uint32_t)__builtin_frame_address(0) / LINE;

    return buffer + (stack + 32) % 64 * LINE; /* the L1D has 64 sets */
}

uint32_t lines_with(uint32_t first, uint32_t lines, uint32_t span, uint32_t of, uint32_t rest)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < lines; i++) {
        n += (first + i * span) / LINE % of == rest;
    }
    return n;
}

void walk_lines(uint32_t first, uint32_t log2_span, uint32_t lines, code *kernel)
{
    kernel_argument[0] = first | log2_span;
    kernel_argument[1] = lines;
    count_from(0, 0, CYCLES, kernel);
}

static void stop_uncore(void)
{
    wrmsr(UNCORE_GLOBAL_CTRL, 0);
    for (uint32_t i = 0; i < EVENTS; i++) {
        wrmsr(UNCORE_PERFEVTSEL0 + i, 0);
        wrmsr(UNCORE_PMC0 + i, 0);
    }
    wrmsr(UNCORE_FIXED_CTR_CTRL, 0);
    wrmsr(UNCORE_FIXED_CTR0, 0);
    wrmsr(UNCORE_OVF_CTRL, rdmsr(UNCORE_GLOBAL_STATUS));
}

static struct traffic measure(uint32_t ebx, uint32_t ebp, code *kernel)
{
    struct traffic got;

    stop_uncore();
    for (uint32_t i = 0; i < EVENTS; i++) {
        wrmsr(UNCORE_PERFEVTSEL0 + i, UNCORE_EN | traffic_events[i]);
    }
    wrmsr(UNCORE_FIXED_CTR_CTRL, 1);
    kernel_argument[0] = ebx;
    kernel_argument[1] = ebp;
    run_window(UNCORE_GLOBAL_CTRL, ALL_COUNTERS, kernel);
    for (uint32_t i = 0; i < EVENTS; i++) {
        got.count[i] = rdmsr(UNCORE_PMC0 + i);
    }
    got.clock = rdmsr(UNCORE_FIXED_CTR0);
    return got;
}

static void compare(struct traffic got, struct traffic want, const char *name)
{
    for (int i = 0; i < EVENTS; i++) {
        expect(got.count[i], want.count[i], "\"%s\": %s", name, names[i]);
    }
    expect(got.clock, want.clock, "\"%s\": uncore cycles", name);
}

static uint64_t count_one(uint64_t select, uint32_t ebx, uint32_t ebp, code *kernel)
{
    stop_uncore();
    wrmsr(UNCORE_PERFEVTSEL0, UNCORE_EN | select);
    kernel_argument[0] = ebx;
    kernel_argument[1] = ebp;
    run_window(UNCORE_GLOBAL_CTRL, 1, kernel);
    return rdmsr(UNCORE_PMC0);
}

static void check_cold(void)
{
    uint32_t cold = quiet_line(FIELD(10));

    measure(cold, 0, kernel_load_once);
    measure(cold, 0, kernel_load_once);
    compare(measure(cold + 64 * LINE, 0, kernel_load_once),
            (struct traffic){{1, 0, 1, 0, 0, 0, 1, 0}, 4 + 150}, "a load of a new line");
    compare(measure(cold + 64 * LINE, 0, kernel_load_once),
            (struct traffic){{0, 0, 0, 0, 0, 0, 0, 0}, 3}, "a load of what is in the L1D");
    compare(measure(cold + 128 * LINE + 62, 0, kernel_load_once),
            (struct traffic){{2, 0, 2, 0, 0, 0, 2, 0}, 4 + 150}, "a load over two new lines");
    measure(cold, 0, kernel_store_once);
    compare(measure(cold + 192 * LINE, 0, kernel_store_once),
            (struct traffic){{1, 0, 0, 1, 0, 0, 1, 0}, 3}, "a store to a new line");
}

/* In a set with 16 ways, each of 17 lines evicts another line. */
static void check_walks(void)
{
    uint32_t l2 = quiet_line(FIELD(12)) + 64 * LINE; /* not in the LLC set of `llc` */
    uint32_t llc = quiet_line(FIELD(20));
    const uint32_t n = LLC_WAYS + 1;

    for (int i = 0; i < 4; i++) {
        walk_lines(l2, LOG2_L2_SPAN, n, kernel_read_lines);
    }
    measure(l2 | LOG2_L2_SPAN, n, kernel_read_lines);
    compare(measure(l2 | LOG2_L2_SPAN, n, kernel_read_lines),
            (struct traffic){{n, n, 0, 0, 0, 0, 0, 0}, walk_cycles(n, 30)},
            "loads of lines that the LLC has");
    for (int i = 0; i < 4; i++) {
        walk_lines(llc, LOG2_LLC_SPAN, n, kernel_read_lines);
    }
    compare(measure(llc | LOG2_LLC_SPAN, n, kernel_read_lines),
            (struct traffic){{n, 0, n, 0, n, 0, n, 0}, walk_cycles(n, 150)},
            "loads that evict clean lines");
    /* The last store evicts the line of the first store. */
    for (int i = 0; i < 2; i++) {
        walk_lines(l2, LOG2_L2_SPAN, n, kernel_write_lines); /* trains only the predictor */
    }
    compare(measure(llc | LOG2_LLC_SPAN, n, kernel_write_lines),
            (struct traffic){{n, 0, 0, n, n, 1, n, 1}, walk_cycles(n, 0)},
            "stores that evict clean lines");
    compare(measure(llc | LOG2_LLC_SPAN, n, kernel_write_lines),
            (struct traffic){{n, 0, 0, n, n, n, n, n}, walk_cycles(n, 0)},
            "stores that evict dirty lines");
    for (int i = 0; i < 2; i++) {
        walk_lines(l2, LOG2_L2_SPAN, n, kernel_read_lines);
    }
    /* The first 16 loads evict the dirty lines, and the last load evicts the first load's line. */
    compare(measure(llc | LOG2_LLC_SPAN, n, kernel_read_lines),
            (struct traffic){{n, 0, n, 0, n, n - 1, n, n - 1}, walk_cycles(n, 150)},
            "loads that evict dirty lines");
}

static void check_dirty_by_hit(void)
{
    uint32_t line = quiet_line(FIELD(40));

    walk_lines(line, LOG2_LLC_SPAN, 1, kernel_read_lines);
    walk_lines(line, LOG2_LLC_SPAN, 1, kernel_write_lines);
    walk_lines(line + LLC_SPAN, LOG2_LLC_SPAN, LLC_WAYS - 1, kernel_read_lines);
    expect(count_one(0x010b, line + LLC_WAYS * LLC_SPAN, 0, kernel_load_once), 1,
           "a store that hits the L1D makes the line dirty in the LLC");
    expect(count_one(0x010b, line + (LLC_WAYS + 1) * LLC_SPAN, 0, kernel_load_once), 0,
           "the next line that is evicted was clean");
}

/* Line number k belongs to channel k modulo 3. Bit n of the unit mask selects channel n. */
static void check_channels(void)
{
    uint32_t llc = quiet_line(FIELD(20));
    const uint32_t n = LLC_WAYS + 1;

    for (int i = 0; i < 3; i++) {
        walk_lines(llc, LOG2_LLC_SPAN, n, kernel_write_lines);
    }
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t lines = lines_with(llc, n, LLC_SPAN, 3, c);

        expect(count_one(0x002c | 0x100u << c, llc | LOG2_LLC_SPAN, n, kernel_write_lines), lines,
               "DRAM reads of channel %u", c);
        expect(count_one(0x002f | 0x100u << c, llc | LOG2_LLC_SPAN, n, kernel_write_lines), lines,
               "DRAM writes of channel %u", c);
    }
    expect(count_one(0x302c, llc | LOG2_LLC_SPAN, n, kernel_write_lines), 0,
           "a unit mask that names no channel counts nothing");
    expect(count_one(0x3020, llc | LOG2_LLC_SPAN, n, kernel_write_lines), 2 * n,
           "local reads and writes of the home logic");
    expect(count_one(0x0f0a, llc | LOG2_LLC_SPAN, n, kernel_write_lines), n, "lines in");
    expect(count_one(0x010a, llc | LOG2_LLC_SPAN, n, kernel_write_lines), n, "lines in, modified");
    expect(count_one(0x020a, llc | LOG2_LLC_SPAN, n, kernel_write_lines), 0, "lines in, exclusive");
}

static void check_enables(void)
{
    uint32_t ebx = quiet_line(FIELD(12)) | LOG2_L2_SPAN;
    const uint32_t n = L2_WAYS + 1;

    for (int i = 0; i < 4; i++) {
        walk_lines(ebx & ~63u, LOG2_L2_SPAN, n, kernel_read_lines);
    }
    stop_uncore();
    kernel_argument[0] = ebx;
    kernel_argument[1] = n;
    for (uint32_t i = 0; i < EVENTS; i++) {
        wrmsr(UNCORE_PERFEVTSEL0 + i, (i == 6 ? 0 : UNCORE_EN) | 0x0308);
    }
    run_window(UNCORE_GLOBAL_CTRL, BIT(3) | BIT(6), kernel_read_lines);
    for (uint32_t i = 0; i < EVENTS; i++) {
        expect(rdmsr(UNCORE_PMC0 + i), i == 3 ? n : 0,
               "EN_PC3, EN_PC6, EN in all but 6: counter %u", i);
    }
    expect(rdmsr(UNCORE_FIXED_CTR0), 0, "with neither EN_FC0 nor EN the clock stands still");
    wrmsr(UNCORE_FIXED_CTR_CTRL, 1);
    run_window(UNCORE_GLOBAL_CTRL, 0xff, kernel_read_lines);
    expect(rdmsr(UNCORE_FIXED_CTR0), 0, "with EN and without EN_FC0 the clock stands still");
    run_window(UNCORE_GLOBAL_CTRL, BIT(32), kernel_read_lines);
    expect(rdmsr(UNCORE_FIXED_CTR0), walk_cycles(n, 30), "with EN and EN_FC0 the clock ticks");
    wrmsr(UNCORE_FIXED_CTR_CTRL, 0);
    run_window(UNCORE_GLOBAL_CTRL, BIT(32), kernel_read_lines);
    expect(rdmsr(UNCORE_FIXED_CTR0), walk_cycles(n, 30), "without EN the clock stands still again");
}

/*
 * Up to ten of the 17 loads that hit the LLC are in the tracker during the same 30 cycles. Each
 * lookup is in a cycle of its own.
 */
static void check_conditions(void)
{
    uint32_t ebx = quiet_line(FIELD(12)) | LOG2_L2_SPAN;
    uint32_t cold = quiet_line(FIELD(14));
    const uint32_t n = L2_WAYS + 1, busy = STALLING(n);
    const uint64_t cycles = walk_cycles(n, 30);

    for (int i = 0; i < 4; i++) {
        walk_lines(ebx & ~63u, LOG2_L2_SPAN, n, kernel_read_lines);
    }
    expect(count_one(0x0102 | OCC_RESET, ebx, n, kernel_read_lines), 30 * busy, "GQ occupancy");
    expect(count_one(0x0101, ebx, n, kernel_read_lines), 30 * busy, "GQ cycles not empty");
    expect(count_one(0x0101 | EDGE, ebx, n, kernel_read_lines), busy, "EDGE: runs of such cycles");
    expect(count_one(0x0308 | CMASK(1), ebx, n, kernel_read_lines), n, "CMASK=1: cycles with hits");
    expect(count_one(0x0308 | CMASK(2), ebx, n, kernel_read_lines), 0, "CMASK=2: cycles of 2 hits");
    expect(count_one(0x0308 | CMASK(1) | INV, ebx, n, kernel_read_lines), cycles - n,
           "CMASK=1, INV: cycles without hits");
    expect(count_one(0x0308 | INV, ebx, n, kernel_read_lines), n, "INV without CMASK does nothing");
    expect(count_one(0x0101 | INV | EDGE, ebx, n, kernel_read_lines), busy,
           "INV and EDGE without CMASK: INV does nothing");
    expect(count_one(0x0102 | CMASK(1) | INV | EDGE, ebx, n, kernel_read_lines), busy + 1,
           "CMASK=1, INV, EDGE: times the tracker was empty");
    for (unsigned c = 1; c <= 3; c++) {
        expect(count_one(0x0109 | CMASK(c), cold + c * LINE * 64 + 62, 0, kernel_load_once), c <= 2,
               "CMASK=%u: a cycle with two misses", c);
    }
}

/* A store's request stays in the tracker until the next lookup or a reset of the queue. */
static void check_occupancy_reset(void)
{
    uint32_t cold = quiet_line(FIELD(16));
    /* in cycles: call | ret | mov xor xor wrmsr; a call to a new target is mispredicted */
    const uint64_t window = 3, mispredicted = 15;

    count_one(0x0102 | OCC_RESET, cold, 0, kernel_empty);
    expect(count_one(0x0102, cold, 0, kernel_empty), 0, "occupancy of an empty tracker");
    count_one(0x0102, cold, 0, kernel_store_once);
    expect(count_one(0x0102, cold, 0, kernel_empty), window + mispredicted,
           "a store's request stays in the tracker");
    expect(count_one(0x0102, cold, 0, kernel_empty), window, "a store's request still stays in it");
    expect(count_one(0x0103 | OCC_RESET, cold, 0, kernel_empty), 0, "lookups with OCC_CTR_RST");
    expect(count_one(0x0102, cold, 0, kernel_empty), window,
           "OCC_CTR_RST of another event removes nothing");
    expect(count_one(0x0102 | OCC_RESET, cold, 0, kernel_empty), 0,
           "OCC_CTR_RST empties the tracker");
    expect(rdmsr(UNCORE_PERFEVTSEL0) & OCC_RESET, 0, "OCC_CTR_RST reads 0");
    expect(count_one(0x0102, cold, 0, kernel_empty), 0, "the tracker stays empty");
    count_one(0x0102, cold + 64 * LINE, 0, kernel_store_once);
    expect(count_one(0x0102, cold + 128 * LINE, 0, kernel_load_once), 1 + mispredicted + 1 + 150,
           "the next lookup ends it: its cycles until the load, then those of the load");
    expect(count_one(0x0102, cold, 0, kernel_empty), 0, "after a load the tracker is empty");
}

/* SDM, "Uncore Address/Opcode Match MSR": bits 63:61 MatchSel, 47:40 opcode, 39:3 address. */
static void check_match(void)
{
    uint32_t cold = quiet_line(FIELD(18));
    const struct {
        uint64_t select;
        bool at_load, at_store, elsewhere;
        const char *name;
    } cases[] = {
        {0, false, false, false, "off"},  {4, true, true, false, "address"},
        {2, true, false, true, "opcode"}, {6, true, true, true, "either"},
        {1, true, false, false, "both"},
    };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t line = cold + i * 8 * 64 * LINE;

        for (uint32_t k = 0; k < 3; k++) {
            uint32_t at = line + k * 2 * 64 * LINE; /* another line not accessed before */
            uint32_t asked = k == 2 ? at + 64 * LINE : at;
            bool want = k == 0 ? cases[i].at_load : k == 1 ? cases[i].at_store : cases[i].elsewhere;

            wrmsr(UNCORE_MATCH, cases[i].select << 61 | 1ull << 40 | asked);
            expect(count_one(0x0435, at, 0, k == 1 ? kernel_store_once : kernel_load_once), want,
                   "match by %s: %s", cases[i].name,
                   k == 0   ? "a load of the line"
                   : k == 1 ? "a store to the line"
                            : "a load of another line");
        }
    }
    wrmsr(UNCORE_MATCH, 0);
}

void test_uncore_nehalem(void)
{
    check_cold();
    check_walks();
    check_dirty_by_hit();
    check_channels();
    check_enables();
    check_conditions();
    check_occupancy_reset();
    check_match();
    stop_uncore();
    stop_all();
}
