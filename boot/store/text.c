/* SPDX-License-Identifier: BSD-2-Clause */
/* Renders a run's text files. */
#include "boot/efi/console.h"
#include "boot/store/parts.h"
#include "pmu/files/machine_file.h"
#include "pmu/report/report.h"

bool store_render(struct store *store, const char *name,
                  bool (*render)(const struct render *render, struct out *out))
{
    char path[FILE_PATH_BYTES];
    struct file file;
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, store_drain, &file);
    bool ok;

    if (!store->on_stick)
        return false;
    ok = file_create(&file, store_path(store->folder, name, path)) &&
         render(&store->render, &out) && file_flush(&file);
    if (ok || files_full())
        file_close(&file);
    return ok || store_give_up(store, name);
}

struct ending {
    struct file file;
    char bytes[RUN_JSON_END_BYTES];
    size_t held;
};

static bool put(struct ending *ending, const char *bytes, size_t count)
{
    return count == 0 || file_write(&ending->file, bytes, count);
}

static bool drain_but_end(void *context, const char *bytes, size_t count)
{
    struct ending *ending = context;
    size_t keep = count < RUN_JSON_END_BYTES ? count : RUN_JSON_END_BYTES;
    size_t all = ending->held + keep;
    size_t over = all > RUN_JSON_END_BYTES ? all - RUN_JSON_END_BYTES : 0;

    if (!put(ending, ending->bytes, over) || !put(ending, bytes, count - keep))
        return false;
    ending->held -= over;
    for (size_t i = 0; i < ending->held; i++)
        ending->bytes[i] = ending->bytes[i + over];
    for (size_t i = 0; i < keep; i++)
        ending->bytes[ending->held++] = bytes[count - keep + i];
    return true;
}

/*
 * The end of run.json marks a run as complete, so it is written and flushed last: power may fail
 * before.
 */
bool store_render_run(struct store *store)
{
    char path[FILE_PATH_BYTES];
    struct ending ending = {.held = 0};
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, drain_but_end, &ending);
    bool ok;

    if (!store->on_stick)
        return false;
    ok = file_create(&ending.file, store_path(store->folder, RUN_JSON, path)) &&
         render_run_json(&store->render, &out) && file_flush(&ending.file) &&
         put(&ending, ending.bytes, ending.held) && file_flush(&ending.file);
    if (ok || files_full())
        file_close(&ending.file);
    return ok || store_give_up(store, RUN_JSON);
}

/*
 * Renders a file. Returns false if a write failed. If the volume is full, also adds a note and
 * deletes the file.
 */
static bool render_if_room(struct store *store, const char *name,
                           bool (*render)(const struct render *render, struct out *out))
{
    char path[FILE_PATH_BYTES];
    struct file file;
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, store_drain, &file);

    if (!store->on_stick)
        return true;
    if (file_create(&file, store_path(store->folder, name, path)) && render(&store->render, &out) &&
        file_flush(&file)) {
        file_close(&file);
        return true;
    }
    if (!files_full())
        return store_give_up(store, name);
    store_note(store, NOTE_ERROR, "%s could not be written: %s. It is left out", path,
               files_error());
    file_delete(&file);
    return false;
}

void store_render_samples(struct store *store)
{
    if (!store->samples_dropped && !render_if_room(store, "samples.csv", render_samples_csv))
        store->render.samples_dropped = store->on_stick;
}

void store_render_summaries(struct store *store)
{
    static const struct {
        const char *name;
        bool (*render)(const struct render *render, struct out *out);
        bool (*has)(const struct render *render); /* null: every run has the file */
    } SUMMARIES[] = {
        {"summary.txt", report_summary_txt, 0},
        {"summary.html", render_summary_html, 0},
        {"check.txt", report_check_txt, report_has_check},
        {"machine.txt", render_machine_txt, render_has_machine},
        {"trust.csv", render_trust_csv, render_has_trust},
    };

    for (unsigned i = 0; i < sizeof(SUMMARIES) / sizeof(SUMMARIES[0]); i++)
        if (!store->summaries_dropped && (!SUMMARIES[i].has || SUMMARIES[i].has(&store->render)) &&
            !render_if_room(store, SUMMARIES[i].name, SUMMARIES[i].render))
            store->summaries_dropped = true;
}

static void take_journal(struct store *store)
{
    store_sync(store);
    render_take(&store->render, store->journal.bytes, store->journal.used);
}

/*
 * Writes the trust map for later runs. A failure is only reported, because this run does not need
 * the map.
 */
static void remember_trust(struct store *store)
{
    char name[FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    struct file file;
    struct out name_out = out_buffer(name, sizeof(name));
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, store_drain, &file);

    if (!store->on_stick || !render_trust_name(&store->render, &name_out))
        return;
    store_path(STORE_RESULTS, out_end(&name_out), path);
    if (file_create(&file, path) && render_trust_map(&store->render, &out) && file_flush(&file)) {
        file_close(&file);
        return;
    }
    say("! \\%s could not be written: %s; later runs do not use this trust map\n", path,
        files_error());
    if (files_full())
        file_delete(&file);
}

bool store_finish(struct store *store)
{
    size_t used;
    bool ok;

    take_journal(store);
    console_progress("Writing the results");
    ok = store_render(store, "results.csv", render_results_csv);
    store->render.samples_dropped = store->samples_dropped;
    store_render_summaries(store);
    used = store->journal.used;
    store_render_samples(store);
    ok = store_index_append(store) && ok;
    take_journal(store);
    file_close(&store->file);
    if (store->journal.used > used) /* notes were added */
        store_render_summaries(store);
    ok = store_render_run(store) && ok;
    console_progress_end();
    remember_trust(store);
    return ok;
}

bool store_finish_notes(struct store *store)
{
    char path[FILE_PATH_BYTES];

    if (!store->on_stick)
        return false;
    if (files_exists(store_path(store->folder, STORE_JOURNAL, path)) &&
        !file_append(&store->file, path))
        return store_give_up(store, STORE_JOURNAL);
    take_journal(store);
    file_close(&store->file);
    store_render_summaries(store);
    return store_render_run(store);
}
