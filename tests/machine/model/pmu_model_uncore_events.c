/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodings of uncore events by kind of unit. OUTSIDE.md lists them. */
#include "qemu/osdep.h"
#include "pmu_model_uncore.h"

#define E(event) (1u << PMU_##event)
#define READ_HITS (E(READ_HIT_CLEAN) | E(READ_HIT_DIRTY))
#define WRITE_HITS (E(WRITE_HIT_CLEAN) | E(WRITE_HIT_DIRTY))
#define MISSES (E(READ_MISS) | E(WRITE_MISS))
#define READS (READ_HITS | E(READ_MISS))
#define WRITES (WRITE_HITS | E(WRITE_MISS))
#define LOOKUPS (READS | WRITES)

enum { ALL, SLICE, CHANNELS };

/* Each bit of the unit mask adds its own events. For CHANNELS, bits 0 to 2 choose channels. */
typedef struct Event {
    uint8_t code;
    uint8_t where;
    uint16_t by_bit[8];
} Event;

static const Event nehalem[] = {
    { 0x01, ALL, { E(TRACKER_BUSY) } },                /* UNC_GQ_CYCLES_NOT_EMPTY */
    { 0x02, ALL, { E(TRACKED) } },                     /* UNC_GQ_OCCUPANCY */
    { 0x03, ALL, { LOOKUPS, MISSES } },                /* UNC_GQ_ALLOC */
    { 0x08, ALL, { READ_HITS, WRITE_HITS } },          /* UNC_LLC_HITS */
    { 0x09, ALL, { E(READ_MISS), E(WRITE_MISS) } },    /* UNC_LLC_MISS */
    { 0x0a, ALL, { E(WRITE_MISS), E(READ_MISS) } },    /* UNC_LLC_LINES_IN: M, E */
    { 0x0b, ALL, { E(DIRTY_OUT), E(CLEAN_OUT) } },     /* UNC_LLC_LINES_OUT: M, E */
    { 0x20, ALL, { [4] = MISSES, [5] = E(DIRTY_OUT) } }, /* UNC_QHL_REQUESTS: local */
    { 0x2c, CHANNELS, { MISSES, MISSES, MISSES } },    /* UNC_QMC_NORMAL_READS */
    { 0x2f, CHANNELS, { E(DIRTY_OUT), E(DIRTY_OUT), E(DIRTY_OUT) } }, /* UNC_QMC_WRITES.FULL */
    { 0x35, ALL, { [2] = E(MATCH) } },                 /* UNC_ADDR_OPCODE_MATCH.LOCAL */
    { 0 },
};

static const Event arb[] = {
    { 0x80, ALL, { E(MEMORY_PENDING) } },              /* UNC_ARB_TRK_OCCUPANCY.ALL */
    { 0x81, ALL, { MISSES | E(DIRTY_OUT), E(READ_MISS), [5] = E(DIRTY_OUT),
                   [7] = E(DIRTY_OUT) } },             /* UNC_ARB_TRK_REQUESTS */
    { 0 },
};

static const Event imc[] = {
    { 0x04, SLICE, { MISSES, [2] = E(DIRTY_OUT) } },   /* UNC_M_CAS_COUNT: RD_REG, WR_WMM */
    { 0 },
};

static PMUSum sum_of(uint8_t row, uint16_t events)
{
    return (PMUSum){ events != 0, { { row, events } } };
}

static PMUSum find(const Event *e, uint8_t row, uint8_t code, uint8_t umask)
{
    PMUSum sum = { 0 };
    uint16_t events = 0;

    while (e->code && e->code != code) {
        e++;
    }
    for (int bit = 0; bit < 8; bit++) {
        if (umask >> bit & 1 && e->where == CHANNELS && e->by_bit[bit]) {
            sum.part[sum.parts++] = (PMUPart){ PMU_ROW_CHANNEL + bit, e->by_bit[bit] };
        } else if (umask >> bit & 1) {
            events |= e->by_bit[bit];
        }
    }
    return sum.parts ? sum : sum_of(e->where == SLICE ? row : PMU_ROW_ALL, events);
}

