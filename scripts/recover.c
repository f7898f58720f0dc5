/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover FOLDER...: renders the text files of runs from their journals, as the image does at the
 * end of a run and at the boot after one that was cut off. For a stick that boots nowhere any more.
 *
 * Exit status: 0 all were rendered, 1 a journal holds no run, 2 wrong use, 3 a file could not be
 * read or written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripts/lib/render_files.h"

#define PATH_BYTES RENDER_PATH_BYTES

static int fail(const char *path)
{
    fprintf(stderr, "recover: %s: %s\n", path, strerror(errno));
    return 3;
}

static const char *path_in(const char *folder, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    return path;
}

/* A whole file; null, with errno set, when it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long end;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0) {
        *size = (size_t)end;
        rewind(file);
        bytes = malloc(*size + 1);
        if (bytes && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

static int recover(const char *folder)
{
    static int64_t scratch[RENDER_VALUES_MAX];
    struct render render = {.scratch = scratch, .scratch_count = RENDER_VALUES_MAX};
    char path[PATH_BYTES], line[80];
    struct out verdict = out_buffer(line, sizeof(line));
    struct tally tally;
    struct end_record end;
    char *journal = read_file(path_in(folder, "journal.bin", path), &render.journal_bytes);
    int status;

    if (!journal)
        return fail(path);
    render.journal = journal;
    if (!render_tally(&render, &tally)) {
        fprintf(stderr, "recover: %s: no run in it; its first record is missing or damaged\n",
                path);
        free(journal);
        return 1;
    }
    status = render_files(&render, folder, path) ? 0 : fail(path);
    tally_line(&tally, &verdict);
    if (status == 0)
        printf("%s: %s%s\n", folder, out_end(&verdict),
               render_end(&render, &end) ? "" : ", as far as the run came: it was cut off");
    free(journal);
    return status;
}

int main(int count, char **arguments)
{
    int worst = count > 1 ? 0 : 2;

    if (count < 2)
        fprintf(stderr, "usage: scripts/recover FOLDER...   (each with a journal.bin)\n");
    for (int i = 1; i < count; i++) {
        int status = recover(arguments[i]);

        worst = status > worst ? status : worst;
    }
    return worst;
}
