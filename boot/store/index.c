/* SPDX-License-Identifier: BSD-2-Clause */
/* Maintains results\index.csv, which contains one line per run. */
#include "boot/store/parts.h"
#include "pmu/base/text.h"

static struct index_file look(void)
{
    char start[INDEX_START_BYTES], last = 0;
    int64_t count = files_read(STORE_INDEX, start, sizeof(start));

    files_read_tail(STORE_INDEX, &last, 1);
    return index_look(start, count > 0 ? (size_t)count : 0, last);
}

/*
 * True even if index.csv is damaged or is not barecount's, because the runs' files do not need it.
 */
bool store_index_append(struct store *store)
{
    struct file file = {0};
    struct out out = out_stream(store->buffer, STORE_BUFFER_BYTES, store_drain, &file);
    struct index_file index;
    bool ok;

    if (!store->on_stick)
        return false;
    index = look();
    if (index.is_other) {
        store_note(store, NOTE_ERROR, STORE_INDEX ": " INDEX_IS_OTHER);
        return true;
    }
    index.is_new = false; /* files_begin_list() writes the header */
    ok = files_begin_list(STORE_INDEX, INDEX_HEADER) && file_append(&file, STORE_INDEX) &&
         render_index_line(&store->render, &index, &out) && file_flush(&file);
    if (ok || files_full() || files_damaged())
        file_close(&file);
    if (!ok && !files_damaged())
        return store_give_up(store, "..\\index.csv");
    if (!ok)
        store_note(store, NOTE_ERROR,
                   STORE_INDEX " could not be written: %s; the files of the runs do not need it. "
                               "Have the volume checked (fsck.vfat, chkdsk)",
                   files_error());
    return true;
}

static bool is_whole_line(const char *text)
{
    while ((unsigned char)*text >= ' ')
        text++;
    return text[0] == '\r' && text[1] == '\n';
}

bool store_index_has(struct store *store)
{
    int64_t count = files_read_tail(STORE_INDEX, store->buffer, STORE_BUFFER_BYTES - 1);
    char start[16];
    struct out out = out_buffer(start, sizeof(start));
    const char *at;

    if (count <= 0)
        return false;
    for (int64_t i = 0; i < count; i++) /* a power cut may leave zeros, which would end the text */
        store->buffer[i] += store->buffer[i] == 0;
    store->buffer[count] = 0;
    out_printf(&out, "\n%04u,", store->number);
    out_end(&out);
    for (at = text_find(store->buffer, start); at; at = text_find(at + 1, start))
        if (is_whole_line(at + 1))
            return true;
    return false;
}
