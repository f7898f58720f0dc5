/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembered trust maps. A file of one type of CPU (its signature and microcode) says how each
 * event was counted on each counter in the last run that made a map. The first line is
 * TRUSTED_FORMAT. Each further line has six fields, separated by commas: CPU, core type, encoding,
 * counter, run and kind. Only a kind may contain a comma.
 */
#ifndef BARECOUNT_PMU_VERDICTS_TRUSTED_H
#define BARECOUNT_PMU_VERDICTS_TRUSTED_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

#define TRUSTED_FORMAT "barecount trust 1"

/* Writes the name of the file for a type of CPU, such as "trust-00050654-0b000040.txt". */
void trusted_name(uint32_t signature, uint32_t microcode, struct out *out);

/*
 * Copies the lines that apply to a CPU, without their first two fields: those of the CPU itself or,
 * if it has none, of the first CPU in the file with the same core type. False if the file does not
 * begin with TRUSTED_FORMAT.
 */
bool trusted_copy(const char *text, size_t size, uint32_t cpu, const char *core_type,
                  struct out *out);

/* A line that trusted_copy() has written. */
struct trusted {
    struct piece encoding, counter, run, kind;
};

/* Finds the line of an event (its encoding) on a counter; false: none. */
bool trusted_find(const char *lines, const char *encoding, const char *counter,
                  struct trusted *line);

#endif
