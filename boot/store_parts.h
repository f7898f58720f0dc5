/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the store share: store.c, store_paths.c and store_text.c. */
#ifndef BARECOUNT_BOOT_STORE_PARTS_H
#define BARECOUNT_BOOT_STORE_PARTS_H

#include "boot/store.h"

#define STORE_HOME    "barecount"
#define STORE_RESULTS FILES_RESULTS
#define STORE_JOURNAL "journal.bin"

/* The highest number of a run on the stick; 0 for none. */
unsigned store_last_number(void);

/* Makes a run the store's own: its number and folder. */
void store_set_folder(struct store *store, unsigned number);

const char *store_path(const char *folder, const char *name, char path[FILE_PATH_BYTES]);

/* Notes that a file could not be written, and ends all writing: further tries only cost time. */
bool store_give_up(struct store *store, const char *what);

/* Memory for a run that needs more than the last one had. False: there is none. */
bool store_memory(struct store *store, size_t journal_bytes, size_t values_max);

#endif
