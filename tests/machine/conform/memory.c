/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches according to ../README.md: three levels from CPUID leaf 4, with LRU replacement. */
#include "conform.h"

#define BUFFER    0x2000000u /* free memory: the image ends below 2 MiB */
#define LINE      64u
#define SANDY_ON  (SNB | HSW | SKL | SKX | ICX | CORE)
#define BIG_CORES (NHM | SANDY_ON)

extern code kernel_read_lines, kernel_write_lines, kernel_load_once, kernel_store_once;

struct cache {
    uint32_t ways;
    uint32_t sets;
};

enum level { L1D, L2, LLC, NOWHERE };
static struct cache caches[3];
static const uint32_t stall[] = {0, 10, 30, 150};

struct counts {
    uint64_t cycles;
    uint64_t l1d_replacements;
    uint64_t llc_references;
    uint64_t llc_misses;
    uint64_t loads_that_miss;
    uint64_t backend_slots; /* 0 on CPUs with at most four general counters */
};

static void read_caches(void)
{
    unsigned found = 0;

    for (uint32_t i = 0; found < 3; i++) {
        struct leaf leaf = cpuid(4, i);

        if ((leaf.eax & 31) == 0) {
            give_up("CPUID leaf 4 names fewer than three data caches");
        }
        if ((leaf.eax & 31) != 2) { /* skips instruction caches */
            if ((leaf.ebx & 0xfff) + 1 != LINE) {
                give_up("a cache has lines that are not 64 bytes long");
            }
            caches[found].ways = (leaf.ebx >> 22) + 1;
            caches[found++].sets = leaf.ecx + 1;
        }
    }
}

static bool has(uint8_t families)
{
    return cpu.family & families;
}

/*
 * General counters 0 to 3 (0 to 4 if there are more than four) count events, and fixed counter 1
 * counts cycles.
 */
static struct counts run(uint32_t ebx, uint32_t ebp, code *kernel)
{
    static const uint16_t encodings[] = {0x0151, 0x4f2e, 0x412e, 0x08d1, 0x02a4};
    int events = cpu.gp > 4 ? 5 : 4;

    stop_all();
    for (int i = 0; i < events; i++) {
        write_counter(i, 0);
        select_event(i, EN | OS | encodings[i]);
    }
    write_counter(FIXED(1), 0);
    select_event(FIXED(1), FIXED_OS);
    kernel_argument[0] = ebx;
    kernel_argument[1] = ebp;
    run_window(IA32_PERF_GLOBAL_CTRL, low_bits((unsigned)events) | BIT(FIXED(1)), kernel);
    return (struct counts){read_counter(FIXED(1)), read_counter(0),
                           read_counter(1),        read_counter(2),
                           read_counter(3),        events > 4 ? read_counter(4) : 0};
}

static void compare(struct counts got, struct counts want, const char *name)
{
    expect(got.cycles, want.cycles, "%s: cycles", name);
    expect(got.l1d_replacements, has(BIG_CORES) ? want.l1d_replacements : 0,
           "%s: lines brought into the L1D", name);
    expect(got.llc_references, want.llc_references, "%s: LLC references", name);
    expect(got.llc_misses, want.llc_misses, "%s: LLC misses", name);
    expect(got.loads_that_miss, has(SANDY_ON & ~SNB) || has(ATOM) ? want.loads_that_miss : 0,
           "%s: loads that miss the L1D", name);
    expect(got.backend_slots, has(ICX | CORE) ? want.backend_slots : 0, "%s: backend slots", name);
}

/*
 * The cycles of a walk, in brackets: [4 instructions] [3 instructions, first load] [add dec jnz],
 * then [load add dec jnz] for each later line, and [ret]. walk() adds the stall of RET. A load that
 * stalls ends its cycle. The next nine loads share its stall, so the first load, the eleventh load
 * and so on stall. With more than 9 iterations the exit is mispredicted, and RET shares no stall.
 * With up to 9 iterations the exit is predicted. If the last of these loads stalls, RET retires in
 * the cycle of the last jnz.
 */
uint64_t walk_cycles(uint32_t lines, uint32_t stalls)
{
    uint32_t times = stalls ? STALLING(lines) : 0;
    uint32_t turns = times ? lines + times + 1 : lines + 2;
    uint32_t end = lines > 9 ? 15 + 1 : times == 0 || lines % 10 != 1;

    return 2 + turns + end + times * stalls;
}

/* RET loads the line of the stack, which misses the L1D only after a walk through all sets. */
static struct counts walk(uint32_t lines, enum level level, bool all_sets, bool stores)
{
    uint32_t missing = level == L1D ? 0 : lines + (all_sets ? 1 : 0);
    uint32_t ret = level != L1D && all_sets ? stall[level] : 0;
    uint32_t stalls = ret + (stores ? 0 : STALLING(lines) * stall[level]);

    return (struct counts){
        .cycles = walk_cycles(lines, stores ? 0 : stall[level]) + ret,
        .l1d_replacements = missing,
        .llc_references = level >= LLC ? missing : 0,
        .llc_misses = level == NOWHERE ? missing : 0,
        .loads_that_miss = stores ? (level != L1D && all_sets) : missing,
        .backend_slots = 4ull * stalls,
    };
}

static unsigned log2_of(uint32_t n)
{
    unsigned result = 0;

    while (n >>= 1) {
        result++;
    }
    return result;
}

static void check_walk(const char *name, uint32_t first, uint32_t lines, uint32_t stride,
                       enum level level, bool all_sets)
{
    uint32_t ebx = first | log2_of(stride);
    unsigned warm_ups = lines > 100000 ? 1 : 4;

