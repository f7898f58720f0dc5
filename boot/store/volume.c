/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses another volume for a run if the run's own volume cannot be written. */
#include "boot/efi/early_notes.h"
#include "boot/efi/console.h"
#include "boot/net/remote.h"
#include "boot/store/parts.h"
#include "pmu/base/text.h"

#define PLACE_BYTES    120u
#define SENTENCE_BYTES (NOTE_BYTES - 4u)

/* False if the volume cannot be written. */
static bool make_folder(struct store *store)
{
    store->on_stick = false;
    store_set_folder(store, 1);
    if (!files_make_folder(STORE_HOME) || !files_make_folder(STORE_RESULTS))
        return false;
    store_set_folder(store, store_next_number());
    store->on_stick = store_make_folder(store);
    return store->on_stick;
}

/* Writes, for example, "'BARECOUNT' (PciRoot(0x0)/...)", because volumes may share a label. */
static void put_volume(struct out *out)
{
    char text[PLACE_BYTES];
    struct out place = out_buffer(text, sizeof(text));

    files_place(&place);
    out_end(&place);
    out_printf(out, "'%s'", files_volume());
    if (text[0])
        out_printf(out, " (%s)", text);
}

static void volume_error(void)
{
    char text[SENTENCE_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    const char *why = files_error(); /* other calls may replace this text */

    if (!files_has_volume()) {
        if (remote_is_open())
            return; /* the first screen says where results go */
        early_error("there is no volume that results can be written to");
        return;
    }
    out_text(&out, "results cannot be written to volume ");
    put_volume(&out);
    out_printf(&out, ": %s", why);
    early_error("%s", out_end(&out));
}

static bool find_another(struct store *store, void (*moved)(void))
{
    unsigned tries = 0;

    while (files_go_elsewhere(&tries)) {
        moved();
        if (make_folder(store))
            return true;
        volume_error();
    }
    return false;
}

static void open_somewhere(struct store *store, void (*moved)(void))
{
    char text[SENTENCE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (make_folder(store))
        return;
    volume_error();
    if (!find_another(store, moved)) {
        if (remote_is_open())
            return;
        early_error("no other volume with a folder \\barecount accepts results, so they are kept "
                    "in memory. Connect one (FAT, with that folder) and press R at the end");
        return;
    }
    out_text(&out, "results go to volume ");
    put_volume(&out);
    early_error("%s", out_end(&out));
}

void store_open(struct store *store, void (*moved)(void))
{
    console_progress("Making the folder for the results");
    open_somewhere(store, moved);
    console_progress_end();
}

void store_renumber(struct store *store, unsigned number)
{
    struct journal *journal = &store->journal;
    struct journal_head *head = (struct journal_head *)journal->bytes;

    store_set_folder(store, number);
    while ((char *)head < journal->bytes + journal->used && head->type != RECORD_RUN)
        head = (struct journal_head *)((char *)head + JOURNAL_BYTES(head->payload_bytes));
    if ((char *)head == journal->bytes + journal->used)
        return;
    ((struct run_record *)(head + 1))->number = store->number;
    journal_seal(head);
}

bool store_finish_elsewhere(struct store *store, void (*moved)(void))
{
    char text[SENTENCE_BYTES], path[FILE_PATH_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    unsigned number = store->number;

    if (!find_another(store, moved)) {
        store_set_folder(store, number);
        return false;
    }
    store_renumber(store, store->number);
    put_volume(&out);
    store_note(store, NOTE_REMARK, "all of run %04u goes to volume %s; its number there is %04u",
               number, out_end(&out), store->number);
    store->written = 0;
    if (file_create(&store->file, store_path(store->folder, STORE_JOURNAL, path)))
        return store_finish(store);
    return store_give_up(store, STORE_JOURNAL);
}
