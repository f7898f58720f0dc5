/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CMASK, INV and EDGE. SDM vol. 3B, "Architectural Performance Monitoring Version 1", fields of
 * IA32_PERFEVTSELx: CMASK is compared with the number of events in each cycle. INV inverts the
 * comparison, but is ignored if CMASK is 0. EDGE counts the changes of the comparison from false to
 * true.
 *
 * By the rules of ../README.md, windows consist of the cycles below. [n] is a cycle in which n
 * instructions retire, and [0] is a stalled cycle. [1 call] is a cycle in which only the call
 * retires. 10 [4] means ten cycles [4].
 *   nops         [1 call] 10 [4] [1 ret] [4]
 *   jcc loop     [1 call] [3] 999 [2] 15 [0] [1 ret] [4]
 *   two targets  [1 call] [4] [1] 15 [0] [2], then 19 times ([2] 15 [0] and a cycle [3] or [2]),
 *                then 15 [0] [1 ret] [4]
 */
#include "conform.h"

extern code kernel_two_targets;

#define SANDY_ON (SNB | HSW | SKL | SKX | ICX | CORE)

struct row {
    code *kernel;
    const char *name;
    uint16_t encoding;
    uint8_t families;
    uint32_t select;
    uint32_t want;
};

static const struct row rows[] = {
    {kernel_nops, "nops", 0xc0, ALL, CMASK(1), 13},
    {kernel_nops, "nops", 0xc0, ALL, CMASK(2), 11},
    {kernel_nops, "nops", 0xc0, ALL, CMASK(3), 11},
    {kernel_nops, "nops", 0xc0, ALL, CMASK(4), 11},
    {kernel_nops, "nops", 0xc0, ALL, CMASK(5), 0},
    {kernel_nops, "nops", 0xc0, ALL, CMASK(255), 0},
    {kernel_nops, "nops", 0xc0, ALL, INV, 46},
    {kernel_nops, "nops", 0xc0, ALL, INV | CMASK(1), 0},
    {kernel_nops, "nops", 0xc0, ALL, INV | CMASK(2), 2},
    {kernel_nops, "nops", 0xc0, ALL, INV | CMASK(4), 2},
    {kernel_nops, "nops", 0xc0, ALL, INV | CMASK(5), 13},
    {kernel_nops, "nops", 0xc0, ALL, EDGE | CMASK(2), 2},
    {kernel_nops, "nops", 0xc0, ALL, EDGE | CMASK(4), 2},
    {kernel_nops, "nops", 0xc0, ALL, EDGE | CMASK(5), 0},
    {kernel_nops, "nops", 0xc0, ALL, EDGE, 1}, /* one edge: the comparison is always true */
    {kernel_nops, "nops", 0xc0, ALL, EDGE | INV, 1},
    {kernel_nops, "nops", 0xc0, ALL, EDGE | CMASK(1), 1},
    {kernel_nops, "nops", 0xc0, ALL, EDGE | INV | CMASK(2), 2},
    {kernel_nops, "nops", 0x3c, ALL, CMASK(1), 13},
    {kernel_nops, "nops", 0x3c, ALL, CMASK(2), 0},
    {kernel_nops, "nops", 0xc4, ALL, CMASK(1), 2},
    {kernel_nops, "nops", 0xc4, ALL, INV | CMASK(1), 11},
    {kernel_jcc, "jcc loop", 0xc0, ALL, CMASK(1), 1003},
    {kernel_jcc, "jcc loop", 0xc0, ALL, CMASK(2), 1001},
    {kernel_jcc, "jcc loop", 0xc0, ALL, CMASK(3), 2},
    {kernel_jcc, "jcc loop", 0xc0, ALL, CMASK(4), 1},
    {kernel_jcc, "jcc loop", 0xc0, ALL, INV | CMASK(1), 15},
    {kernel_jcc, "jcc loop", 0xc0, ALL, INV | CMASK(2), 17},
    {kernel_jcc, "jcc loop", 0xc0, ALL, EDGE | CMASK(2), 2},
    {kernel_jcc, "jcc loop", 0xc0, ALL, EDGE | CMASK(4), 1},
    {kernel_jcc, "jcc loop", 0xc0, ALL, EDGE | INV | CMASK(1), 1},
    {kernel_jcc, "jcc loop", 0xc0, ALL, EDGE, 2},
    {kernel_jcc, "jcc loop", 0xc0, ALL, EDGE | CMASK(1), 2},
    {kernel_jcc, "jcc loop", 0x3c, ALL, CMASK(1), 1018},
    {kernel_jcc, "jcc loop", 0xc4, ALL, CMASK(1), 1002},
    {kernel_jcc, "jcc loop", 0xc4, ALL, CMASK(2), 0},
    {kernel_jcc, "jcc loop", 0xc4, ALL, INV | CMASK(1), 16},
    {kernel_jcc, "jcc loop", 0xc5, ALL, CMASK(1), 1},
    {kernel_jcc, "jcc loop", 0xc5, ALL, EDGE | CMASK(1), 1},
    {kernel_jcc, "jcc loop", 0x04a3, SANDY_ON, 0, 60},
    {kernel_jcc, "jcc loop", 0x04a3, SANDY_ON, CMASK(4), 15},
    {kernel_jcc, "jcc loop", 0x04a3, SANDY_ON, CMASK(5), 0},
    {kernel_two_targets, "two targets", 0xc0, ALL, INV | CMASK(1), 315},
    {kernel_two_targets, "two targets", 0xc0, ALL, EDGE | INV | CMASK(1), 21},
    {kernel_two_targets, "two targets", 0xc0, ALL, EDGE | CMASK(1), 22},
    {kernel_two_targets, "two targets", 0xc0, ALL, CMASK(1), 44},
    {kernel_two_targets, "two targets", 0xc0, ALL, CMASK(4), 2},
    {kernel_two_targets, "two targets", 0xc5, ALL, CMASK(1), 21},
    {kernel_two_targets, "two targets", 0xc5, ALL, INV | CMASK(1), 338},
};

/* In ring 3 the cycles of user_kernel are [3] 9 [2] [2] 15 [0] [1 int]. */
static void check_rings(void)
{
    expect(count(0, EN | USR | 0xc0 | CMASK(2), user_kernel), 11,
           "c0/00:cmask=2 counts cycles of ring 3 only");
    expect(count(0, EN | USR | 0xc0 | CMASK(1) | INV, user_kernel), 15,
           "c0/00:cmask=1:inv counts stalled cycles of ring 3 only");
}

void test_cycles(void)
{
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        uint32_t select = EN | OS | row->encoding | row->select;

        if (row->families & cpu.family) {
            expect(count(0, select, row->kernel), row->want, "%02x/%02x:cmask=%u%s%s over \"%s\"",
                   row->encoding & 0xffu, row->encoding >> 8, row->select >> 24,
                   row->select & INV ? ":inv" : "", row->select & EDGE ? ":edge" : "", row->name);
        }
    }
    for (const struct kernel *kernel = kernels; kernel != kernels_end; kernel++) {
        uint64_t busy = count(0, INSTRUCTIONS | CMASK(1), kernel->entry);
        uint64_t stalled = count(0, INSTRUCTIONS | CMASK(1) | INV, kernel->entry);

        expect(busy + stalled, expected(kernel->count, 1u << COL_CYCLES),
               "cmask=1 and cmask=1:inv add up to the cycles of \"%s\"", kernel->name);
    }
    check_rings();
}