    for (unsigned i = 0; i < warm_ups; i++) {
        run(ebx, lines, kernel_read_lines);
    }
    compare(run(ebx, lines, kernel_read_lines), walk(lines, level, all_sets, false), name);
}

/* Returns a set of the L1D without the line of the stack, which the window's call and ret use. */
static uint32_t quiet_set(void)
{
    return ((uint32_t)__builtin_frame_address(0) / LINE + caches[L1D].sets / 2) &
           (caches[L1D].sets - 1);
}

/*
 * If there are as many lines as ways, all lines stay cached. With one line more, LRU evicts each
 * line before its next access.
 */
static void check_sets(void)
{
    uint32_t first = BUFFER + quiet_set() * LINE;
    uint32_t l1_span = caches[L1D].sets * LINE;
    uint32_t l2_span = caches[L2].sets * LINE;
    uint32_t llc_span = caches[LLC].sets * LINE;

    check_walk("a full set of the L1D", first, caches[L1D].ways, l1_span, L1D, false);
    check_walk("one line more than a set of the L1D", first, caches[L1D].ways + 1, l1_span, L2,
               false);
    check_walk("a full set of the L2", first, caches[L2].ways, l2_span, L2, false);
    check_walk("one line more than a set of the L2", first, caches[L2].ways + 1, l2_span, LLC,
               false);
    check_walk("one line more than a set of the LLC", first, caches[LLC].ways + 1, llc_span,
               NOWHERE, false);
}

static uint32_t size_in_lines(enum level level)
{
    return caches[level].ways * caches[level].sets;
}

static void check_buffers(void)
{
    check_walk("a buffer of half the L1D", BUFFER, size_in_lines(L1D) / 2, LINE, L1D, true);
    check_walk("a buffer of twice the L1D", BUFFER, size_in_lines(L1D) * 2, LINE, L2, true);
    check_walk("a buffer of twice the L2", BUFFER, size_in_lines(L2) * 2, LINE, LLC, true);
    check_walk("a buffer of twice the LLC", BUFFER, size_in_lines(LLC) * 2, LINE, NOWHERE, true);
    for (int i = 0; i < 4; i++) {
        run(BUFFER | log2_of(LINE), size_in_lines(L1D) * 2, kernel_write_lines);
    }
    compare(run(BUFFER | log2_of(LINE), size_in_lines(L1D) * 2, kernel_write_lines),
            walk(size_in_lines(L1D) * 2, L2, true, true), "stores to a buffer of twice the L1D");
}

/*
 * The window's cycles, in brackets: [call] [mov], the stall of mov, [ret] [4 instructions]; without
 * a stall: [call] [mov ret] [4 instructions]. The kernel first runs on another line, so that its
 * call is predicted.
 */
static void check_cold(void)
{
    uint32_t cold = BUFFER + 0x8000000;
    struct counts one = {4 + 150, 1, 1, 1, 1, 600};
    struct counts two = {4 + 150, 2, 2, 2, 1, 600}; /* the two misses overlap */
    struct counts hit = {3, 0, 0, 0, 0, 0};
    struct counts stored = {3, 1, 1, 1, 0, 0};

    run(cold, 0, kernel_load_once);
    compare(run(cold + 0x1000, 0, kernel_load_once), one, "a load of a new line");
    compare(run(cold + 0x1004, 0, kernel_load_once), hit, "a load of the same line again");
    compare(run(cold + 0x203e, 0, kernel_load_once), two, "a load over two new lines");
    compare(run(cold + 0x203e, 0, kernel_load_once), hit, "a load over two lines again");
    run(cold, 0, kernel_store_once);
    compare(run(cold + 0x3000, 0, kernel_store_once), stored, "a store to a new line");
    run(cold, 0, kernel_load_once);
    compare(run(cold + 0x3008, 0, kernel_load_once), hit, "a load of a line that was stored to");
}

static void check_lru(void)
{
    uint32_t span = caches[L1D].sets * LINE;
    uint32_t line = BUFFER + 0x9000000 + quiet_set() * LINE;
    uint32_t ways = caches[L1D].ways;
    struct counts found_in_l2 = {4 + 10, 1, 0, 0, 1, 40};
    struct counts hit = {3, 0, 0, 0, 0, 0};

    for (uint32_t i = 0; i < ways; i++) {
        run(line + i * span, 0, kernel_load_once);
    }
    compare(run(line, 0, kernel_load_once), hit, "LRU: the first line of a full set");
    run(line + ways * span, 0, kernel_load_once);
    compare(run(line, 0, kernel_load_once), hit, "LRU: the first line stays, for it was used");
    compare(run(line + span, 0, kernel_load_once), found_in_l2, "LRU: the second line has gone");
    compare(run(line + 3 * span, 0, kernel_load_once), hit, "LRU: the fourth line is there");
    compare(run(line + 2 * span, 0, kernel_load_once), found_in_l2, "LRU: the third line has gone");
}

/* The argument is n of pmu-cache-shift=n: L2 and LLC have 2^n times fewer sets. */
void test_caches(void)
{
    static const char *const names[] = {"L1D", "L2", "LLC"};
    static const struct cache whole[] = {{8, 64}, {16, 4096}, {16, 16384}};

    read_caches();
    for (enum level level = L1D; level <= LLC; level++) {
        expect(caches[level].ways, whole[level].ways, "CPUID leaf 4: ways of the %s", names[level]);
        expect(caches[level].sets, whole[level].sets >> (level == L1D ? 0 : chosen_counter),
               "CPUID leaf 4: sets of the %s", names[level]);
    }
    test_memory();
}

void test_memory(void)
{
    read_caches();
    check_cold();
    check_lru();
    check_sets();
    check_buffers();
    test_overlap(BUFFER);
    stop_all();
}
