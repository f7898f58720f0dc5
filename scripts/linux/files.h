/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a run: kernels, event tables, plan, and the results' folder. */
#ifndef BARECOUNT_LINUX_FILES_H
#define BARECOUNT_LINUX_FILES_H

#include "kernels/chosen.h"
#include "pmu/events/tables.h"

#define PATH_BYTES        4096u
#define OFFER_MAX         2048u
#define EARLY_ERRORS_MAX  64u
#define EARLY_ERROR_BYTES 256u

/* Errors in files, for the console and run.json. */
extern char early_errors[EARLY_ERRORS_MAX][EARLY_ERROR_BYTES];
extern unsigned early_error_count;
void early_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Allocates zeroed memory, aligned to 64 bytes and never freed; null if there is none. */
void *files_memory(size_t bytes);

/* Reads up to `most` bytes of a file into memory from files_memory(). Null: see errno. */
char *files_read(const char *path, size_t most, size_t *bytes);

/* False if the path is not a folder, or the folder cannot be read; see errno. */
bool files_is_folder(const char *path);

/* The functions with which tables_of() reads the event tables of a folder. */
const struct tables_port *files_events(const char *folder);

/*
 * Finds the built-in kernels, then those in a folder's *.bin files, sorted by the files' names.
 * `folder` may be null. On failure, prints an error and returns false.
 */
bool files_kernels(const char *folder, struct kernel_offer *offer);

/*
 * Makes FOLDER and the folder of the next run, FOLDER/NNNN. Returns the run's number. On failure,
 * returns 0; errno is then the reason, or 0 if all numbers are in use.
 */
unsigned files_next_run(const char *folder, char path[PATH_BYTES]);

#endif
