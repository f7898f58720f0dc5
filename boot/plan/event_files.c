/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads event tables from the folder \barecount\events. */
#include "boot/plan/run.h"
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"

#define FOLDER "barecount\\events"

static const char *path_of(const char *name, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_printf(&out, FOLDER "\\%s", name);
    return out_end(&out);
}

static int64_t size_of(const char *name)
{
    char path[FILE_PATH_BYTES];

    return files_size(path_of(name, path));
}

static int64_t read_file(const char *name, void *to, size_t size)
{
    char path[FILE_PATH_BYTES];

    return files_read(path_of(name, path), to, size);
}

static bool list_folder(void (*each)(void *context, const char *name, bool is_folder),
                        void *context)
{
    return files_list(FOLDER, each, context) || files_missing();
}

const struct tables_port EVENT_FILES = {
    .folder = "\\" FOLDER,
    .separator = '\\',
    .memory = firmware_memory,
    .size = size_of,
    .read = read_file,
    .error = files_error,
    .list = list_folder,
};
