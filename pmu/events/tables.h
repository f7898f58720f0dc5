/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the event tables of a folder, by kind of CPU. Not reentrant. */
#ifndef BARECOUNT_PMU_EVENTS_TABLES_H
#define BARECOUNT_PMU_EVENTS_TABLES_H

#include "pmu/events/table.h"

/* Access to the folder. All calls must use the same folder. */
struct tables_port {
    const char *folder; /* for error messages */
    char separator;
    void *(*memory)(size_t bytes);     /* null if memory runs out; the memory is never freed */
    int64_t (*size)(const char *name); /* -1: no such file */
    int64_t (*read)(const char *name, void *to, size_t size);
    const char *(*error)(void); /* why the last call of size(), read() or list() failed */
    /* Returns false if the list is incomplete. A missing folder is listed as empty. */
    bool (*list)(void (*each)(void *context, const char *name, bool is_folder), void *context);
};

struct table_source {
    struct event_tables tables;
    char file[48]; /* "": index.csv lists no table */
};

/*
 * The events of a CPU, from its table and the user's own files; empty if there are too many kinds
 * of CPU. Each call passes the errors in these files to say().
 */
const struct table_source *tables_of(const struct tables_port *port, const struct cpu_caps *caps,
                                     void (*say)(void *context, const char *sentence),
                                     void *context);

#endif
