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
    char kernel[SKIPPED_NAME_BYTES]; /* name of a kernel, or of a phase (render_phase_name()) */
    uint32_t crc32;
    char file[sizeof(((struct known_kernel *)0)->file)]; /* "" if built in */
    uint32_t cpu;                                        /* CPU_NONE: not known */
    uint32_t run;                                        /* 0: not known */
    char started[sizeof(((struct run_record *)0)->started)];
    uint32_t uptime_s; /* from the machine's reset to the kernel's start; 0: not known */
    uint32_t ran_s;    /* from the run's start to the kernel's start; 0: not known */
};

struct skipped {
    struct skipped_entry entry[SKIPPED_MAX]; /* oldest first */
    unsigned entries;
    unsigned forgotten; /* number of entries dropped to make room */
};

/*
 * Parses a file's text. For each invalid line, calls say() with the line's number (from 1) and what
 * was expected.
 */
void skipped_parse(struct skipped *skipped, const char *text, size_t bytes,
                   void (*say)(void *context, unsigned line, const char *sentence), void *context);

/* False, without a new entry, if the kernel is already listed for the same run. */
bool skipped_add(struct skipped *skipped, const struct skipped_entry *entry);

/*
 * Finds an entry of another kernel whose uptime_s differs from that of `entry` by at most 10 s, or
 * returns null. If there is such an entry, a watchdog probably stopped the machine both times.
 * Ignores deaths in the first minute of a run, because two bad kernels that run so early would look
 * like a watchdog, too.
 */
const struct skipped_entry *skipped_watchdog(const struct skipped *skipped,
                                             const struct skipped_entry *entry);

/*
 * How many times the machine died in this kernel on `cpu` (CPU_NONE: any). Fewer than three deaths
 * do not count if a watchdog probably caused them. *last is the number of the last run in which the
 * machine died; 0: none, or not known.
 */
unsigned skipped_deaths(const struct skipped *skipped, const char *kernel, uint32_t crc32,
                        uint32_t cpu, uint32_t *last);

/* Writes an entry as a line of skipped.csv. */
void skipped_put(const struct skipped_entry *entry, struct out *out);

#endif
