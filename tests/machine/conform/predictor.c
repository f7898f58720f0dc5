/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The predictor according to ../README.md, from its state at reset. */
#include "conform.h"

extern code kernel_pattern, kernel_nested, kernel_own_return;

#define SANDY_ON (SNB | HSW | SKL | SKX | ICX | CORE)

struct branch {
    uint8_t history;
    uint8_t counter[256]; /* each counter minus 1, as int8_t, so that all are 0 at reset */
};

struct mispredicts {
    uint64_t taken;
    uint64_t not_taken;
};

static struct branch pattern_branch, pattern_loop, nested_branch;

static void branch(struct branch *b, bool taken, struct mispredicts *sum)
{
    int state = (int8_t)b->counter[b->history] + 1;

    if ((state >= 2) != taken) {
        sum->taken += taken;
        sum->not_taken += !taken;
    }
    state += taken ? (state < 3) : -(state > 0);
    b->counter[b->history] = (uint8_t)(state - 1);
    b->history = (uint8_t)(b->history << 1 | taken);
}

/*
 * Checks how many branches are mispredicted. Except on Nehalem and Atom, also checks how many of
 * them are taken, and how many of them are conditional.
 */
static void check(const char *name, uint32_t ebx, uint32_t ebp, code *kernel,
                  struct mispredicts conditional, uint64_t others)
{
    uint32_t of_conditional = cpu.family & (ICX | CORE) ? 0x11c5 : 0x01c5;

    stop_all();
    kernel_argument[0] = ebx;
    kernel_argument[1] = ebp;
    for (int i = 0; i < 3; i++) {
        write_counter(i, 0);
    }
    select_event(0, EN | OS | 0xc5);
    select_event(1, EN | OS | 0x20c5);
    select_event(2, EN | OS | of_conditional);
    run_window(IA32_PERF_GLOBAL_CTRL, 7, kernel);
    expect(read_counter(0), conditional.taken + conditional.not_taken + others,
           "%s: mispredicted branches", name);
    if (cpu.family & SANDY_ON) {
        expect(read_counter(1), conditional.taken + others, "%s: mispredicted and taken", name);
        expect(read_counter(2), conditional.taken + conditional.not_taken,
               "%s: mispredicted and conditional", name);
    }
}

/* The call of a kernel is mispredicted unless the last call was to the same kernel. */
static void check_pattern(const char *name, uint32_t bits, uint32_t turns, bool called_before)
{
    struct mispredicts sum = {0, 0};

    for (uint32_t i = 0; i < turns; i++) {
        branch(&pattern_branch, bits >> i % 32 & 1, &sum);
        branch(&pattern_loop, i + 1 != turns, &sum);
    }
    check(name, bits, turns, kernel_pattern, sum, called_before ? 0 : 1);
}

static void check_nested(const char *name, uint32_t depth, bool called_before, uint64_t returns)
{
    struct mispredicts sum = {0, 0};

    for (uint32_t i = 1; i <= depth; i++) {
        branch(&nested_branch, i == depth, &sum);
    }
    check(name, depth, 0, kernel_nested, sum, returns + (called_before ? 0 : 1));
}

void test_predictor(void)
{
    static const struct mispredicts none = {0, 0};

    check_pattern("40 taken, from reset", 0xffffffff, 40, false);
    check_pattern("40 taken again", 0xffffffff, 40, true);
    check_pattern("40 not taken", 0, 40, true);
    check_pattern("64 in turn", 0x55555555, 64, true);
    check_pattern("64 in turn again", 0x55555555, 64, true);
    check_pattern("a period of 32", 0x9c3a51e7, 640, true);
    check_pattern("a period of 32 again", 0x9c3a51e7, 640, true);
    check_pattern("one turn", 1, 1, true);
    check_pattern("ten turns", 0x2a5, 10, true);
    check("empty: its call is new", 0, 0, kernel_empty, none, 1);
    check("empty: its call is known", 0, 0, kernel_empty, none, 0);
    check_nested("16 calls deep", 16, false, 0);
    check_nested("16 calls deep again", 16, true, 0);
    check_nested("17 calls deep: one more than returns fit", 17, true, 1);
    check_nested("20 calls deep: four more than returns fit", 20, true, 4);
    check_nested("3 calls deep", 3, true, 0);
    check("own return address: call, RET and the next RET", 0, 0, kernel_own_return, none, 3);
    check("own return address again: RET and the next RET", 0, 0, kernel_own_return, none, 2);
    stop_all();
}
