/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembered trust maps. A file for CPUs of one signature and microcode says how each event was
 * counted on each counter in the last run that made a map. Its first line is TRUSTED_FORMAT. Each
 * further line has the fields CPU, core type, ring, encoding, counter, run, "right" or "wrong", and
 * kind, separated by commas. Only a kind may contain a comma. The last line is "end" and the CRC-32
 * of all bytes before it, because a power cut may damage the file.
 */
#ifndef BARECOUNT_PMU_FILES_TRUSTED_H
#define BARECOUNT_PMU_FILES_TRUSTED_H

#include "pmu/base/piece.h"
#include "pmu/counters/event.h"
#include "pmu/counters/schedule.h"

#define TRUSTED_FORMAT     "barecount trust 1"
#define TRUSTED_LINE_BYTES 96u /* more than a usual line has */

/* Writes the name of the file for a type of CPU, such as "trust-00050654-0b000040.txt". */
void trusted_name(uint32_t signature, uint32_t microcode, struct out *out);

/* Writes the fields from the ring to the counter, each with a comma after it. */
void trusted_key(const struct event *event, const struct slot *slot, struct out *out);

/* Writes the last line. `crc` is the CRC-32 of all bytes before it. */
void trusted_end(uint32_t crc, struct out *out);

/*
 * Finds the lines that apply to a CPU: those of the CPU itself or, if it has none, of the first CPU
 * in the file with the same core type. *lines is empty if there are none. False if `text` is not a
 * whole file of this format.
 */
bool trusted_open(struct piece text, uint32_t cpu, const char *core_type, struct piece *lines);

struct trusted {
    struct piece line; /* without its end */
    struct piece rest; /* the line from the ring on */
    uint64_t cpu;
    struct piece run, kind;
    bool is_wrong;
};

/* Finds the line of an event on a counter; false: none. */
bool trusted_find(struct piece lines, const struct event *event, const struct slot *slot,
                  struct trusted *found);

#endif
