/* SPDX-License-Identifier: BSD-2-Clause */
/* The prover's command line. */
#include "tests/prover/options.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/check.h"

static bool number(const char *text, uint64_t *value)
{
    char *end;

    if (text == NULL || *text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 0);
    return *end == '\0';
}

bool options_parse(int count, char **arguments, struct options *options)
{
    *options = (struct options){.seed = (uint64_t)time(NULL), .argument = ARGUMENT_OF_KERNEL};
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--csv") == 0) {
            options->csv = true;
        } else if (strcmp(arguments[i], "--seed") == 0) {
            if (!number(arguments[++i], &options->seed))
                return false;
        } else if (strcmp(arguments[i], "--n") == 0) {
            if (!number(arguments[++i], &options->n) || options->n == 0 ||
                options->n > KERNEL_N_MAX)
                return false;
        } else if (strcmp(arguments[i], "--argument") == 0) {
            if (!number(arguments[++i], &options->argument) || options->argument > UINT32_MAX)
                return false;
        } else if (strcmp(arguments[i], "--static") == 0) {
            options->decode = true;
        } else if (strcmp(arguments[i], "--all") == 0) {
            options->all = true;
        } else if (strcmp(arguments[i], "--whole") == 0) {
            options->whole = true;
        } else if (strcmp(arguments[i], "--kernels") == 0) {
            options->kernels = arguments[++i];
            if (options->kernels == NULL)
                return false;
        } else if (options->path == NULL && arguments[i][0] != '-') {
            options->path = arguments[i];
        } else {
            return false;
        }
    }
    return options->path != NULL;
}

bool options_want(const struct options *options, const struct kernel_record *kernel)
{
    const char *words = options->kernels;

    while (words != NULL && *words != '\0') {
        size_t length = strcspn(words, ",");
        bool named = strlen(kernel->name) == length && !strncmp(words, kernel->name, length);
        bool of_family =
            strlen(kernel->family) == length && !strncmp(words, kernel->family, length);
        bool known = length == 5 && !strncmp(words, "known", 5) && kernel->flags & KERNEL_KNOWN;

        if (named || of_family || known)
            return true;
        words += length + (words[length] == ',');
    }
    return words == NULL;
}