/*
 * UNC_CBO_CACHE_LOOKUP: bits 0 to 3 of the unit mask are states (M, E, S, I), and bits 4 to 7 are
 * requests.
 */
static uint16_t cbo_lookups(uint8_t umask)
{
    uint16_t asked = (umask & 0x10 ? READS : 0) | (umask & 0x20 ? WRITES : 0) |
                     (umask & 0x80 ? LOOKUPS : 0);
    uint16_t found = (umask & 1 ? E(READ_HIT_DIRTY) | E(WRITE_HIT_DIRTY) : 0) |
                     (umask & 2 ? E(READ_HIT_CLEAN) | E(WRITE_HIT_CLEAN) : 0) |
                     (umask & 8 ? MISSES : 0);

    return asked & found;
}

/* UNC_CHA_LLC_LOOKUP. Filter 0 selects states: bit 17 is I, bit 22 is E, and bit 23 is M. */
static uint16_t cha_lookups(uint8_t umask, uint32_t filter)
{
    uint16_t asked = (umask & 2 ? READS : 0) | (umask & 4 ? WRITES : 0) |
                     (umask & 0x10 ? LOOKUPS : 0);
    uint16_t found = (filter >> 17 & 1 ? MISSES : 0) |
                     (filter >> 22 & 1 ? E(READ_HIT_CLEAN) | E(WRITE_HIT_CLEAN) : 0) |
                     (filter >> 23 & 1 ? E(READ_HIT_DIRTY) | E(WRITE_HIT_DIRTY) : 0);

    return umask & 1 ? asked & found : 0;
}

/*
 * UNC_CHA_TOR_INSERTS: requests of cores (bit 0 of the unit mask) that hit (bit 4) or miss (bit 5).
 * Filter 1 must let the requests pass: it needs bits 1 (local) and 5 (not near memory), and also
 * bit 3 (all opcodes) or the requests' opcode in bits 18:9 or 28:19.
 */
static uint16_t tor_inserts(uint8_t umask, uint32_t filter)
{
    enum { OPCODE_RFO = 0x200, OPCODE_DRD = 0x202 };
    uint32_t first = extract32(filter, 9, 10), second = extract32(filter, 19, 10);
    uint16_t asked = (umask & 0x10 ? READ_HITS | WRITE_HITS : 0) | (umask & 0x20 ? MISSES : 0);
    uint16_t passed = (first == OPCODE_DRD || second == OPCODE_DRD ? READS : 0) |
                      (first == OPCODE_RFO || second == OPCODE_RFO ? WRITES : 0);

    if (filter >> 3 & 1) {
        passed = LOOKUPS;
    }
    return umask & 1 && filter >> 1 & 1 && filter >> 5 & 1 ? asked & passed : 0;
}

static PMUSum cha_sum(const PMUUnit *unit, uint8_t code, uint8_t umask)
{
    uint8_t row = PMU_ROW_SLICE + unit->index;

    switch (code) {
    case 0x00: /* UNC_CHA_CLOCKTICKS */
        return sum_of(PMU_ROW_ALL, E(CLOCK));
    case 0x34:
        return sum_of(row, cha_lookups(umask, unit->filter[0]));
    case 0x35:
        return sum_of(row, tor_inserts(umask, unit->filter[1]));
    default:
        return sum_of(row, 0);
    }
}

PMUSum pmu_uncore_sum(const PMUUnit *unit, uint32_t select)
{
    uint8_t code = select, umask = select >> 8;

    switch (unit->kind) {
    case PMU_UNIT_NEHALEM:
        return find(nehalem, PMU_ROW_ALL, code, umask);
    case PMU_UNIT_CBO:
        return sum_of(PMU_ROW_SLICE + unit->index, code == 0x34 ? cbo_lookups(umask) : 0);
    case PMU_UNIT_ARB:
        return find(arb, PMU_ROW_ALL, code, umask);
    case PMU_UNIT_CHA:
        return cha_sum(unit, code, umask);
    default:
        return code == 0 ? sum_of(PMU_ROW_ALL, E(CLOCK)) /* UNC_M_CLOCKTICKS */
                         : find(imc, PMU_ROW_CHANNEL + unit->index, code, umask);
    }
}
