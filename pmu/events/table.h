/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event tables: the names of a CPU model's events, and how to select them. Tables are files in
 * \barecount\events, whose texts must stay in memory as long as the entries.
 *
 *   barecount-events,1,made from skylakex V1.37
 *   name,select,counters,fixed,flags,msr,value,description,unit
 *   MEM_INST_RETIRED.ALL_LOADS,81d0,f,,,,,All retired load instructions.,
 *   UNC_M_CAS_COUNT.RD,304,f,,,,,All DRAM read CAS commands.,imc
 *
 * Hexadecimal: select (pmu/counters/select.h), counters (bit i: general counter i can count it;
 * empty: all), msr and value (an extra register and its value). fixed: the fixed counter that can
 * also count it, or, if select is empty, the only counter that can. flags: a, taken alone; d,
 * deprecated; p, precise. unit: the kind (pmu/uncore/uncore.h) of an uncore event, to whose units
 * select, counters, msr and value then apply, without a fixed counter. This last column may be
 * missing from a file.
 * A user's own file lacks "made from" in its first line. Only in such a file is the line of column
 * names optional; there each line may have a unit or not, or be nanoBench's (`3C.00.CMSK=1.INV
 * Name`), and `for,GenuineIntel,6,55,0-4,` limits the lines that follow to CPUs selected as in
 * index.csv, until the next `for`.
 */
#ifndef BARECOUNT_PMU_EVENTS_TABLE_H
#define BARECOUNT_PMU_EVENTS_TABLE_H

#include "pmu/counters/event.h"
#include "pmu/base/csv.h"
#include "pmu/cpu/caps.h"

struct event_entry {
    struct piece name;
    struct piece description; /* see event_entry_describe() */
    uint64_t select;          /* as in struct event */
    uint64_t value;           /* of the extra register */
    uint32_t msr;             /* the extra register, or 0 */
    uint16_t counters;        /* as in struct event */
    int8_t fixed;             /* as in struct event */
    uint8_t flags;            /* EVENT_ALONE, EVENT_DEPRECATED, EVENT_PRECISE */
    uint8_t kind;             /* enum uncore_kind; KIND_NONE: a core event */
    bool has_select;          /* false: only the fixed counter counts it */
};

/* The tables of one CPU, in memory from the caller. */
struct event_tables {
    struct event_entry *entry;
    size_t room;
    size_t count;
};

/*
 * Adds a file's rows; those of a user's own file replace rows of the same name. Malformed lines are
 * reported and left out; returns how many. A file that is not an event table, or has another
 * version, is reported once, and all its lines are left out.
 */
size_t event_table_read(struct event_tables *tables, const char *text, size_t size,
                        const struct cpu_caps *caps, bool users_own,
                        const struct event_errors *errors);

/*
 * The first core event, or first uncore event, of a name, ignoring case and taking ':' for '.';
 * null if there is none.
 */
struct event_entry *event_table_find(const struct event_tables *tables, struct piece name);
struct event_entry *event_table_find_unit(const struct event_tables *tables, struct piece name);

/* Writes the description of an entry. */
void event_entry_describe(const struct event_entry *entry, struct out *out);

#endif
