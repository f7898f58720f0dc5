/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths and numbers of runs, and buffered writing to files. */
#include "boot/store/parts.h"

#define NUMBER_MAX 99999u

static void take_number(void *context, const char *name, bool is_folder)
{
    unsigned *highest = context, number = 0;

    for (; *name >= '0' && *name <= '9' && number < NUMBER_MAX; name++)
        number = number * 10 + (unsigned)(*name - '0');
    if (is_folder && *name == 0 && number > *highest)
        *highest = number;
}

bool store_last_number(unsigned *number)
{
    *number = 0;
    return files_list(STORE_RESULTS, take_number, number) || files_missing();
}

const char *store_path(const char *folder, const char *name, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_printf(&out, "%s\\%s", folder, name);
    return out_end(&out);
}

static const char *folder_of(unsigned number, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_printf(&out, STORE_RESULTS "\\%04u", number);
    return out_end(&out);
}

void store_set_folder(struct store *store, unsigned number)
{
    folder_of(number, store->folder);
    store->number = number;
}

static void take_any(void *context, const char *name, bool is_folder)
{
    bool *is_empty = context;

    (void)is_folder;
    *is_empty = *is_empty && name[0] == '.';
}

/* A power cut may leave an empty folder. */
static bool is_empty(unsigned number)
{
    char path[FILE_PATH_BYTES];
    bool empty = true;

    files_list(folder_of(number, path), take_any, &empty);
    return empty;
}

/*
 * Skips numbers whose folder exists, because the listing may be incomplete. Also skips one number
 * if the last folder is empty; for the reason, see store_make_folder().
 */
unsigned store_next_number(void)
{
    unsigned last, number;
    char path[FILE_PATH_BYTES];

    store_last_number(&last);
    number = last + 1;
    if (last > 0 && is_empty(last))
        number++;
    while (number < NUMBER_MAX && files_exists(folder_of(number, path)))
        number++;
    return number;
}

bool store_make_folder(const struct store *store)
{
    char path[FILE_PATH_BYTES];

    return (store->number == 1 || files_make_folder(folder_of(store->number - 1, path))) &&
           files_make_folder(store->folder);
}

bool store_drain(void *context, const char *bytes, size_t count)
{
    return file_write(context, bytes, count);
}
