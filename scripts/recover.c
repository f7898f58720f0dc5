/* SPDX-License-Identifier: BSD-2-Clause */
/* Renders the text files of runs from their journals, for sticks that no longer boot. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/journal/renew.h"
#include "scripts/lib/render_files.h"

#define PATH_BYTES RENDER_PATH_BYTES

static const char HELP[] =
    "usage: recover FOLDER...\n"
    "\n"
    "Write all files of a run again from its journal, even if the run was cut off.\n"
    "\n"
    "Each FOLDER contains a journal.bin, which is never written to.\n"
    "\n"
    "options:\n"
    "  -h, --help  show this help message and exit\n"
    "\n"
    "Exit status: 0 all runs were written; 1 a journal is unreadable, or belongs to another run;\n"
    "2 wrong usage; 4 a file could not be read or written.\n";

static int fail(const char *path)
{
    fprintf(stderr, "recover: %s: %s\n", path, strerror(errno));
    return 4;
}

static const char *path_in(const char *folder, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    return path;
}

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

/*
 * Points `render` to the journal, or to a copy of it in the current layout. Null: an error was
 * printed.
 */
static char *take_journal(char *journal, const char *path, struct render *render)
{
    const struct renewal renewal = renew_look(journal, render->journal_bytes);
    struct journal anew = {.size = renewal.bytes};
    char sentence[200];
    struct out why = out_buffer(sentence, sizeof(sentence));

    if (renewal.need == RENEW_ANEW) {
        anew.bytes = malloc(renewal.bytes);
        if (!anew.bytes || !renew_write(journal, render->journal_bytes, &anew)) {
            fprintf(stderr, "recover: %s: %s\n", path, strerror(ENOMEM));
            free(anew.bytes);
            anew.bytes = NULL;
        }
        free(journal);
        journal = anew.bytes;
        render->journal_bytes = anew.used;
    } else if (!renew_can(&renewal)) {
        renew_why(&renewal, &why);
        fprintf(stderr, "recover: %s: it contains no readable run: %s\n", path, out_end(&why));
        free(journal);
        journal = NULL;
    }
    if (journal)
        render_take(render, journal, render->journal_bytes);
    return journal;
}

/* Returns the run number that is the folder's name, or 0 if the name is not a number. */
static unsigned long number_of(const char *folder)
{
    char *path = realpath(folder, NULL);
    const char *name = path ? strrchr(path, '/') : NULL;
    bool is_number = name && name[1] && name[1 + strspn(name + 1, "0123456789")] == 0;
    unsigned long number = is_number ? strtoul(name + 1, NULL, 10) : 0;

    free(path);
    return number;
}

/* A damaged volume may contain another run's journal, whose rows must not replace this run's. */
static bool is_of(const char *folder, const char *path, const struct render *render)
{
    unsigned long wanted = number_of(folder);
    unsigned number = render_number(render);

    if (wanted == 0 || wanted == number)
        return true;
    fprintf(stderr,
            "recover: %s: it is the journal of run %04u, not of this folder's run; to render it, "
            "copy it into a folder whose name is not a number\n",
            path, number);
    return false;
}

static int recover(const char *folder)
{
    static int64_t scratch[RENDER_VALUES_MAX];
    struct render render = {.scratch = scratch, .scratch_count = RENDER_VALUES_MAX};
    char path[PATH_BYTES], line[TALLY_LINE_BYTES];
    struct out verdict = out_buffer(line, sizeof(line));
    struct tally tally;
    struct end_record end;
    char *journal = read_file(path_in(folder, "journal.bin", path), &render.journal_bytes);
    int status;

    if (!journal)
        return fail(path);
    journal = take_journal(journal, path, &render);
    if (!journal)
        return 1;
    if (!render_tally(&render, &tally)) {
        fprintf(stderr, "recover: %s: it contains no run: its first record is wrong\n", path);
        free(journal);
        return 1;
    }
    if (!is_of(folder, path, &render)) {
        free(journal);
        return 1;
    }
    status = render_files(&render, folder, path) ? 0 : fail(path);
    tally_line(&tally, &verdict);
    if (status == 0)
        printf("%s: %s%s\n", folder, out_end(&verdict),
               render_end(&render, &end) ? "" : ", up to where the run was cut off");
    free(journal);
    return status;
}

int main(int count, char **arguments)
{
    static const struct option known[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int worst = 0, option = getopt_long(count, arguments, "h", known, NULL);

    if (option != -1 || optind == count) {
        fputs(HELP, option == 'h' ? stdout : stderr);
        return option == 'h' ? 0 : 2;
    }
    for (int i = optind; i < count; i++) {
        int status = recover(arguments[i]);

        worst = status > worst ? status : worst;
    }
    return worst;
}
