/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the counts of events with the counts that the kernels declare. Sources: SDM vol. 3B,
 * "Pre-defined Architectural Performance Events" and "Fixed-Function Performance Counters"; Intel's
 * perfmon project for the other encodings and for the families that have them.
 */
#include "conform.h"

extern code kernel_long_rep, kernel_read_running, kernel_write_running;
extern volatile uint32_t running[2];

#define C(name) (1u << COL_##name)

#define CONDITIONAL  (C(TAKEN) | C(NOT_TAKEN))
#define CALLS        (C(CALL) | C(INDIRECT_CALL))
#define NEAR_TAKEN   (C(TAKEN) | C(JUMP) | C(INDIRECT) | CALLS | C(RETURN))
#define BRANCHES     (NEAR_TAKEN | C(NOT_TAKEN) | C(FAR))
#define MISP_TAKEN   (C(MISPREDICTED_INDIRECT) | C(MISPREDICTED_RETURN))
#define MISPREDICTS  (MISP_TAKEN | C(MISPREDICTED_NOT_TAKEN))
#define SKYLAKES     (SKL | SKX)
#define ICE_LAKES    (ICX | CORE)
#define SANDY_TO_SKY (SNB | HSW | SKYLAKES)
#define SANDY_ON     (SANDY_TO_SKY | ICE_LAKES)
#define BEFORE_ICE   (NHM | SANDY_TO_SKY)
#define BIG_CORES    (NHM | SANDY_ON)

struct event {
    uint16_t encoding; /* bits 15:8: unit mask; bits 7:0: event select */
    uint8_t families;
    uint8_t times;
    uint32_t columns; /* the expected count is the sum of these columns times `times` */
    const char *name;
};

static const struct event events[] = {
    {0x00c0, ALL, 1, C(INSTRUCTIONS), "instructions"},
    {0x003c, ALL, 1, C(CYCLES), "cycles"},
    {0x00c4, ALL, 1, BRANCHES, "branches"},
    {0x00c5, ALL, 1, MISPREDICTS, "mispredicted branches"},
    {0x0000, ALL, 0, 0, "nothing"},
    {0x0200, ALL, 0, 0, "nothing"}, /* in no family */
    /* TOPDOWN.SLOTS_P, UOPS_RETIRED.RETIRE_SLOTS or .SLOTS */
    {0x01a4, ICE_LAKES, 4, C(CYCLES), "slots"},
    {0x02c2, BIG_CORES, 1, C(INSTRUCTIONS), "retiring slots"},
    {0x01c0, NHM, 1, C(INSTRUCTIONS), "instructions"}, /* INST_RETIRED.ANY_P */
    /* BR_INST_RETIRED.CONDITIONAL; on Ice Lake .COND_TAKEN and .COND, on Atom .COND */
    {0x01c4, BEFORE_ICE, 1, CONDITIONAL, "conditional branches"},
    {0x01c4, ICE_LAKES, 1, C(TAKEN), "taken conditional branches"},
    {0x11c4, ICE_LAKES, 1, CONDITIONAL, "conditional branches"},
    {0x7ec4, ATOM, 1, CONDITIONAL, "conditional branches"},
    /*
     * BR_INST_RETIRED.NOT_TAKEN or .COND_NTAKEN, .NEAR_TAKEN, .NEAR_CALL, .NEAR_RETURN,
     * .FAR_BRANCH, .INDIRECT
     */
    {0x10c4, SANDY_ON, 1, C(NOT_TAKEN), "branches not taken"},
    {0x20c4, SANDY_ON, 1, NEAR_TAKEN, "near taken branches"},
    {0xc0c4, ATOM, 1, NEAR_TAKEN, "near taken branches"},
    {0x04c4, BEFORE_ICE, 1, BRANCHES, "branches"}, /* .ALL_BRANCHES */
    {0xfec4, ATOM, 1, C(TAKEN), "taken conditional branches"},
    {0x02c4, BIG_CORES, 1, CALLS, "near calls"},
    {0xf9c4, ATOM, 1, CALLS, "near calls"},
    {0x08c4, SANDY_ON, 1, C(RETURN), "near returns"},
    {0xf7c4, ATOM, 1, C(RETURN), "near returns"},
    /* On Atom: .REL_CALL, .IND_CALL, .REL_JMP, .INDIRECT_JMP, .INDIRECT */
    {0xfdc4, ATOM, 1, C(CALL), "direct near calls"},
    {0xfbc4, ATOM, 1, C(INDIRECT_CALL), "indirect near calls"},
    {0xdfc4, ATOM, 1, C(JUMP), "direct near jumps"},
    {0xefc4, ATOM, 1, C(INDIRECT), "indirect near jumps"},
    {0xebc4, ATOM, 1, C(INDIRECT) | C(INDIRECT_CALL), "near indirect jumps and calls"},
    {0x40c4, SANDY_ON, 1, C(FAR), "far branches"},
    {0xbfc4, ATOM, 1, C(FAR), "far branches"},
    {0x80c4, ICE_LAKES, 1, C(INDIRECT) | C(INDIRECT_CALL), "near indirect jumps and calls"},
    /* BR_MISP_RETIRED.CONDITIONAL or .COND, .NEAR_TAKEN */
    {0x01c5, SANDY_TO_SKY, 1, C(MISPREDICTED_NOT_TAKEN), "mispredicted conditional branches"},
    {0x11c5, ICE_LAKES, 1, C(MISPREDICTED_NOT_TAKEN), "mispredicted conditional branches"},
    {0x7ec5, ATOM, 1, C(MISPREDICTED_NOT_TAKEN), "mispredicted conditional branches"},
    {0x20c5, SANDY_ON, 1, MISP_TAKEN, "mispredicted taken branches"},
    {0x80c5, ATOM, 1, MISP_TAKEN, "mispredicted taken branches"},
    {0x04c5, SANDY_TO_SKY, 1, MISPREDICTS, "mispredicted branches"}, /* .ALL_BRANCHES */
    {0xf7c5, ATOM, 1, C(MISPREDICTED_RETURN), "mispredicted returns"},
    {0x08c5, SKYLAKES | ICE_LAKES, 1, C(MISPREDICTED_RETURN), "mispredicted returns"},
    /* MEM_INST_RETIRED: .LOADS and .STORES on Nehalem, .ALL_LOADS and .ALL_STORES on others */
    {0x010b, NHM, 1, C(LOAD), "loads"},
    {0x020b, NHM, 1, C(STORE), "stores"},
    {0x81d0, SANDY_ON | ATOM, 1, C(LOAD), "loads"},
    {0x82d0, SANDY_ON | ATOM, 1, C(STORE), "stores"},
    /*
     * MEM_LOAD_RETIRED.L1D_HIT, .L1_HIT, .L1_MISS, L1D.REPLACEMENT: in these kernels all lines hit.
     * CYCLE_ACTIVITY.STALLS_TOTAL: a misprediction causes 15 stalled cycles of 4 slots each.
     */
    {0x01cb, NHM, 1, C(LOAD), "loads that hit the L1D"},
    {0x01d1, SANDY_ON | ATOM, 1, C(LOAD), "loads that hit the L1D"},
    {0x08d1, ALL, 0, 0, "no loads that miss the L1D"},
    {0x0151, ALL, 0, 0, "no lines brought into the L1D"},
    {0x4f2e, ALL, 0, 0, "no LLC references"},
    {0x412e, ALL, 0, 0, "no LLC misses"},
    {0x04a3, SANDY_ON, 60, MISPREDICTS, "stalled slots"},
    {0x02a4, ALL, 0, 0, "no backend slots"},
};

