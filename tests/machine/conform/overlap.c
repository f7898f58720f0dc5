/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overlapping misses according to ../README.md: up to ten independent loads that miss within 192
 * instructions take as long as the slowest of them.
 */
#include "conform.h"

#define NEW    0xc000000u /* first line that is not yet accessed; each check uses new lines */
#define LINE   64u
#define MEMORY 150u
#define L2     10u
#define TURNS  8u   /* iterations of a loop whose exit fits into the predictor's history */
#define ROUNDS 100u /* iterations of a loop whose exit does not fit into the history */

extern code kernel_pair, kernel_pair_near, kernel_pair_far, kernel_pair_lfence, kernel_pair_mfence,
    kernel_pair_cpuid, kernel_pair_lock, kernel_pair_chased, kernel_pair_computed,
    kernel_pair_zeroed, kernel_pair_flags, kernel_pair_summed, kernel_eleven, kernel_chase,
    kernel_two_chases, kernel_flush_and_load;

static uint32_t next_line = NEW;

/* Lines that no window has accessed. The modelled caches ignore accesses outside windows. */
static uint32_t new_lines(uint32_t lines)
{
    next_line += lines * LINE;
    return next_line - lines * LINE;
}

static uint64_t cycles_of(uint32_t ebx, uint32_t ebp, code *kernel)
{
    kernel_argument[0] = ebx;
    kernel_argument[1] = ebp;
    return count_from(0, FIXED(1), FIXED_OS, kernel);
}

/* Two loads. `then` counts the instructions after the first load, including the second load. */
static const struct pair {
    code *kernel;
    const char *name;
    uint32_t then;
    bool overlap;
} pairs[] = {
    {kernel_pair, "two loads", 1, true},
    {kernel_pair_near, "loads 191 instructions apart", 191, true},
    {kernel_pair_far, "loads 192 instructions apart", 192, false},
    {kernel_pair_lfence, "loads with LFENCE between", 2, false},
    {kernel_pair_mfence, "loads with MFENCE between", 2, false},
    {kernel_pair_cpuid, "loads with CPUID between", 3, false},
    {kernel_pair_lock, "loads with LOCK between", 2, false},
    {kernel_pair_chased, "a load from a loaded address", 1, false},
    {kernel_pair_computed, "a load from a sum with a loaded value", 4, false},
    {kernel_pair_zeroed, "a load from a register that was set to 0", 3, true},
    {kernel_pair_flags, "a load from an address that depends on flags", 3, false},
    {kernel_pair_summed, "a load that adds to what was loaded", 1, true},
};

/*
 * The window's cycles, in brackets: [call] [first load], its stall, [the instructions that `then`
 * counts], the stall of the second load if it has one, [ret] [4 instructions].
 */
static uint64_t pair_cycles(uint32_t then, uint64_t stall, uint64_t other)
{
    return other ? 1 + 1 + stall + (then + 3) / 4 + other + 1 + 1
                 : 1 + 1 + stall + (then + 1 + 3) / 4 + 1;
}

/* Runs the kernel on other lines first, so that its call is predicted. */
static uint64_t pair_of(uint32_t one, uint32_t other, code *kernel)
{
    uint32_t known = new_lines(4); /* the kernel uses two of them, in different sets */

    *(volatile uint32_t *)known = known + 2 * LINE;
    *(volatile uint32_t *)one = other;
    cycles_of(known, known + 2 * LINE, kernel);
    return cycles_of(one, other, kernel);
}

static void check_pairs(uint32_t line_in_l2)
{
    for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct pair *pair = &pairs[i];
        uint32_t lines = new_lines(2);

        expect(pair_of(lines, lines + LINE, pair->kernel),
               pair_cycles(pair->then, MEMORY, pair->overlap ? 0 : MEMORY), "cycles of %s",
               pair->name);
    }
    expect(pair_of(line_in_l2, new_lines(1), kernel_pair), pair_cycles(1, L2, MEMORY - L2),
           "cycles of a load from L2, and one from memory");
    expect(pair_of(new_lines(1), line_in_l2 + LINE, kernel_pair), pair_cycles(1, MEMORY, 0),
           "cycles of a load from memory, and one from L2");
}

/* Each line of the ring contains the address of the next line. */
static uint32_t new_ring(void)
{
    uint32_t first = new_lines(TURNS);

    for (uint32_t i = 0; i < TURNS; i++) {
        *(volatile uint32_t *)(first + i * LINE) = first + (i + 1) % TURNS * LINE;
    }
    return first;
}

/*
 * The window's cycles, in brackets: [call] [mov load], the load's stall, [dec jnz]; in each later
 * iteration [load], its stall, [dec jnz]; at the end [4 instructions].
 */
static void check_chases(void)
{
    const uint64_t want = 1 + TURNS * (1 + MEMORY + 1) + 1;
    uint32_t one = new_ring(), other = new_ring();

    for (unsigned i = 0; i < 12; i++) {
        cycles_of(one, TURNS, kernel_chase);
    }
    expect(cycles_of(new_ring(), TURNS, kernel_chase), want,
           "cycles of a chase: the sum of all latencies");
    for (unsigned i = 0; i < 12; i++) {
        cycles_of(one, other, kernel_two_chases);
    }
    one = new_ring();
    expect(cycles_of(one, new_ring(), kernel_two_chases), want,
           "cycles of two chases at once: as many as of one");
}

/*
 * A round executes ten instructions. Below, each pair of brackets is one cycle. The cycles of every
 * tenth round: [clflush load], the load's stall, [4 instructions] [4 instructions]. The cycles of
 * each remaining round: [clflush load add nop] [4 instructions] [2 instructions]. The exit is
 * mispredicted.
 */
static void check_rounds(void)
{
    for (unsigned i = 0; i < 2; i++) {
        cycles_of(new_lines(ROUNDS), ROUNDS, kernel_flush_and_load);
    }
    expect(cycles_of(new_lines(ROUNDS), ROUNDS, kernel_flush_and_load),
           1 + 3 * ROUNDS + MEMORY * ROUNDS / 10 + 15 + 1 + 1,
           "cycles of a loop that flushes and loads a line a round");
    kernel_argument[0] = new_lines(ROUNDS);
    expect(count_from(0, 0, EN | OS | 0x412e, kernel_flush_and_load), ROUNDS,
           "misses of the LLC: one a round, and none of code or page tables");
}

void test_overlap(uint32_t line_in_l2)
{
    check_pairs(line_in_l2);
    cycles_of(new_lines(11), 0, kernel_eleven);
    expect(cycles_of(new_lines(11), 0, kernel_eleven), 1 + 1 + MEMORY + 3 + MEMORY + 1 + 1,
           "cycles of eleven loads: ten overlap");
    check_chases();
    check_rounds();
}
