/* SPDX-License-Identifier: BSD-2-Clause */
/* What has to be said of a CPU before anything is measured on it. Boot CPU only. */
#ifndef BARECOUNT_BOOT_NOTES_H
#define BARECOUNT_BOOT_NOTES_H

#include "boot/store.h"

/* The CPU did not answer. */
static inline bool is_silent(enum status status)
{
    return status == STATUS_TIMEOUT || status == STATUS_START_FAILED;
}

/* Registers that are not there although CPUID promises them. */
void note_registers(struct store *store, const struct cpu_record *cpu);

/* What the test of the counters found: a line for the CPU's failures, and one for each promise. */
void note_tests(struct store *store, const struct counter_tests *tests);

#endif