#define EVENTS (sizeof(events) / sizeof(events[0]))

static const struct event *meaning(uint16_t encoding)
{
    static const struct event nothing = {.name = "nothing, as this CPU has no such event,"};

    for (unsigned i = 0; i < EVENTS; i++) {
        if (events[i].encoding == encoding && events[i].families & cpu.family) {
            return &events[i];
        }
    }
    return &nothing;
}

static bool seen_before(unsigned index)
{
    for (unsigned i = 0; i < index; i++) {
        if (events[i].encoding == events[index].encoding) {
            return true;
        }
    }
    return false;
}

/*
 * Without INT in the select, the model computes plain events from a table. With INT, the model
 * follows each instruction. No interrupt comes, because the LVT entry is masked.
 */
static void check_kernel(const struct kernel *kernel)
{
    static const uint8_t fixed_columns[] = {COL_INSTRUCTIONS, COL_CYCLES, COL_CYCLES, COL_CYCLES};

    for (unsigned i = 0; i < EVENTS; i++) {
        const struct event *event = meaning(events[i].encoding);
        uint64_t want = expected(kernel->count, event->columns) * event->times;
        uint32_t select = EN | OS | events[i].encoding;

        if (!seen_before(i)) {
            expect(count(0, select, kernel->entry), want, "event %02x/%02x counts %s of \"%s\"",
                   select & 0xff, select >> 8 & 0xff, event->name, kernel->name);
            expect(count(0, select | INT, kernel->entry), want,
                   "event %02x/%02x counts %s of \"%s\", with INT", select & 0xff,
                   select >> 8 & 0xff, event->name, kernel->name);
        }
    }
    for (unsigned i = 0; i < cpu.fixed; i++) {
        uint64_t want = expected(kernel->count, 1u << fixed_columns[i]) * (i == 3 ? 4 : 1);

        expect(count(FIXED(i), FIXED_OS, kernel->entry), want, "fixed counter %u over \"%s\"", i,
               kernel->name);
    }
}

/*
 * At the clock ratio after reset, event 3C/01 counts once in `bus_ratio` cycles. The event may
 * count once more for a period that began before the window.
 */
static void check_bus(const struct kernel *kernel, uint32_t with, const char *how)
{
    uint32_t cycles = (uint32_t)expected(kernel->count, C(CYCLES));
    uint64_t more = count(0, EN | OS | 0x013c | with, kernel->entry) - cycles / cpu.bus_ratio;

    expect(more <= (cycles % cpu.bus_ratio ? 1 : 0), 1, "event 3c/01 counts its clock in \"%s\"%s",
           kernel->name, how);
}

