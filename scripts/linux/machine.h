/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the CPUs of another machine from its machine file (docs/machine-file.md). */
#ifndef BARECOUNT_LINUX_MACHINE_H
#define BARECOUNT_LINUX_MACHINE_H

#include "pmu/cpu/other.h"

/* Whether the argument of --for names a machine file: its name ends in .txt. */
bool machine_is_file(const char *text);

/*
 * Finds a CPU of each kind of core in the file. If the file is malformed or its first CPU lacks
 * leaf 0 or 1, prints an error and returns false.
 */
bool machine_cpus_read(const char *path, struct other_cpus *found);

#endif
