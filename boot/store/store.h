/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores a run's records in a journal, which is in memory and in \barecount\results\NNNN on the
 * results volume. At the end, text files are rendered from the journal into the run's folder. Boot
 * CPU only.
 */
#ifndef BARECOUNT_BOOT_STORE_STORE_H
#define BARECOUNT_BOOT_STORE_STORE_H

#include "boot/efi/files.h"
#include "pmu/files/render.h"

struct store {
    struct journal journal;
    struct render render;
    unsigned number; /* number of this run, from 1 */
    uint64_t tsc_hz;
    char folder[FILE_PATH_BYTES]; /* barecount\results\NNNN */
    bool on_stick;                /* the folder exists, and no write to it has failed */
    bool samples_dropped;         /* no room for samples.csv */
    bool summaries_dropped;       /* no room for a summary, check.txt or machine.txt */
    size_t written;               /* bytes of the journal on the stick */
    struct file file;
    char *buffer; /* STORE_BUFFER_BYTES, for writing files */
};

#define STORE_BUFFER_BYTES 65536u

/* Estimated sizes of a run. */
struct store_needs {
    size_t journal_bytes;   /* all records */
    size_t spare_bytes;     /* room for a result of full size, before it is truncated */
    uint64_t text_bytes;    /* results.csv and run.json */
    uint64_t summary_bytes; /* summary.txt, summary.html, machine.txt */
    uint64_t samples_bytes; /* samples.csv */
    size_t values_max;      /* largest number of samples of a kernel in one pass */
};

/* Bytes of the run's files together. */
static inline uint64_t store_needs_bytes(const struct store_needs *needs)
{
    return needs->journal_bytes + needs->text_bytes + needs->summary_bytes + needs->samples_bytes;
}

/*
 * Renders the last run if it was cut off, that is, if its folder contains a journal but no complete
 * run.json. If the run was cut off in a kernel or phase, calls killed() first. killed() is not
 * called for a run that this boot has started, because in that case the volume failed and not the
 * machine.
 */
void store_recover(struct store *store, void (*killed)(const struct cut_off *cut));

/*
 * Makes the folder of the next run on the current results volume. If the volume does not accept the
 * folder, tries other volumes (files_go_elsewhere()) and calls moved() before each. Reports an
 * error (boot/efi/early_notes.h) if another volume is used. If no volume accepts the folder, the
 * run stays in memory. This is also reported as an error, unless the program was booted over the
 * network and there is no volume.
 */
void store_open(struct store *store, void (*moved)(void));

/*
 * Prepares a run after store_open(). Notes which files cannot be written, and continues without
 * these files. False if there is not enough memory for the records.
 */
bool store_start(struct store *store, const struct store_needs *needs);

/*
 * Reserves memory for the next record's payload. The journal moves to a larger block if needed (a
 * CPU may need more passes than planned); older pointers into it stay readable. Null if there is no
 * memory.
 */
void *store_reserve(struct store *store, size_t payload_bytes);

/* Appends a record and copies its payload. False if there is no memory. */
bool store_append(struct store *store, uint32_t type, const void *payload, size_t payload_bytes);

/* Writes to the stick what was appended to the journal since the last call; flushes the file. */
void store_sync(struct store *store);

/*
 * Renders the text files, run.json last. False if a write failed. A lack of room for samples.csv or
 * the summaries does not count as a failure.
 */
bool store_finish(struct store *store);

/*
 * For a run whose volume failed: writes all of the run to the first other volume that accepts its
 * folder. The run gets a number that is free on the new volume. moved() is as in store_open().
 */
bool store_finish_elsewhere(struct store *store, void (*moved)(void));

/*
 * Adds to the journal and to run.json the notes that were appended after store_finish(). False if
 * the notes could not be written; run.json may then be missing, too.
 */
bool store_finish_notes(struct store *store);

/*
 * Which file is handed out first. A server must get results.csv first, because it marks the run's
 * number as taken.
 */
enum store_order { STORE_RESULTS_FIRST, STORE_SUMMARY_FIRST };

/*
 * Renders each file of the last run into memory and passes it to take() with its name, such as
 * "run.json": results.csv and summary.txt in the given order; summary.html; check.txt and
 * machine.txt if the run has them; samples.csv unless it was dropped; journal.bin without the
 * unused space at its end; run.json. Writes to no volume. Stops and returns false if take() returns
 * false. Also returns false if there is no run, or if a file was left out, with a message, for lack
 * of memory.
 */
bool store_hand_out(struct store *store, enum store_order order,
                    bool (*take)(void *context, const char *name, const void *bytes, size_t count),
                    void *context);

/* Changes the number and folder of the last run, and the number in its RECORD_RUN. */
void store_renumber(struct store *store, unsigned number);

/* Seconds since the machine's reset, at which the time stamp counter starts from 0. */
uint32_t store_uptime_s(const struct store *store);

/*
 * Records the phase that comes next, in which the machine may stop, and flushes the journal.
 * Kernels are recorded by records_next(). For `detail`, see struct phase.
 */
void store_phase(struct store *store, enum phase_kind kind, uint32_t cpu, uint32_t detail);

/* Appends a note (enum note_kind) and prints it. */
void store_note(struct store *store, uint32_t kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
