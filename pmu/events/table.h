/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event tables in \barecount\events: the names of a CPU model's events, and how to select them.
 *
 *   barecount-events,1,made from skylakex V1.37
 *   name,select,counters,fixed,flags,msr,value,description,unit,errata
 *   BR_INST_RETIRED.FAR_BRANCH,40c4,f,,,,,Counts far branches.,,"SKL091, SKL044"
 *   MEM_INST_RETIRED.ALL_LOADS,81d0,f
 *   UNC_M_CAS_COUNT.RD,304,f,,,,,All DRAM read CAS commands.,imc
 *
 * select, counters, msr and value are hexadecimal. select: see pmu/counters/select.h. counters: bit
 * i: general counter i can count the event; empty: all can. fixed: a fixed counter that can count
 * the event; if `select` is empty, no other counter can count it. msr and value: an extra register
 * and its value. flags: a, must be counted alone; d, deprecated; o, another list of events has a
 * different encoding for this name; p, precise. unit: the kind of unit (pmu/uncore/uncore.h) of an
 * uncore event, which has no fixed counter. errata: numbers of the CPU's faults that make the count
 * doubtful, from perfmon. Empty fields at a row's end may be missing. The column `errata`, or the
 * columns `unit` and `errata`, may be missing.
 *
 * The first line of a user's own file lacks "made from". The line of column names may be missing.
 * Rows may be in nanoBench's form (`3C.00.CMSK=1.INV Name`). A line such as
 * `for,GenuineIntel,6,55,0-4,` means that the lines up to the next `for` apply only to CPUs that
 * match its fields, as in index.csv.
 */
#ifndef BARECOUNT_PMU_EVENTS_TABLE_H
#define BARECOUNT_PMU_EVENTS_TABLE_H

#include "pmu/counters/event.h"
#include "pmu/base/csv.h"
#include "pmu/cpu/caps.h"

struct event_entry {
    struct piece name;
    struct piece description; /* quotes are still doubled; see event_entry_describe() */
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

/*
 * The tables of one CPU. The entries point into the text that was read, which must stay in memory.
 */
struct event_tables {
    struct event_entry *entry;
    size_t room;
    size_t count;
};

/*
 * Adds a file's rows; a row of a user's own file replaces a row of the same name. Malformed lines
 * are reported. Returns the number of lines left out, not counting lines for other CPUs.
 */
size_t event_table_read(struct event_tables *tables, const char *text, size_t size,
                        const struct cpu_caps *caps, bool users_own,
                        const struct event_errors *errors);

/*
 * event_table_find() returns the first core event with this name, and event_table_find_unit() the
 * first uncore event. Null if there is none. Case is ignored, and ':' matches '.'.
 */
struct event_entry *event_table_find(const struct event_tables *tables, struct piece name);
struct event_entry *event_table_find_unit(const struct event_tables *tables, struct piece name);

/* Writes an entry's description; a doubled quote becomes a single one. */
void event_entry_describe(const struct event_entry *entry, struct out *out);

#endif
