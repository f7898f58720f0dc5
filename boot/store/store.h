/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a run's records go: the journal in memory, and on the stick in \barecount\results\NNNN,
 * where the text files are rendered from it at the end. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_STORE_STORE_H
#define BARECOUNT_BOOT_STORE_STORE_H

#include "boot/efi/files.h"
#include "pmu/files/render.h"

struct store {
    struct journal journal;
    struct render render;
    unsigned number;              /* of this run, from 1 */
    char folder[FILE_PATH_BYTES]; /* barecount\results\NNNN */
    bool on_stick;                /* the folder is there, and nothing of it failed yet */
    bool samples_dropped;         /* there was no room for samples.csv */
    bool summaries_dropped;       /* nor for summary.txt and summary.html */
    size_t written;               /* bytes of the journal that are on the stick */
    struct file file;
    char *buffer; /* STORE_BUFFER_BYTES through which text goes to files */
};

#define STORE_BUFFER_BYTES 65536u

/* What a run is likely to take. */
struct store_needs {
    size_t journal_bytes; /* of records */
    size_t spare_bytes;   /* of memory beside them: the largest result, before it is cut to size */
    uint64_t text_bytes;  /* results.csv and run.json */
    uint64_t summary_bytes; /* summary.txt and summary.html */
    uint64_t samples_bytes; /* samples.csv */
    size_t values_max;      /* samples of a kernel in one pass */
};

/* On the volume, of all files. */
static inline uint64_t store_needs_bytes(const struct store_needs *needs)
{
    return needs->journal_bytes + needs->text_bytes + needs->summary_bytes + needs->samples_bytes;
}

/*
 * Renders the last run if it was cut off: its journal is there, its run.json is not. First calls
 * killed(what) when that was in a kernel, unless the run began in this very boot: then it was its
 * volume that failed, not the machine.
 */
void store_recover(struct store *store, void (*killed)(const struct cut_off *cut));

/*
 * Makes the folder of the next run: where results go now, or else on the first other volume that
 * takes it (files_go_elsewhere()), where moved() is called before. Which one, and why, is a
 * error (boot/efi/early_notes.h); so is that there is none: the run then is in memory alone.
 */
void store_open(struct store *store, void (*moved)(void));

/*
 * Prepares a run, behind store_open(). Says on the console what cannot be written, and goes on
 * without it. False: not even memory for the records.
 */
bool store_start(struct store *store, const struct store_needs *needs);

/*
 * Where the next record's payload goes. The journal moves to a larger block when it must (a CPU may
 * need more passes than was planned for); what was written stays readable at its old place. Null:
 * no memory.
 */
void *store_reserve(struct store *store, size_t payload_bytes);

/* Appends a record whose payload is copied. False: no memory. */
bool store_append(struct store *store, uint32_t type, const void *payload, size_t payload_bytes);

/* Writes what was appended to the journal since the last call, and flushes it. */
void store_sync(struct store *store);

/*
 * Renders the text files, run.json last. False: something could not be written; samples.csv and the
 * summaries, for which there may be no room, do not count.
 */
bool store_finish(struct store *store);

/*
 * The same on the first other volume that takes it, whole: for a run whose own volume failed in the
 * middle. Its number there is one that is free there. moved() as above.
 */
bool store_finish_elsewhere(struct store *store, void (*moved)(void));

/*
 * Behind store_finish(): notes that were appended since then, into the journal and run.json. False:
 * they are not there, and run.json may not be.
 */
bool store_finish_notes(struct store *store);

/*
 * Hands out each file of the last run as the journal makes it now, whole and in memory that is
 * given back behind each: results.csv, by which servers know a run's number; the summaries (that in
 * text before all else where it is to be first); samples.csv where it was not left out;
 * journal.bin (the records, without the room behind them); run.json last. take() gets its name, as
 * "run.json", and its bytes; false ends it. Writes to no volume. False: take() ended it, there is
 * no run, or memory was short for a file, which is said; the others are handed out all the same.
 */
bool store_hand_out(struct store *store, bool summary_first,
                    bool (*take)(void *context, const char *name, const void *bytes, size_t count),
                    void *context);

/* Gives the last run another number and folder, which its records then have too. */
void store_renumber(struct store *store, unsigned number);

/* Adds a NOTE (enum note_kind), and prints it. */
void store_note(struct store *store, uint32_t kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
