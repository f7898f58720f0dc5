/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * \barecount\skipped.csv lists kernels and phases in which the machine stopped, so that later runs
 * skip them.
 */
#ifndef BARECOUNT_PMU_JOURNAL_SKIPPED_H
#define BARECOUNT_PMU_JOURNAL_SKIPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/base/out.h"
#include "pmu/journal/record.h"

#define SKIPPED_MAX    256u
#define SKIPPED_HEADER "kernel,crc32,file,cpu,run,started,uptime_s,ran_s\r\n"

#define SKIPPED_NAME_BYTES sizeof(((struct known_kernel *)0)->name)

struct skipped_entry {
    char kernel[SKIPPED_NAME_BYTES]; /* a kernel's name, or a phase's: see render_phase_name() */
    uint32_t crc32;
    char file[sizeof(((struct known_kernel *)0)->file)]; /* "" if built in */
    uint32_t cpu;                                        /* CPU_NONE: not known */
    uint32_t run;                                        /* 0: not known */
    char started[sizeof(((struct run_record *)0)->started)];
    uint32_t uptime_s; /* from the machine's reset to the kernel's start; 0: not known */
    uint32_t ran_s;    /* from the run's start to the kernel's start */
};

struct skipped {
    struct skipped_entry entry[SKIPPED_MAX]; /* oldest first */
    unsigned entries;
    unsigned forgotten; /* how many of the oldest entries were dropped to make room */
};

/*
 * Parses a file's text. Skips each invalid line, after calling say() with the number of the line
 * (from 1) and a sentence that says what was expected.
 */
void skipped_parse(struct skipped *skipped, const char *text, size_t bytes,
                   void (*say)(void *context, unsigned line, const char *sentence), void *context);

/*
 * Adds an entry. Returns false, and adds nothing, if the list already contains an entry for the
 * same kernel in the same run.
 */
bool skipped_add(struct skipped *skipped, const struct skipped_entry *entry);

/*
 * Finds an entry for another kernel or phase, with an uptime_s that differs by at most 10 s from
 * that of `entry`: a watchdog of the board then probably caused both deaths. Null if there is none.
 * Kernels and phases that began in the first minute of a run are ignored, because two bad kernels
 * in succession would look like a watchdog.
 */
const struct skipped_entry *skipped_watchdog(const struct skipped *skipped,
                                             const struct skipped_entry *entry);

/*
 * How many times the machine died in the kernel with this name and CRC on the CPU `cpu` (CPU_NONE:
 * on any CPU). If there were fewer than three deaths, deaths that a watchdog probably caused are
 * not counted. *last gets the number of the run in which the machine died last; 0 if it never died,
 * or if the number is not known.
 */
unsigned skipped_deaths(const struct skipped *skipped, const char *kernel, uint32_t crc32,
                        uint32_t cpu, uint32_t *last);

/* Writes an entry as a line of skipped.csv. */
void skipped_put(const struct skipped_entry *entry, struct out *out);

#endif
