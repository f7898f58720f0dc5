/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * \barecount\events\index.csv: which event table is for which CPU.
 *
 *   barecount-index,1
 *   # file,vendor,family,models,steppings,core_type
 *   skx.csv,GenuineIntel,6,55,0-4,
 *
 * Numbers are hexadecimal, in lists separated by blanks, or ranges; an empty field is for any CPU.
 * The first line that is for a CPU holds.
 */
#ifndef BARECOUNT_PMU_EVENTS_INDEX_H
#define BARECOUNT_PMU_EVENTS_INDEX_H

#include "pmu/base/csv.h"
#include "pmu/cpu/caps.h"

/* The five fields that say which CPUs something is for, as in index.csv. */
enum { FOR_VENDOR, FOR_FAMILY, FOR_MODELS, FOR_STEPPINGS, FOR_CORE_TYPE, FOR_FIELDS };

/*
 * Whether they are for this CPU. MATCH_WRONG: a field is not what was expected, which is an
 * error. A CPU that is not hybrid counts as a core, not as an atom.
 */
enum event_match { MATCH_NO, MATCH_YES, MATCH_WRONG };
enum event_match event_lines_match(const struct event_lines *lines,
                                   const struct piece field[FOR_FIELDS],
                                   const struct cpu_caps *caps);

/*
 * The file name of a CPU's table, a piece of the text; of size 0 when the index has none. Lines
 * that are not as they should be are errors, all of them, and left out.
 */
struct piece event_index_find(const char *text, size_t size, const struct cpu_caps *caps,
                              const struct event_errors *errors);

/*
 * Whether a file is the index itself or the table of some CPU, whatever its case: FAT has none. Any
 * other file of the folder is the user's own.
 */
bool event_index_names(const char *text, size_t size, const char *file);

#endif
