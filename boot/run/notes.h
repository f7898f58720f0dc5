/* SPDX-License-Identifier: BSD-2-Clause */
/* What has to be said of a CPU before anything is measured on it. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_NOTES_H
#define BARECOUNT_BOOT_RUN_NOTES_H

#include "boot/store/store.h"

/* The CPU did not answer. */
static inline bool is_silent(enum status status)
{
    return status == STATUS_TIMEOUT || status == STATUS_START_FAILED;
}

/* Registers that are not there although CPUID promises them. */
void note_registers(struct store *store, const struct cpu_record *cpu);

/* What the test of the counters found: a line for the CPU's failures, and one for each promise. */
void note_tests(struct store *store, const struct counter_tests *tests);

/* A package: counters that somebody had left running, what its test found, what it refused. */
void note_uncore(struct store *store, const struct uncore_record *uncore);

/*
 * Behind a kernel: registers outside the cores that refused, each once in a row, or are not as they
 * were found. *refused: the sum of the addresses that were noted last; 0: none.
 */
void note_uncore_errors(struct store *store, const struct result *result, const char *name,
                        uint64_t *refused);
void note_uncore_kept(struct store *store, unsigned cpu, const struct uncore_error *error,
                      const char *when);

#endif
