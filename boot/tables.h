/* SPDX-License-Identifier: BSD-2-Clause */
/* The event tables of \barecount\events, by kind of CPU. Boot CPU only. */
#ifndef BARECOUNT_BOOT_TABLES_H
#define BARECOUNT_BOOT_TABLES_H

#include "pmu/event_table.h"

struct table_source {
    struct event_tables tables;
    char file[48]; /* the table in the folder; "" when the index has none for the CPU */
};

/*
 * The events of a CPU: its table and the user's own files, read once for each kind of CPU. What is
 * wrong with a file is said through complain(context, sentence), its name and line in front, each
 * time.
 */
const struct table_source *tables_of(const struct cpu_caps *caps,
                                     void (*complain)(void *context, const char *sentence),
                                     void *context);

#endif
