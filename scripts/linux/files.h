/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a run: kernels, event tables, the plan, and where the results go. */
#ifndef BARECOUNT_LINUX_FILES_H
#define BARECOUNT_LINUX_FILES_H

#include "kernels/chosen.h"
#include "pmu/events/tables.h"

#define PATH_BYTES        4096u
#define OFFER_MAX         2048u
#define EARLY_ERRORS_MAX  64u
#define EARLY_ERROR_BYTES 256u

/* What is wrong with files, for the console and run.json. */
extern char early_errors[EARLY_ERRORS_MAX][EARLY_ERROR_BYTES];
extern unsigned early_error_count;
void early_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory that stays, zeroed and aligned to 64; null: there is none. */
void *files_memory(size_t bytes);

/* A whole file in memory that stays, at most `most` bytes; null, with errno. */
char *files_read(const char *path, size_t most, size_t *bytes);

/* False, with errno: it is none, or cannot be read. */
bool files_is_folder(const char *path);

/* The event tables of a folder, as tables_of() wants them. */
const struct tables_port *files_events(const char *folder);

/*
 * The built-in kernels, then those of the files *.bin of a folder, in the order of their names;
 * null: none. False, after saying why: the built-in ones are damaged, or there is no such folder.
 */
bool files_kernels(const char *folder, struct kernel_offer *offer);

/*
 * Makes the folder of the next run, FOLDER/NNNN, and FOLDER itself. Returns its number; 0 with
 * errno, which is 0 when all numbers are used.
 */
unsigned files_next_run(const char *folder, char path[PATH_BYTES]);

#endif
