/* SPDX-License-Identifier: BSD-2-Clause */
/* The event tables of a folder, by kind of CPU. One caller at a time. */
#ifndef BARECOUNT_PMU_EVENTS_TABLES_H
#define BARECOUNT_PMU_EVENTS_TABLES_H

#include "pmu/events/table.h"

/* The folder. The same one each time: what was read is kept. */
struct tables_port {
    const char *folder;                /* as errors name it */
    char separator;                    /* between it and a file of it */
    void *(*memory)(size_t bytes);     /* null: there is none; what it gives stays */
    int64_t (*size)(const char *name); /* of a file there; -1: there is no such file */
    int64_t (*read)(const char *name, void *to, size_t size);
    const char *(*error)(void); /* why the last of these failed */
    /* False: not all that is there; a folder that is not there holds nothing. */
    bool (*list)(void (*each)(void *context, const char *name, bool is_folder), void *context);
};

struct table_source {
    struct event_tables tables;
    char file[48]; /* the table in the folder; "" when the index has none for the CPU */
};

/*
 * The events of a CPU: its table and the user's own files, read once for each kind of CPU. What is
 * wrong with a file is said through say(context, sentence), its name and line in front, each
 * time.
 */
const struct table_source *tables_of(const struct tables_port *port, const struct cpu_caps *caps,
                                     void (*say)(void *context, const char *sentence),
                                     void *context);

#endif
