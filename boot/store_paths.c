/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/store_parts.h"

#define NUMBER_MAX 99999u

static void take_number(void *context, const char *name, bool is_folder)
{
    unsigned *highest = context, number = 0;

    for (; *name >= '0' && *name <= '9' && number < NUMBER_MAX; name++)
        number = number * 10 + (unsigned)(*name - '0');
    if (is_folder && *name == 0 && number > *highest)
        *highest = number;
}

unsigned store_last_number(void)
{
    unsigned highest = 0;

    files_list(STORE_RESULTS, take_number, &highest);
    return highest;
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

/* Highest + 1; should a listing have broken off, the next one that is free. */
unsigned store_next_number(void)
{
    unsigned number = store_last_number() + 1;
    char path[FILE_PATH_BYTES];

    while (number < NUMBER_MAX && files_exists(folder_of(number, path)))
        number++;
    return number;
}
