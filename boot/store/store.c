/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the journal of a run in memory and on the volume. */
#include "boot/efi/console.h"
#include "boot/cpu/instructions.h"
#include "boot/efi/firmware.h"
#include "boot/store/parts.h"

#define BEGUN_MAX 64u

/*
 * After a failure nothing more is done on the volume, because a driver may take a minute to fail
 * again.
 */
bool store_give_up(struct store *store, const char *what)
{
    if (store->on_stick)
        store_note(store, NOTE_ERROR, "%s\\%s could not be written: %s", store->folder, what,
                   files_error());
    store->on_stick = false;
    if (files_full())
        file_close(&store->file);
    store->file.handle = 0;
    return false;
}

/* If the memory of the last run is too small, allocates more, and does not free the old memory. */
bool store_memory(struct store *store, size_t journal_bytes, size_t values_max)
{
    if (!store->buffer)
        store->buffer = firmware_memory(STORE_BUFFER_BYTES);
    if (store->journal.size < journal_bytes) {
        store->journal.bytes = firmware_memory(journal_bytes);
        store->journal.size = store->journal.bytes ? journal_bytes : 0;
    }
    if (store->render.scratch_count < values_max) {
        store->render.scratch = firmware_memory(values_max * sizeof(*store->render.scratch));
        store->render.scratch_count = store->render.scratch ? values_max : 0;
    }
    return store->buffer && store->journal.bytes && store->render.scratch;
}

/* Allocates all of the journal's clusters, so that later writes do not change the allocation. */
static bool preallocate(struct store *store, size_t bytes)
{
    char path[FILE_PATH_BYTES];

    for (size_t i = 0; i < STORE_BUFFER_BYTES; i++)
        store->buffer[i] = 0;
    if (!file_create(&store->file, store_path(store->folder, STORE_JOURNAL, path)))
        return false;
    for (size_t done = 0; done < bytes; done += STORE_BUFFER_BYTES)
        if (!file_write(&store->file, store->buffer, STORE_BUFFER_BYTES))
            return false;
    return file_flush(&store->file);
}

/*
 * If the volume is full, continues without a journal, because the results may fit at the end of the
 * run.
 */
static void drop_journal(struct store *store)
{
    if (!files_full()) {
        store_give_up(store, STORE_JOURNAL);
        return;
    }
    store_note(store, NOTE_ERROR,
               "%s\\%s could not be written: %s. A power cut would lose this run", store->folder,
               STORE_JOURNAL, files_error());
    file_delete(&store->file);
    store->samples_dropped = true;
}

static void start_on_stick(struct store *store, const struct store_needs *needs)
{
    uint64_t have = files_free(), need = needs->journal_bytes + needs->text_bytes;

    store->summaries_dropped = have < need + needs->summary_bytes;
    store->samples_dropped = have < store_needs_bytes(needs);
    if (store->samples_dropped)
        store_note(store, NOTE_ERROR,
                   "the volume has %llu KiB free, samples.csv would need %llu: it is left out; "
                   "delete old results, or make a larger stick (make usb SIZE_MIB=)",
                   (unsigned long long)(have >> 10),
                   (unsigned long long)(store_needs_bytes(needs) >> 10));
    if (store->summaries_dropped)
        store_note(store, NOTE_ERROR,
                   "the volume has %llu KiB free, summary.txt and summary.html would need %llu: "
                   "they are left out",
                   (unsigned long long)(have >> 10),
                   (unsigned long long)((need + needs->summary_bytes) >> 10));
    if (!preallocate(store, needs->journal_bytes))
        drop_journal(store);
}

/* Journal IDs of the latest runs of this boot. */
static struct {
    uint64_t run_id[BEGUN_MAX];
    unsigned count; /* number of all runs of this boot */
} begun;

bool store_has_begun(uint64_t run_id)
{
    for (unsigned i = 0; i < begun.count && i < BEGUN_MAX; i++)
        if (begun.run_id[i] == run_id)
            return true;
    return false;
}

/* Deletes the run's folder: the run has no records, and an empty folder would confuse users. */
static void drop_folder(struct store *store)
{
    if (store->on_stick)
        files_delete(store->folder);
    store->on_stick = false;
}

bool store_start(struct store *store, const struct store_needs *needs)
{
    store->journal.used = 0;
    store->journal.sequence = 0;
    store->journal.run_id = cpu_tsc();
    store->written = 0;
    store->samples_dropped = store->summaries_dropped = false;
    if (!store_memory(store, needs->journal_bytes + needs->spare_bytes, needs->values_max)) {
        drop_folder(store);
        return false;
    }
    begun.run_id[begun.count++ % BEGUN_MAX] = store->journal.run_id;
    if (store->on_stick)
        start_on_stick(store, needs);
    return true;
}

void *store_reserve(struct store *store, size_t payload_bytes)
{
    struct journal *journal = &store->journal;
    size_t size = 2 * (journal->used + JOURNAL_BYTES(payload_bytes));
    void *payload = journal_reserve(journal, payload_bytes);
    char *bytes;

    if (payload)
        return payload;
    bytes = firmware_memory(size);
    if (!bytes) {
        size /= 2; /* enough for this record, but not for later ones */
        bytes = firmware_memory(size);
    }
    if (!bytes)
        return 0;
    for (size_t i = 0; i < journal->used; i++)
        bytes[i] = journal->bytes[i];
    journal->bytes = bytes;
    journal->size = size;
    return journal_reserve(journal, payload_bytes);
}

bool store_append(struct store *store, uint32_t type, const void *payload, size_t payload_bytes)
{
    return store_reserve(store, payload_bytes) &&
           journal_append(&store->journal, type, payload, payload_bytes);
}

/* The journal on the volume ends as if the machine had stopped: see boot/plan/skipped.h. */
static void warn_of_blame(struct store *store)
{
    store_note(
        store, NOTE_REMARK,
        "no file there can record that the machine went on, so the next boot from that volume "
        "may blame the kernel or phase that ran last. In that case delete its line in "
        "\\" FILES_SKIPPED);
}

void store_sync(struct store *store)
{
    size_t count = store->journal.used - store->written;

    if (!store->on_stick || !store->file.handle || count == 0)
        return;
    if (file_seek(&store->file, store->written) &&
        file_write(&store->file, store->journal.bytes + store->written, count) &&
        file_flush(&store->file)) {
        store->written = store->journal.used;
        return;
    }
    store_give_up(store, STORE_JOURNAL);
    if (store->written > 0)
        warn_of_blame(store);
}

uint32_t store_uptime_s(const struct store *store)
{
    return (uint32_t)(cpu_tsc() / store->tsc_hz);
}

void store_phase(struct store *store, enum phase_kind kind, uint32_t cpu, uint32_t detail)
{
    const struct phase phase = {
        .kind = kind, .cpu = cpu, .detail = detail, .uptime_s = store_uptime_s(store)};

    store_append(store, RECORD_PHASE, &phase, sizeof(phase));
    store_sync(store);
}

void store_note(struct store *store, uint32_t kind, const char *format, ...)
{
    struct note note = {.kind = kind};

    OUT_FORMAT(note.text, sizeof(note.text), format);
    console_progress_end();
    say("%s %s\n", kind == NOTE_ERROR ? "!" : "-", note.text);
    store_append(store, RECORD_NOTE, &note, sizeof(note));
}
