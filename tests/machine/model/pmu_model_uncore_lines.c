/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the effects of an instruction on lines, for each slice and channel, and for the match
 * register.
 */
#include "qemu/osdep.h"
#include "pmu_model_uncore.h"

/* MSR_UNCORE_ADDR_OPCODE_MATCH: Intel SDM volume 3B, "Uncore Address/Opcode Match MSR". */
#define MATCH_LINE 0xffffffffc0ull /* ADDR without the offset in a line */
#define MATCH_OPCODE_SHIFT 40
#define MATCH_SELECT_SHIFT 61
enum { SELECT_BOTH = 1, SELECT_OPCODE = 2, SELECT_ADDRESS = 4, SELECT_EITHER = 6 };

/* These opcodes are the model's own. */
enum { OPCODE_LOAD = 1, OPCODE_STORE = 2, OPCODE_WRITE_BACK = 3 };

static void tally(const PMUUncore *u, PMUTraffic *traffic, uint64_t line, unsigned event)
{
    traffic->any = true;
    traffic->count[PMU_ROW_ALL][event]++;
    if (u->slices) {
        traffic->count[PMU_ROW_SLICE + line % u->slices][event]++;
    }
    if (u->channels) {
        traffic->count[PMU_ROW_CHANNEL + u->channel[line % u->channels]][event]++;
    }
}

static void request(const PMUUncore *u, PMUTraffic *traffic, uint64_t line, unsigned opcode)
{
    uint64_t match = qatomic_read(&u->match);
    bool address = (match & MATCH_LINE) == (line * 64 & MATCH_LINE);
    bool code = extract64(match, MATCH_OPCODE_SHIFT, 8) == opcode;
    bool picked = false;

    switch (match >> MATCH_SELECT_SHIFT) {
    case SELECT_OPCODE:
        picked = code;
        break;
    case SELECT_ADDRESS:
        picked = address;
        break;
    case SELECT_EITHER:
        picked = code || address;
        break;
    case SELECT_BOTH:
        picked = code && address;
        break;
    }
    if (picked) {
        tally(u, traffic, line, PMU_MATCH);
    }
}

void pmu_uncore_line(CPUX86State *env, PMUTraffic *traffic, uint64_t line, bool store,
                     PMUFound found)
{
    const PMUUncore *u = pmu_uncore_of(env);
    unsigned event = found == PMU_MISSED        ? PMU_READ_MISS
                     : found == PMU_FOUND_DIRTY ? PMU_READ_HIT_DIRTY
                                                : PMU_READ_HIT_CLEAN;

    if (store) {
        event = found == PMU_MISSED        ? PMU_WRITE_MISS
                : found == PMU_FOUND_DIRTY ? PMU_WRITE_HIT_DIRTY
                                           : PMU_WRITE_HIT_CLEAN;
    }
    tally(u, traffic, line, event);
    traffic->stored = store;
    if (found == PMU_MISSED) {
        request(u, traffic, line, store ? OPCODE_STORE : OPCODE_LOAD);
    }
}

void pmu_uncore_line_gone(CPUX86State *env, PMUTraffic *traffic, uint64_t line, bool dirty)
{
    const PMUUncore *u = pmu_uncore_of(env);

    tally(u, traffic, line, dirty ? PMU_DIRTY_OUT : PMU_CLEAN_OUT);
    if (dirty) {
        request(u, traffic, line, OPCODE_WRITE_BACK);
    }
}
