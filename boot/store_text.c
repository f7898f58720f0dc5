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
    file_close(&file);
    return ok || store_give_up(store, name);
}

static bool append_to_index(struct store *store)
{
    bool is_new = files_size(STORE_RESULTS "\\index.csv") <= 0;
    struct file file;
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, drain_to_file, &file);
    bool ok;

    if (!store->on_stick)
        return false;
    ok = file_append(&file, STORE_RESULTS "\\index.csv");
    if (ok && is_new)
        out_text(&out, INDEX_HEADER);
    ok = ok && render_index_line(&store->render, &out) && file_flush(&file);
    file_close(&file);
    return ok || store_give_up(store, "..\\index.csv");
}

bool store_finish(struct store *store)
{
    bool ok;

    store_sync(store);
    file_close(&store->file);
    store->render.journal = store->journal.bytes;
    store->render.journal_bytes = store->journal.used;
    console_progress("Writing the results");
    ok = render_file(store, "results.csv", render_results_csv);
    if (!store->samples_dropped)
        ok = render_file(store, "samples.csv", render_samples_csv) && ok;
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

void store_recover(struct store *store)
{
    unsigned number = store_last_number();
    char path[FILE_PATH_BYTES];
    int64_t size;

    if (number == 0)
        return;
    store_set_folder(store, number);
    size = files_size(store_path(store->folder, STORE_JOURNAL, path));
    if (size <= 0 || has_whole_run_json(store))
        return;
    if (!store_memory(store, (size_t)size + sizeof(struct journal_head), RECOVER_VALUES_MAX) ||
        files_read(store_path(store->folder, STORE_JOURNAL, path), store->journal.bytes,
                   (size_t)size) != size) {
        say("! Run %04u was cut off; its journal could not be read: %s\n", number, files_error());
        return;
    }
    store->journal.used = ((size_t)size + 7) & ~(size_t)7;
    store->render.journal = store->journal.bytes;
    store->render.journal_bytes = (size_t)size;
    store->on_stick = true;
    say("- Run %04u was cut off; its finished kernels are written to %s.\n", number, store->folder);
    if (render_file(store, "results.csv", render_results_csv))
        render_file(store, "samples.csv", render_samples_csv);
    if (!is_in_index(store))
        append_to_index(store);
    render_file(store, "run.json", render_run_json);
}
