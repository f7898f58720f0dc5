/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of boot/store/. */
#ifndef BARECOUNT_BOOT_STORE_PARTS_H
#define BARECOUNT_BOOT_STORE_PARTS_H

#include "boot/store/store.h"

#define STORE_HOME    "barecount"
#define STORE_RESULTS FILES_RESULTS
#define STORE_INDEX   STORE_RESULTS "\\index.csv"
#define STORE_JOURNAL "journal.bin"

#define RUN_JSON           "run.json"
#define RUN_JSON_END       "\n}\n" /* what json_end() writes last */
#define RUN_JSON_END_BYTES (sizeof(RUN_JSON_END) - 1)

/* Finds the highest run number, or 0; false: some folders could not be listed. */
bool store_last_number(unsigned *number);
/* The next run's number. */
unsigned store_next_number(void);

/* Whether the run whose journal has this ID was started since the program was booted. */
bool store_has_begun(uint64_t run_id);

/* Sets number and folder. */
void store_set_folder(struct store *store, unsigned number);

/*
 * Makes the run's folder. If store_next_number() skipped a number, first makes a folder with the
 * skipped number, and leaves it empty. The reason: after a power cut, the clusters of the last
 * folder may be marked free, so the folder that is made next may get the same clusters. False: see
 * files_error().
 */
bool store_make_folder(const struct store *store);

const char *store_path(const char *folder, const char *name, char path[FILE_PATH_BYTES]);

/* Notes which file could not be written, and ends all writing to the volume. Returns false. */
bool store_give_up(struct store *store, const char *what);

/* False: too little memory. */
bool store_memory(struct store *store, size_t journal_bytes, size_t values_max);

/* Writes to the struct file that `context` points to. */
bool store_drain(void *context, const char *bytes, size_t count);

/*
 * store_render() renders any text file of the run, and store_render_run() renders run.json. Each
 * function returns false if this or an earlier write failed; the first failed write calls
 * store_give_up(). If the volume is full, the summaries and the samples are left out, and a note
 * says so.
 */
bool store_render(struct store *store, const char *name,
                  bool (*render)(const struct render *render, struct out *out));
void store_render_summaries(struct store *store);
void store_render_samples(struct store *store);
bool store_render_run(struct store *store);

/*
 * store_index_append() adds the run to results\index.csv if that file is usable. It returns false
 * if this or an earlier write failed; the first failed write calls store_give_up().
 * store_index_has() returns whether the file lists the run.
 */
bool store_index_append(struct store *store);
bool store_index_has(struct store *store);

#endif
