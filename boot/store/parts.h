/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the store share: the store*.c files. */
#ifndef BARECOUNT_BOOT_STORE_PARTS_H
#define BARECOUNT_BOOT_STORE_PARTS_H

#include "boot/store/store.h"

#define STORE_HOME    "barecount"
#define STORE_RESULTS FILES_RESULTS
#define STORE_JOURNAL "journal.bin"

#define RUN_JSON           "run.json"
#define RUN_JSON_END       "\n}\n" /* as json_end() leaves the outermost object */
#define RUN_JSON_END_BYTES (sizeof(RUN_JSON_END) - 1)

/* The highest number of a run on the stick; 0 for none. False: of those that could be read. */
bool store_last_number(unsigned *number);
/* That which the next run will have. */
unsigned store_next_number(void);

/* Whether a run with this journal's id began in this boot. */
bool store_has_begun(uint64_t run_id);

/* Makes a run the store's own: its number and folder. */
void store_set_folder(struct store *store, unsigned number);

/*
 * Makes the run's folder. And the one before it, when store_next_number() left its number out:
 * where a power cut lost the clusters of an empty folder to the table of those that are free, the
 * next folder gets the same, and nothing may be in that. False: files_error().
 */
bool store_make_folder(const struct store *store);

const char *store_path(const char *folder, const char *name, char path[FILE_PATH_BYTES]);

/* Notes that a file could not be written, and ends all writing: further tries only cost time. */
bool store_give_up(struct store *store, const char *what);

/* Memory for a run that needs more than the last one had. False: there is none. */
bool store_memory(struct store *store, size_t journal_bytes, size_t values_max);

/* For out_stream(): to a struct file. */
bool store_drain(void *context, const char *bytes, size_t count);

/*
 * A text file of the run; those that it can do without, each left out with a note where there is no
 * room for it; and run.json. False, after store_give_up(): it failed.
 */
bool store_render(struct store *store, const char *name,
                  bool (*render)(const struct render *render, struct out *out));
void store_render_summaries(struct store *store);
void store_render_samples(struct store *store);
bool store_render_run(struct store *store);

/*
 * Adds the run's line to results\index.csv, where that can take one; false, after store_give_up():
 * its volume failed. And whether its last lines have it already.
 */
bool store_index_append(struct store *store);
bool store_index_has(struct store *store);

#endif
