/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event tables: the names of a CPU model's events, and how to select them. Tables are files in
 * \barecount\events. Entries point into a file's text, which must therefore stay in memory as long
 * as the entries.
 *
 *   barecount-events,1,made from skylakex V1.37
 *   name,select,counters,fixed,flags,msr,value,description,unit,errata
 *   BR_INST_RETIRED.FAR_BRANCH,40c4,f,,,,,Counts far branches.,,"SKL091, SKL044"
 *   MEM_INST_RETIRED.ALL_LOADS,81d0,f
 *   UNC_M_CAS_COUNT.RD,304,f,,,,,All DRAM read CAS commands.,imc
 *
 * select, counters, msr and value are hexadecimal. select: see pmu/counters/select.h. counters: bit
 * i is set if general counter i can count the event; an empty field means all counters. msr and
 * value: an extra register and its value. fixed: a fixed counter that can also count the event; if
 * select is empty, only this counter can count it. flags: a, must be counted alone; d, deprecated;
 * o, another list encodes this name differently; p, precise. unit: the kind of unit
 * (pmu/uncore/uncore.h) that counts an uncore event; select, counters, msr and value then describe
 * the unit, and fixed is empty. errata: the manufacturer's numbers of faults that make the count
 * doubtful, as perfmon lists them. Empty fields at a row's end may be left out, and a file may lack
 * the column `errata`, or both `unit` and `errata`.
 *
 * A user's own file lacks "made from" in its first line and may lack the line of column names. Its
 * rows may be in nanoBench's form (`3C.00.CMSK=1.INV Name`). A line such as
 * `for,GenuineIntel,6,55,0-4,` limits all lines up to the next `for` to CPUs that the fields match,
 * as in index.csv.
 */
#ifndef BARECOUNT_PMU_EVENTS_TABLE_H
#define BARECOUNT_PMU_EVENTS_TABLE_H

#include "pmu/counters/event.h"
#include "pmu/base/csv.h"
#include "pmu/cpu/caps.h"

struct event_entry {
    struct piece name;
    struct piece description; /* see event_entry_describe() */
    struct piece errata;
    uint64_t select;   /* as in struct event */
    uint64_t value;    /* of the extra register */
    uint32_t msr;      /* the extra register, or 0 */
    uint16_t counters; /* as in struct event */
    int8_t fixed;      /* as in struct event */
    uint8_t flags;     /* EVENT_ALONE, EVENT_DEPRECATED, EVENT_OTHERWISE, EVENT_PRECISE */
    uint8_t kind;      /* enum uncore_kind; KIND_NONE: a core event */
    bool has_select;   /* false: only the fixed counter counts the event */
};

/* The tables of one CPU, in memory that the caller provides. */
struct event_tables {
    struct event_entry *entry;
    size_t room;
    size_t count;
};

/*
 * Adds a file's rows; a row of a user's own file replaces a row of the same name. Malformed lines
 * are reported and left out. Returns the number of lines left out, without lines that are for other
 * CPUs. A file that is not an event table, or has another version, is reported once, and all its
 * lines are left out.
 */
size_t event_table_read(struct event_tables *tables, const char *text, size_t size,
                        const struct cpu_caps *caps, bool users_own,
                        const struct event_errors *errors);

/*
 * The first core event (event_table_find_unit(): the first uncore event) with this name, or null.
 * Case is ignored, and ':' matches '.'.
 */
struct event_entry *event_table_find(const struct event_tables *tables, struct piece name);
struct event_entry *event_table_find_unit(const struct event_tables *tables, struct piece name);

/* Writes the description of an entry. */
void event_entry_describe(const struct event_entry *entry, struct out *out);

#endif
