/* SPDX-License-Identifier: BSD-2-Clause */
/* Finishes a run that was cut off, by rendering its files from its journal. */
#include "boot/efi/early_notes.h"
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/store/parts.h"
#include "pmu/plan/plan.h"
#include "pmu/journal/index_file.h"
#include "pmu/journal/renew.h"
#include "pmu/journal/skipped.h"
#include "pmu/base/text.h"

#define RECOVER_VALUES_MAX (2u * PLAN_RUNS_MAX)
#define WHY_BYTES          200u

/* The file may belong to a run that was cut off. */
static void error_unread(const char *path)
{
    early_error("\\%s cannot be read: %s; if the last run was cut off, scripts/recover finishes it",
                path, files_error());
}

/* Whether there is a journal but no complete run.json, which is written last. */
static bool is_cut_off(const struct store *store, int64_t *journal_bytes)
{
    char path[FILE_PATH_BYTES], tail[RUN_JSON_END_BYTES + 1] = {0};
    bool can_tell;

    *journal_bytes = files_size(store_path(store->folder, STORE_JOURNAL, path));
    can_tell = *journal_bytes >= 0 || files_missing();
    if (*journal_bytes > 0) {
        store_path(store->folder, RUN_JSON, path);
        can_tell = files_read_tail(path, tail, RUN_JSON_END_BYTES) >= 0 || files_missing() ||
                   files_damaged(); /* the power may have been cut while run.json was written */
    }
    if (!can_tell)
        error_unread(path);
    return can_tell && *journal_bytes > 0 && !text_same(tail, RUN_JSON_END);
}

struct beginning {
    struct journal_head head;
    uint32_t schema, number; /* as in struct run_record */
};

/*
 * Whether RUN, the first record apart from notes, has reached the medium. The journal's clusters
 * are filled with zeros before RUN is written. If not even the zeros have reached the medium, the
 * clusters still contain older data.
 */
static bool is_begun(const struct store *store, const struct beginning *first)
{
    return first->head.magic == JOURNAL_MAGIC &&
           (first->head.type == RECORD_NOTE ||
            (first->head.type == RECORD_RUN && first->number == store->number));
}

/* Makes a journal of any version renderable. False: `why` has the reason. */
static bool renew_journal(struct store *store, size_t size, struct out *why)
{
    const struct renewal renewal = renew_look(store->journal.bytes, size);
    struct journal anew = {.size = renewal.bytes};
    struct tally tally;

    render_take(&store->render, store->journal.bytes, size);
    if (renewal.need == RENEW_ANEW) {
        anew.bytes = firmware_memory(renewal.bytes);
        if (!anew.bytes || !renew_write(store->journal.bytes, size, &anew)) {
            out_text(why, status_text(STATUS_NO_MEMORY));
            return false;
        }
        render_take(&store->render, anew.bytes, anew.used);
    }
    renew_why(&renewal, why);
    if (!renew_can(&renewal))
        return false;
    if (!render_tally(&store->render, &tally))
        out_text(why, "its first record is damaged");
    else if (render_number(&store->render) != store->number)
        out_printf(why, "it belongs to run %04u", render_number(&store->render));
    return why->used == 0;
}

static bool read_journal(struct store *store, const char *path, size_t size, struct out *why)
{
    int64_t count;

    if (!store_memory(store, size + sizeof(struct journal_head), RECOVER_VALUES_MAX)) {
        out_text(why, status_text(STATUS_NO_MEMORY));
        return false;
    }
    count = files_read(path, store->journal.bytes, size);
    if (count < 0) {
        out_text(why, files_error());
        return false;
    }
    store->journal.used = ((size_t)count + 7) & ~(size_t)7;
    store->render.samples_dropped = store->samples_dropped = store->summaries_dropped = false;
    return renew_journal(store, (size_t)count, why);
}

static uint64_t run_id_of(const struct render *render)
{
    return ((const struct journal_head *)render->journal)->run_id;
}

/*
 * Deletes a file whose clusters may be marked free, because other files may get the same clusters.
 */
static void drop(const char *path)
{
    if (!files_delete(path))
        early_error("\\%s could not be deleted: %s; delete it, because other files may share its "
                    "clusters",
                    path, files_error());
}

/*
 * Deletes the journal: the power failed while it was made, so its clusters may still be marked
 * free. Keeps the journal if its clusters contain other data, or if other files were rendered from
 * it.
 */
static void drop_journal_not_begun(const struct store *store, const struct beginning *first,
                                   const char *journal_path)
{
    static const char *const FILES[] = {"results.csv", "summary.txt", "summary.html", "check.txt",
                                        "machine.txt", "trust.csv",   "samples.csv",  RUN_JSON};
    bool is_ours = first->head.magic == 0 || first->head.magic == JOURNAL_MAGIC;
    char path[FILE_PATH_BYTES];

    say("! Run %04u was cut off; %s contains none of it: its first record is missing\n",
        store->number, journal_path);
    for (unsigned i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++)
        is_ours = is_ours && !files_exists(store_path(store->folder, FILES[i], path));
    if (is_ours)
        drop(journal_path);
}

/*
 * Deletes a list without entries, because the power may have failed while it was made. Only the
 * list's size shows that it has no entries, because its clusters may contain anything.
 */
static void drop_list_not_begun(const char *path, const char *header)
{
    int64_t size = files_size(path);

    if (size == 0 || size == (int64_t)text_length(header))
        drop(path);
}

/* Existing files are replaced only if the journal can be rendered. */
void store_recover(struct store *store, void (*killed)(const struct cut_off *cut))
{
    unsigned number;
    char path[FILE_PATH_BYTES];
    struct beginning first;
    char sentence[WHY_BYTES];
    struct out why = out_buffer(sentence, sizeof(sentence));
    struct cut_off cut;
    int64_t size;

    if (!store_last_number(&number))
        error_unread(STORE_RESULTS);
    if (number == 0)
        return;
    store_set_folder(store, number);
    if (!is_cut_off(store, &size))
        return;
    drop_list_not_begun(STORE_INDEX, INDEX_HEADER);
    drop_list_not_begun(FILES_SKIPPED, SKIPPED_HEADER);
    store_path(store->folder, STORE_JOURNAL, path);
    if (files_read(path, &first, sizeof(first)) == (int64_t)sizeof(first) &&
        !is_begun(store, &first)) {
        drop_journal_not_begun(store, &first, path);
        return;
    }
    if (!read_journal(store, path, (size_t)size, &why)) {
        say("! Run %04u was cut off; %s contains nothing readable: %s\n", number, path,
            out_end(&why));
        return;
    }
    if (render_cut_off(&store->render, &cut) && !store_has_begun(run_id_of(&store->render)))
        killed(&cut);
    store->on_stick = true;
    say("- Run %04u was cut off; its finished kernels are written to %s.\n", number, store->folder);
    if (store_render(store, "results.csv", render_results_csv)) {
        store_render_summaries(store);
        store_render_samples(store);
    }
    if (!store_index_has(store))
        store_index_append(store);
    store_render_run(store);
}
