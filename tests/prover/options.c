/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the prover's command line. */
#include "tests/prover/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/check.h"

const char OPTIONS_HELP[] =
    "usage: prove_kernels [OPTION]... TABLE\n"
    "\n"
    "Prove what the kernels of a table declare, each at three values of n and of its argument.\n"
    "\n"
    "options:\n"
    "  -h, --help       show this help message and exit\n"
    "  --seed S         draw the random n from this seed (default: the time of day)\n"
    "  --n N            prove only this n\n"
    "  --argument V     prove only this argument\n"
    "  --kernels WORDS  prove only these, separated by commas: names, families, or `known`\n"
    "  --static         decode all kernels that can be decoded\n"
    "  --all            also step at the default n and the random n if decoding is possible\n"
    "  --whole          require that each kernel reaches all of its code\n"
    "  --csv            print the counts as CSV\n"
    "  --declare        prove nothing; print the DECLARE lines that hold\n"
    "\n"
    "Exit status: 0 all proofs passed, and there was at least one; 1 otherwise; 2 wrong usage;\n"
    "4 an error of this host.\n";

static bool number(const char *text, uint64_t *value)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 0);
    return *end == '\0';
}

static bool take(int option, struct options *options)
{
    switch (option) {
    case 'h':
        options->help = true;
        return true;
    case 's':
        return number(optarg, &options->seed);
    case 'n':
        return number(optarg, &options->n) && options->n > 0 && options->n <= KERNEL_N_MAX;
    case 'v':
        return number(optarg, &options->argument) && options->argument <= UINT32_MAX;
    case 'd':
        options->decode = true;
        return true;
    case 'a':
        options->all = true;
        return true;
    case 'w':
        options->whole = true;
        return true;
    case 'k':
        options->kernels = optarg;
        return true;
    case 'l':
        options->declare = true;
        return true;
    case 'c':
        options->csv = true;
        return true;
    default: /* getopt has reported the error */
        return false;
    }
}

bool options_parse(int count, char **arguments, struct options *options)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},
        {"seed", required_argument, NULL, 's'},
        {"n", required_argument, NULL, 'n'},
        {"argument", required_argument, NULL, 'v'},
        {"static", no_argument, NULL, 'd'},
        {"all", no_argument, NULL, 'a'},
        {"whole", no_argument, NULL, 'w'},
        {"kernels", required_argument, NULL, 'k'},
        {"csv", no_argument, NULL, 'c'},
        {"declare", no_argument, NULL, 'l'},
        {NULL, 0, NULL, 0},
    };
    int option;

    *options = (struct options){.seed = (uint64_t)time(NULL), .argument = ARGUMENT_OF_KERNEL};
    while ((option = getopt_long(count, arguments, "h", known, NULL)) != -1)
        if (!take(option, options))
            return false;
    options->path = options->help ? NULL : arguments[optind];
    return options->help || (options->path != NULL && optind == count - 1);
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