/*
 * A core cycle is base / now reference cycles. The model carries an unfinished period of the bus
 * clock over to the next window, so the total differs from the exact value by less than one count.
 */
void check_bus_rate(uint32_t now, uint32_t base)
{
    const struct kernel *kernel = kernels;
    uint64_t cycles, counted = 0;

    while (kernel->entry != kernel_jcc) {
        kernel++;
    }
    cycles = 100ull * expected(kernel->count, C(CYCLES));
    for (unsigned i = 0; i < 100; i++) {
        counted += count(0, EN | OS | 0x013c, kernel_jcc) * cpu.bus_ratio;
    }
    expect(counted * now < cycles * base + now * cpu.bus_ratio &&
               cycles * base < (counted + cpu.bus_ratio) * now,
           1, "event 3c/01 ticks once in %u reference cycles", cpu.bus_ratio);
}

void test_clock(void)
{
    for (const struct kernel *kernel = kernels; kernel != kernels_end; kernel++) {
        check_bus(kernel, 0, "");
        check_bus(kernel, INT, ", with INT");
    }
    check_bus_rate(1, 1);
}

static void check_counters(void)
{
    for (unsigned i = 1; i < cpu.gp; i++) {
        expect(count((int)i, EN | OS | 0xc4, kernel_jcc), 1002,
               "IA32_PMC%u counts branches of \"jcc loop\"", i);
    }
}

/*
 * The first RDPMC comes after 2 instructions (call xor), the second after 2 more (rdpmc mov). After
 * the WRMSR of kernel_write_running, 6 more instructions follow: nop ret, mov xor xor wrmsr.
 */
static void check_running(uint32_t with, const char *how)
{
    count_from(0, 0, INSTRUCTIONS | with, kernel_read_running);
    expect(running[0], 2, "RDPMC reads a counter that runs%s", how);
    expect(running[1], 2 + 2, "RDPMC does not stop the counter%s", how);
    expect(count_from(0, 0, INSTRUCTIONS | with, kernel_write_running), 100 + 6,
           "a counter that is written while it runs continues from there%s", how);
    expect(count(0, INSTRUCTIONS | with, kernel_long_rep), 4 + 5,
           "70000 rounds of a REP string instruction are one%s", how);
}

void test_counting(void)
{
    check_running(0, "");
    check_running(INT, ", with INT");
    for (const struct kernel *kernel = kernels; kernel != kernels_end; kernel++) {
        check_kernel(kernel);
    }
    check_counters();
    test_clock();
}

/*
 * user_kernel executes 9 instructions in ring 0: mov push push push | push push iretd | mov ret |.
 * In ring 3, user_kernel executes 24 instructions: mov dec jnz | 9 (dec jnz |) dec jnz, 15 stalled
 * | int |. Each | ends a cycle.
 */
void test_rings(void)
{
    static const struct row {
        const char *name;
        uint32_t select;
        uint64_t want;
    } rows[] = {
        {"USR alone counts instructions of ring 3", EN | USR | 0xc0, 24},
        {"USR alone counts branches of ring 3", EN | USR | 0xc4, 12},
        {"USR alone counts cycles of ring 3", EN | USR | 0x3c, 27},
        {"OS alone counts instructions of ring 0", EN | OS | 0xc0, 9 + 5},
        {"OS alone counts cycles of ring 0", EN | OS | 0x3c, 3 + 2},
        {"OS and USR count both", EN | OS | USR | 0xc0, 9 + 5 + 24},
        {"OS and USR count the cycles of both", EN | OS | USR | 0x3c, 27 + 3 + 2},
        {"with neither OS nor USR nothing counts", EN | 0xc0, 0},
        {"without EN nothing counts", OS | USR | 0xc0, 0},
    };
    static const struct row faults[] = {
        {"a fault in ring 3: instructions of ring 3", EN | USR | 0xc0, 3},
        {"a fault in ring 3: cycles of ring 3", EN | USR | 0x3c, 2},
        {"a fault in ring 3: instructions of ring 0", EN | OS | 0xc0, 11 + 5},
        {"a fault in ring 3: cycles of ring 0", EN | OS | 0x3c, 4 + 2},
    };
    static const uint64_t fixed_rings[] = {0, 9 + 5, 24, 9 + 5 + 24};

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        expect(count(0, rows[i].select, user_kernel), rows[i].want, "%s", rows[i].name);
        expect(count(0, rows[i].select | INT, user_kernel), rows[i].want, "%s, with INT",
               rows[i].name);
    }
    for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        expect(count(0, faults[i].select, user_fault_kernel), faults[i].want, "%s", faults[i].name);
    }
    expect(count(0, EN | USR | 0xc0, kernel_empty), 0, "USR alone counts nothing of ring 0");
    for (uint32_t i = 0; i < 4 && cpu.fixed; i++) {
        expect(count(FIXED(0), i, user_kernel), fixed_rings[i],
               "fixed counter 0 with %u in its ring field", i);
    }
}
