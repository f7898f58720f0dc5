/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event tables: what a CPU model's events are called, and what selects them. Read from the files in
 * \barecount\events, whose texts must stay in memory as long as the entries.
 *
 *   barecount-events,1,made from skylakex V1.37
 *   name,select,counters,fixed,flags,msr,value,description,unit
 *   MEM_INST_RETIRED.ALL_LOADS,81d0,f,,,,,All retired load instructions.,
 *   UNC_M_CAS_COUNT.RD,304,f,,,,,All DRAM read CAS commands.,imc
 *
 * Hexadecimal: select (pmu/counters/select.h), counters (bit i: general counter i can count it;
 * empty: all), msr and value (an extra register and what it must hold). fixed: the number of the
 * fixed counter that counts it as well, or alone when select is empty. flags: a, taken alone; d,
 * deprecated; p, precise. unit: what counts the event outside the cores, a kind of
 * pmu/uncore/uncore.h; select, counters, msr and value are its units' then, and nothing is fixed.
 * The column, which is the last, may be missing from a file. A file of the user's own does not say
 * "made from" in its first line; in it, and only there, the line of names may be missing, each line
 * may have the unit or not, and may also be nanoBench's (`3C.00.CMSK=1.INV Name`), and
 * `for,GenuineIntel,6,55,0-4,` confines what follows to the CPUs that it describes as index.csv
 * would; `for` alone ends that.
 */
#ifndef BARECOUNT_PMU_EVENTS_TABLE_H
#define BARECOUNT_PMU_EVENTS_TABLE_H

#include "pmu/counters/event.h"
#include "pmu/base/csv.h"
#include "pmu/cpu/caps.h"

struct event_entry {
    struct piece name;
    struct piece description; /* to be shown by event_entry_describe() */
    uint64_t select;          /* as struct event's */
    uint64_t value;           /* of the extra register */
    uint32_t msr;             /* the extra register, or 0 */
    uint16_t counters;        /* as struct event's */
    int8_t fixed;             /* as struct event's */
    uint8_t flags;            /* EVENT_ALONE, EVENT_DEPRECATED, EVENT_PRECISE */
    uint8_t kind;             /* enum uncore_kind; KIND_NONE: an event of the cores */
    bool has_select;          /* false: only its fixed counter counts it */
};

/* The tables of one CPU. The caller gives the room. */
struct event_tables {
    struct event_entry *entry;
    size_t room;
    size_t count;
};

/*
 * Adds a file's rows. Those of a user's own file replace rows of the same name. A line that is not
 * as it should be is an error and left out; returns how many. A file that is no event table at
 * all, or of another version, gives one error, and all its lines are left out.
 */
size_t event_table_read(struct event_tables *tables, const char *text, size_t size,
                        const struct cpu_caps *caps, bool users_own,
                        const struct event_errors *errors);

/*
 * The first entry of a name, of any case and with ':' for '.'; null when there is none. Of events
 * of the cores; event_table_find_unit(): of those that are counted outside them.
 */
struct event_entry *event_table_find(const struct event_tables *tables, struct piece name);
struct event_entry *event_table_find_unit(const struct event_tables *tables, struct piece name);

/* The description of an entry. */
void event_entry_describe(const struct event_entry *entry, struct out *out);

#endif
