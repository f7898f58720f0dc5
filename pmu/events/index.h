/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * \barecount\events\index.csv says which event table is for which CPU.
 *
 *   barecount-index,1
 *   # file,vendor,family,models,steppings,core_type
 *   skx.csv,GenuineIntel,6,55,0-4,
 *
 * The first line whose fields all match the CPU applies. Numbers are hexadecimal; family, models
 * and steppings may be lists of numbers and ranges, separated by blanks. The core type is 'core' or
 * 'atom', and may have a native model ID, as in 'core:3'. An empty field matches any CPU.
 */
#ifndef BARECOUNT_PMU_EVENTS_INDEX_H
#define BARECOUNT_PMU_EVENTS_INDEX_H

#include "pmu/base/csv.h"
#include "pmu/cpu/caps.h"

enum { FOR_VENDOR, FOR_FAMILY, FOR_MODELS, FOR_STEPPINGS, FOR_CORE_TYPE, FOR_FIELDS };

/*
 * Whether the fields match a CPU. MATCH_WRONG: a field is malformed, and an error was reported. A
 * CPU whose CPUID gives no core type is a 'core'.
 */
enum event_match { MATCH_NO, MATCH_YES, MATCH_WRONG };
enum event_match event_lines_match(const struct event_lines *lines,
                                   const struct piece field[FOR_FIELDS],
                                   const struct cpu_caps *caps);

/*
 * The file name of a CPU's table, as a piece of `text`; size 0 if there is none. Malformed lines
 * are reported and skipped.
 */
struct piece event_index_find(const char *text, size_t size, const struct cpu_caps *caps,
                              const struct event_errors *errors);

/*
 * Whether a file is the index or a table that the index names, and not a user's own table. Case is
 * ignored, as on FAT.
 */
bool event_index_names(const char *text, size_t size, const char *file);

#endif
