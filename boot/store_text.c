/* SPDX-License-Identifier: BSD-2-Clause */
/* The text files of a run, and of one that was cut off. */
#include "boot/console.h"
#include "boot/store_parts.h"
#include "pmu/plan.h"
#include "pmu/text.h"

#define RECOVER_VALUES_MAX (2u * PLAN_RUNS_MAX)

static bool drain_to_file(void *context, const char *bytes, size_t count)
{
    return file_write(context, bytes, count);
}

static bool render_file(struct store *store, const char *name,
                        bool (*render)(const struct render *render, struct out *out))
{
    char path[FILE_PATH_BYTES];
    struct file file;
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, drain_to_file, &file);
    bool ok;

    if (!store->on_stick)
        return false;
    ok = file_create(&file, store_path(store->folder, name, path)) &&
         render(&store->render, &out) && file_flush(&file);
    if (ok || files_full())
        file_close(&file);
    return ok || store_give_up(store, name);
}

/*
 * The only file that a run can do without. With many samples rejected it is larger than estimated;
 * should it not fit, its room goes to the files that come after it.
 */
static void render_samples(struct store *store)
{
    char path[FILE_PATH_BYTES];
    struct file file;
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, drain_to_file, &file);

    if (!store->on_stick)
        return;
    if (file_create(&file, store_path(store->folder, "samples.csv", path)) &&
        render_samples_csv(&store->render, &out) && file_flush(&file)) {
        file_close(&file);
        return;
    }
    if (!files_full()) {
        store_give_up(store, "samples.csv");
        return;
    }
    store_note(store, NOTE_ERROR, "%s could not be written: %s. It is left out", path,
               files_error());
    file_delete(&file);
    store->render.samples_dropped = true;
}

static bool append_to_index(struct store *store)
{
    struct file file;
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, drain_to_file, &file);
    bool ok, is_new;

    if (!store->on_stick)
        return false;
    is_new = files_size(STORE_RESULTS "\\index.csv") <= 0;
    ok = file_append(&file, STORE_RESULTS "\\index.csv");
    if (ok && is_new)
        out_text(&out, INDEX_HEADER);
    ok = ok && render_index_line(&store->render, &out) && file_flush(&file);
    if (ok || files_full())
        file_close(&file);
    return ok || store_give_up(store, "..\\index.csv");
}

/* What is rendered next is the journal as it stands now. */
static void take_journal(struct store *store)
{
    store_sync(store);
    store->render.journal = store->journal.bytes;
    store->render.journal_bytes = store->journal.used;
}

bool store_finish(struct store *store)
{
    bool ok;

    take_journal(store);
    console_progress("Writing the results");
    ok = render_file(store, "results.csv", render_results_csv);
    store->render.samples_dropped = store->samples_dropped;
    if (!store->samples_dropped)
        render_samples(store);
    take_journal(store);
    file_close(&store->file);
    ok = append_to_index(store) && ok;
    ok = render_file(store, "run.json", render_run_json) && ok;
    console_progress_end();
    return ok;
}

/* Whether run.json, the last file of a run, is there to its last bytes. */
static bool has_whole_run_json(const struct store *store)
{
    static const char END[] = "\n}\n"; /* as json_end() leaves the outermost object */
    char path[FILE_PATH_BYTES], tail[sizeof(END)] = {0};

    return files_read_tail(store_path(store->folder, "run.json", path), tail, sizeof(END) - 1) >
               0 &&
           text_same(tail, END);
}

/* Whether index.csv's last lines have this run already. */
static bool is_in_index(struct store *store)
{
    int64_t count =
        files_read_tail(STORE_RESULTS "\\index.csv", store->buffer, STORE_BUFFER_BYTES - 1);
    char start[16];
    struct out out = out_buffer(start, sizeof(start));

    if (count <= 0)
        return false;
    store->buffer[count] = 0;
    out_printf(&out, "\n%04u,", store->number);
    return text_find(store->buffer, out_end(&out)) != 0;
}

/* Takes the journal of a run that was cut off. Null, or why nothing can be rendered from it. */
static const char *read_journal(struct store *store, const char *path, size_t size)
{
    struct tally tally;
    int64_t count;

    if (!store_memory(store, size + sizeof(struct journal_head), RECOVER_VALUES_MAX))
        return status_text(STATUS_NO_MEMORY);
    count = files_read(path, store->journal.bytes, size);
    if (count < 0)
        return files_error();
    store->journal.used = ((size_t)count + 7) & ~(size_t)7;
    store->render.journal = store->journal.bytes;
    store->render.journal_bytes = (size_t)count;
    store->render.samples_dropped = false;
    return render_tally(&store->render, &tally) ? 0 : "its first record is missing or damaged";
}

/* Whatever stands in the folder already is touched only if the journal can take its place. */
void store_recover(struct store *store, void (*killed)(const struct cut_off *cut))
{
    unsigned number = store_last_number();
    char path[FILE_PATH_BYTES];
    struct cut_off cut;
    const char *why_not;
    int64_t size;

    if (number == 0)
        return;
    store_set_folder(store, number);
    size = files_size(store_path(store->folder, STORE_JOURNAL, path));
    if (size <= 0 || has_whole_run_json(store))
        return;
    why_not = read_journal(store, path, (size_t)size);
    if (why_not) {
        say("! Run %04u was cut off; %s holds nothing of it: %s\n", number, path, why_not);
        return;
    }
    if (render_cut_off(&store->render, &cut))
        killed(&cut);
    store->on_stick = true;
    say("- Run %04u was cut off; its finished kernels are written to %s.\n", number, store->folder);
    if (render_file(store, "results.csv", render_results_csv))
        render_samples(store);
    if (!is_in_index(store))
        append_to_index(store);
    render_file(store, "run.json", render_run_json);
}
