/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores a run's records in a journal, in memory and in \barecount\results\NNNN on the results
 * volume. At the end, text files are rendered from the journal. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_STORE_STORE_H
#define BARECOUNT_BOOT_STORE_STORE_H

#include "boot/efi/files.h"
#include "pmu/files/render.h"

struct store {
    struct journal journal;
    struct render render;
    unsigned number; /* of the run, from 1 */
    uint64_t tsc_hz;
    char folder[FILE_PATH_BYTES]; /* barecount\results\NNNN */
    bool on_stick;                /* the folder exists and can be written */
    bool samples_dropped;         /* no room for samples.csv */
    bool summaries_dropped;       /* no room for the summaries (summary.txt and so on) */
    size_t written;               /* number of bytes of the journal on the stick */
    struct file file;
    char *buffer; /* of STORE_BUFFER_BYTES */
};

#define STORE_BUFFER_BYTES 65536u

/* Estimated sizes of a run. */
struct store_needs {
    size_t journal_bytes;   /* all records */
    size_t spare_bytes;     /* for one more result of the largest size */
    uint64_t text_bytes;    /* results.csv and run.json */
    uint64_t summary_bytes; /* summary.txt, summary.html, machine.txt */
    uint64_t samples_bytes; /* samples.csv */
    size_t values_max;      /* largest number of samples of a kernel in one pass */
};

static inline uint64_t store_needs_bytes(const struct store_needs *needs)
{
    return needs->journal_bytes + needs->text_bytes + needs->summary_bytes + needs->samples_bytes;
}

/*
 * Renders the last run if it was cut off, that is, if its folder contains a journal but no complete
 * run.json. If a kernel or phase was cut off, first calls killed(). Does not call killed() for a
 * run of this boot, because in that case only the volume failed, and the machine did not stop.
 */
void store_recover(struct store *store, void (*killed)(const struct cut_off *cut));

/*
 * Makes the folder of the next run on the results volume. If the volume does not accept the folder,
 * tries other volumes, and calls moved() before it tries each of them. If no volume accepts it, the
 * run stays in memory. Reports an error if the first volume does not accept the folder. After a
 * network boot without a volume, reports no error unless another volume is tried.
 */
void store_open(struct store *store, void (*moved)(void));

/*
 * Prepares a run after store_open(), and notes which files cannot be written. False: too little
 * memory for the records.
 */
bool store_start(struct store *store, const struct store_needs *needs);

/*
 * Reserves memory for the next record's payload; null: no memory. The journal may move to a larger
 * block; older pointers into it stay readable.
 */
void *store_reserve(struct store *store, size_t payload_bytes);

/* False: no memory. */
bool store_append(struct store *store, uint32_t type, const void *payload, size_t payload_bytes);

/*
 * Writes to the stick what was appended to the journal since the last call, and flushes the file.
 */
void store_sync(struct store *store);

/*
 * Renders the text files, run.json last. False: a write failed. A lack of room for samples.csv or
 * the summaries is no failure.
 */
bool store_finish(struct store *store);

/*
 * For a run whose volume failed: writes the run to the first other volume that accepts its folder,
 * under a number that is free there. moved() is as in store_open().
 */
bool store_finish_elsewhere(struct store *store, void (*moved)(void));

/*
 * Writes the notes that were made after store_finish() to journal.bin, the summaries and run.json.
 * False: a write failed.
 */
bool store_finish_notes(struct store *store);

/* A server must get results.csv first, because it marks the run's number as taken. */
enum store_order { STORE_RESULTS_FIRST, STORE_SUMMARY_FIRST };

/*
 * Renders each file of the last run into memory, and passes it to take() with its name, such as
 * "run.json". results.csv and summary.txt come first, in the given order, and run.json comes last.
 * Writes to no volume. If take() returns false, stops and returns false. It also returns false if
 * there is no run, or if a file was left out for lack of memory.
 */
bool store_hand_out(struct store *store, enum store_order order,
                    bool (*take)(void *context, const char *name, const void *bytes, size_t count),
                    void *context);

/* Changes the number and folder of the last run, and the number in its RECORD_RUN. */
void store_renumber(struct store *store, unsigned number);

/* The time in seconds since the machine's reset, by the time stamp. */
uint32_t store_uptime_s(const struct store *store);

/*
 * Records that a phase begins, because the machine may stop in it, and flushes the journal. For
 * `detail`, see struct phase.
 */
void store_phase(struct store *store, enum phase_kind kind, uint32_t cpu, uint32_t detail);

/* Appends a note (enum note_kind) and prints it. */
void store_note(struct store *store, uint32_t kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
