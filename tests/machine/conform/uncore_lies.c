/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lies of pmu-uncore= for each kind of uncore, and energy counters with pmu-energy-start. */
#include "uncore.h"

enum { OFF = 1, STUCK, SILENT, LEFT_RUNNING, FROZEN, RUNS, NO_ENABLE, LOCKED }; /* the argument */

#define LINES 17u

struct unit {
    uint8_t families;
    uint32_t select, counter, global;
    uint64_t on, off; /* values of the global register */
    uint32_t event;   /* LLC lookups; in a CHA, TOR inserts that hit */
    uint32_t left;    /* the event of the select that firmware leaves enabled */
    uint32_t other;   /* an MSR that pmu-uncore=locked leaves writable */
    const char *name;
};

static const struct unit units[] = {
    {NHM, 0x3c0, 0x3b0, 0x391, 3, 0, 0x0103, 0x0140, 0x395, "Nehalem"},
    {HSW, 0x700, 0x706, 0x391, BIT(29), 0, 0x8f34, 0x4122, 0x3b2, "CBo"},
    {SKX, 0xe01, 0xe08, 0xe00, 0, BIT(8), 0x1135, 0x0050, 0x703, "CHA"},
};

static const struct unit *unit;
static uint32_t place;

/* EN is set for counter 0; if `enabled`, also for counter 1. */
static void count_both(uint64_t value, bool enabled, bool on, uint64_t got[2])
{
    wrmsr(unit->global, unit->off);
    for (uint32_t i = 0; i < 2; i++) {
        wrmsr(unit->counter + i, value);
        wrmsr(unit->select + i, (i == 0 || enabled ? UNCORE_EN : 0) | unit->event);
    }
    kernel_argument[0] = place | LOG2_L2_SPAN;
    kernel_argument[1] = LINES;
    wrmsr(unit->global, on ? unit->on : unit->off);
    run_window(IA32_PERF_GLOBAL_CTRL, 0, kernel_read_lines);
    wrmsr(unit->global, unit->off);
    for (uint32_t i = 0; i < 2; i++) {
        wrmsr(unit->select + i, 0);
        got[i] = rdmsr(unit->counter + i);
    }
}

static void expect_both(uint64_t first, uint64_t second, const uint64_t got[2], const char *name)
{
    expect(got[0], first, "\"%s\": %s: counter 0", unit->name, name);
    expect(got[1], second, "\"%s\": %s: counter 1", unit->name, name);
}

static void test_off_uncore(void)
{
    uint64_t value = 1;

    expect(try_rdmsr(unit->global, &value), 1, "\"%s\": off: the control raises #GP", unit->name);
    expect(try_wrmsr(unit->counter, 0), 1, "\"%s\": off: a counter raises #GP", unit->name);
}

static void test_left(void)
{
    expect(rdmsr(unit->select), UNCORE_EN | unit->left, "\"%s\": left running: select", unit->name);
    expect(rdmsr(unit->global), unit->on & 0x20000001, "\"%s\": left running: control", unit->name);
    expect(rdmsr(unit->select + 1), 0, "\"%s\": left running: the next select", unit->name);
}

static void test_locked(void)
{
    uint64_t value;

    expect(try_wrmsr(unit->select, 0), 1, "\"%s\": locked: a select raises #GP", unit->name);
    expect(try_rdmsr(unit->select, &value), 0, "\"%s\": locked: a select is read", unit->name);
    expect(try_wrmsr(unit->counter, 5), 0, "\"%s\": locked: a counter is written", unit->name);
    expect(try_wrmsr(unit->other, 0), 0, "\"%s\": locked: another MSR is written", unit->name);
}

void test_uncore_lie(void)
{
    uint64_t got[2];

    for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        unit = units[i].families & cpu.family ? &units[i] : unit;
    }
    if (chosen_counter == OFF) {
        test_off_uncore();
        return;
    }
    if (chosen_counter == LOCKED) {
        test_locked();
        return;
    }
    if (chosen_counter == LEFT_RUNNING) {
        test_left();
    }
    place = (quiet_line(FIELD(12)) & ~(4 * LINE - 1)) + 64 * LINE; /* slice 0 */
    for (int i = 0; i < 4; i++) {
        walk_lines(place, LOG2_L2_SPAN, LINES, kernel_read_lines);
        count_both(0, true, true, got);
    }
    count_both(100, true, true, got);
    switch (chosen_counter) {
    case STUCK:
        expect_both(100, 100 + LINES, got, "stuck");
        break;
    case SILENT:
        expect_both(0, 0, got, "silent");
        wrmsr(unit->select, unit->event);
        expect(rdmsr(unit->select), unit->event, "\"%s\": silent: a select is kept", unit->name);
        break;
    case FROZEN:
        expect_both(100, 100, got, "frozen");
        wrmsr(unit->global, unit->on);
        expect(rdmsr(unit->global), unit->off, "\"%s\": frozen: a write does not start it",
               unit->name);
        break;
    default:
        expect_both(100 + LINES, 100 + LINES, got, "counts");
        break;
    }
    if (chosen_counter == RUNS || chosen_counter == NO_ENABLE || chosen_counter == LEFT_RUNNING) {
        bool runs = chosen_counter == RUNS, no_enable = chosen_counter == NO_ENABLE;

        count_both(0, true, false, got);
        expect_both(runs ? LINES : 0, runs ? LINES : 0, got, "stopped as a whole");
        count_both(0, false, true, got);
        expect_both(LINES, no_enable ? LINES : 0, got, "counter 1 not enabled");
    }
    wrmsr(unit->global, unit->off);
    stop_all();
}

/*
 * The argument is the expected value of bit 31, the counters' highest bit. The machine uses too
 * little energy during the test to set this bit.
 */
void test_energy_start(void)
{
    static const uint32_t counters[] = {0x611, 0x619, 0x639, 0x641};

    for (unsigned i = 0; i < 4; i++) {
        uint64_t value;

        if (!try_rdmsr(counters[i], &value)) {
            expect(value >> 31, (uint32_t)chosen_counter, "MSR %xh: its highest bit", counters[i]);
        }
    }
}
