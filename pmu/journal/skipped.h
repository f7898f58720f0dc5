/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * \barecount\skipped.csv: the kernels that a machine stopped in. A line for each death,
 *
 *     kernel,crc32,file,cpu,run,started
 *
 * of which the first two say which kernel is left out; the others tell a person how it came, and
 * may be empty or missing. Lines end with LF or CR LF; empty ones and the head mean nothing.
 */
#ifndef BARECOUNT_PMU_JOURNAL_SKIPPED_H
#define BARECOUNT_PMU_JOURNAL_SKIPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/base/out.h"
#include "pmu/journal/record.h"

#define SKIPPED_MAX    256u
#define SKIPPED_HEADER "kernel,crc32,file,cpu,run,started\r\n"

struct skipped_entry {
    char kernel[sizeof(((struct known_kernel *)0)->name)];
    uint32_t crc32;
    char file[sizeof(((struct known_kernel *)0)->file)]; /* "" for a built-in one */
    uint32_t cpu;                                        /* CPU_NONE: not told */
    uint32_t run;                                        /* 0: not told */
    char started[sizeof(((struct run_record *)0)->started)];
};

struct skipped {
    struct skipped_entry entry[SKIPPED_MAX]; /* the oldest first */
    unsigned entries;
    unsigned forgotten; /* of more lines than there is room for, the oldest */
};

/*
 * Takes a file's text. A line that is not as expected is left out, and say(context, its
 * number from 1, what was expected) called.
 */
void skipped_parse(struct skipped *skipped, const char *text, size_t bytes,
                   void (*say)(void *context, unsigned line, const char *sentence), void *context);

/* Adds a death. False: it is there already, from the same run. */
bool skipped_add(struct skipped *skipped, const struct skipped_entry *entry);

/* How often a machine stopped in a kernel of this name and CRC; *last, of its last run, or 0. */
unsigned skipped_deaths(const struct skipped *skipped, const char *kernel, uint32_t crc32,
                        uint32_t *last);

/* A death as a line of the file. */
void skipped_put(const struct skipped_entry *entry, struct out *out);

#endif
