/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/console.h"
#include "boot/cpu_instructions.h"
#include "boot/firmware.h"
#include "boot/store.h"
#include "pmu/plan.h"
#include "pmu/text.h"

#define HOME               "barecount"
#define RESULTS            HOME "\\results"
#define JOURNAL_NAME       "journal.bin"
#define NUMBER_MAX         99999u
#define RECOVER_VALUES_MAX (2u * PLAN_RUNS_MAX)

static bool drain_to_file(void *context, const char *bytes, size_t count)
{
    return file_write(context, bytes, count);
}

static void take_number(void *context, const char *name, bool is_folder)
{
    unsigned *highest = context, number = 0;

    for (; *name >= '0' && *name <= '9' && number < NUMBER_MAX; name++)
        number = number * 10 + (unsigned)(*name - '0');
    if (is_folder && *name == 0 && number > *highest)
        *highest = number;
}

static unsigned last_number(void)
{
    unsigned highest = 0;

    files_list(RESULTS, take_number, &highest);
    return highest;
}

static const char *path_in(const char *folder, const char *name, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_printf(&out, "%s\\%s", folder, name);
    return out_end(&out);
}

static const char *folder_of(unsigned number, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_printf(&out, RESULTS "\\%04u", number);
    return out_end(&out);
}

static void set_folder(struct store *store, unsigned number)
{
    folder_of(number, store->folder);
    store->number = number;
}

/* Highest + 1; should a listing have broken off, the next one that is free. */
unsigned store_next_number(void)
{
    unsigned number = last_number() + 1;
    char path[FILE_PATH_BYTES];

    while (number < NUMBER_MAX && files_exists(folder_of(number, path)))
        number++;
    return number;
}

/* The first failure of a volume ends all writing: later attempts would only cost time. */
static bool give_up(struct store *store, const char *what)
{
    if (store->on_stick)
        store_note(store, NOTE_ERROR, "%s\\%s could not be written: %s", store->folder, what,
                   files_error());
    store->on_stick = false;
    return false;
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
    ok = file_create(&file, path_in(store->folder, name, path)) && render(&store->render, &out) &&
         file_flush(&file);
    file_close(&file);
    return ok || give_up(store, name);
}

static bool append_to_index(struct store *store)
{
    bool is_new = files_size(RESULTS "\\index.csv") <= 0;
    struct file file;
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, drain_to_file, &file);
    bool ok;

    if (!store->on_stick)
        return false;
    ok = file_append(&file, RESULTS "\\index.csv");
    if (ok && is_new)
        out_text(&out, INDEX_HEADER);
    ok = ok && render_index_line(&store->render, &out) && file_flush(&file);
    file_close(&file);
    return ok || give_up(store, "..\\index.csv");
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

/* Memory for a run that needs more than the last one had; what is too small stays unused. */
static bool reserve(struct store *store, size_t journal_bytes, size_t values_max)
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

/* The journal's clusters are taken at once, so that later writes change no allocation. */
static bool preallocate(struct store *store, size_t bytes)
{
    char path[FILE_PATH_BYTES];

    for (size_t i = 0; i < STORE_BUFFER_BYTES; i++)
        store->buffer[i] = 0;
    if (!file_create(&store->file, path_in(store->folder, JOURNAL_NAME, path)))
        return false;
    for (size_t done = 0; done < bytes; done += STORE_BUFFER_BYTES)
        if (!file_write(&store->file, store->buffer, STORE_BUFFER_BYTES))
            return false;
    return file_flush(&store->file);
}

/* Without room for the journal there may still be some for the results at the end. */
static void drop_journal(struct store *store)
{
    store_note(store, NOTE_ERROR,
               "%s\\%s could not be written: %s. A power cut would lose this run", store->folder,
               JOURNAL_NAME, files_error());
    file_delete(&store->file);
    store->samples_dropped = true;
}

static void start_on_stick(struct store *store, const struct store_needs *needs)
{
    uint64_t have = files_free(), need = needs->journal_bytes + needs->text_bytes;

    set_folder(store, store_next_number());
    store->on_stick =
        files_make_folder(HOME) && files_make_folder(RESULTS) && files_make_folder(store->folder);
    if (!store->on_stick) {
        store_note(store, NOTE_ERROR,
                   "no folder for results could be made on volume '%s': %s. This run goes to the "
                   "console only",
                   files_volume(), files_error());
        return;
    }
    store->samples_dropped = have < need + needs->samples_bytes;
    if (store->samples_dropped)
        store_note(store, NOTE_ERROR,
                   "the volume has %llu KiB free, samples.csv would need %llu: it is left out",
                   (unsigned long long)(have >> 10),
                   (unsigned long long)((need + needs->samples_bytes) >> 10));
    if (!preallocate(store, needs->journal_bytes))
        drop_journal(store);
}

bool store_start(struct store *store, const struct store_needs *needs)
{
    store->journal.used = 0;
    store->journal.sequence = 0;
    store->journal.run_id = cpu_tsc();
    store->written = 0;
    store->on_stick = false;
    store->samples_dropped = false;
    if (!reserve(store, needs->journal_bytes + needs->spare_bytes, needs->values_max))
        return false;
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

void store_sync(struct store *store)
{
    size_t count = store->journal.used - store->written;

    if (!store->on_stick || !store->file.handle || count == 0)
        return;
    if (file_seek(&store->file, store->written) &&
        file_write(&store->file, store->journal.bytes + store->written, count) &&
        file_flush(&store->file))
        store->written = store->journal.used;
    else
        give_up(store, JOURNAL_NAME);
}

void store_note(struct store *store, uint32_t kind, const char *format, ...)
{
    struct note note = {.kind = kind};
    struct out out = out_buffer(note.text, sizeof(note.text));
    va_list arguments;

    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    console_progress_end();
    say("%s %s\n", kind == NOTE_ERROR ? "!" : "-", out_end(&out));
    store_append(store, RECORD_NOTE, &note, sizeof(note));
}

/* Whether run.json, the last file of a run, is there to its last bytes. */
static bool has_whole_run_json(const struct store *store)
{
    static const char END[] = "\n}\n"; /* as json_end() leaves the outermost object */
    char path[FILE_PATH_BYTES], tail[sizeof(END)] = {0};

    return files_read_tail(path_in(store->folder, "run.json", path), tail, sizeof(END) - 1) > 0 &&
           text_same(tail, END);
}

/* Whether index.csv's last lines have this run already. */
static bool is_in_index(struct store *store)
{
    int64_t count = files_read_tail(RESULTS "\\index.csv", store->buffer, STORE_BUFFER_BYTES - 1);
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
    unsigned number = last_number();
    char path[FILE_PATH_BYTES];
    int64_t size;

    if (number == 0)
        return;
    set_folder(store, number);
    size = files_size(path_in(store->folder, JOURNAL_NAME, path));
    if (size <= 0 || has_whole_run_json(store))
        return;
    if (!reserve(store, (size_t)size + sizeof(struct journal_head), RECOVER_VALUES_MAX) ||
        files_read(path_in(store->folder, JOURNAL_NAME, path), store->journal.bytes,
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
