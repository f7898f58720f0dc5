/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses arbitrary bytes as a command line of the UEFI shell, or as binary load options. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/asserts.h"

#include "pmu/plan/arguments.h"

static void check_text(const char *text, size_t size)
{
    FUZZ_CHECK(strnlen(text, size) < size);
    for (; *text; text++)
        FUZZ_CHECK(*text >= ' ' && *text <= '~');
}

static void check_line(const unsigned short *line, size_t units)
{
    static struct arguments arguments;

    memset(&arguments, 0xa5, sizeof(arguments));
    arguments_parse(line, units, &arguments);
    FUZZ_CHECK(arguments.action <= ACTION_HELP);
    check_text(arguments.plan, sizeof(arguments.plan));
    check_text(arguments.cpus, sizeof(arguments.cpus));
    check_text(arguments.pattern, sizeof(arguments.pattern));
    check_text(arguments.error, sizeof(arguments.error));
    FUZZ_CHECK(arguments.given || (arguments.action == ACTION_RUN && !arguments.plan[0] &&
                                   !arguments.cpus[0] && !arguments.error[0]));
}

/*
 * Parses the input as UTF-16, and then as one byte per character, so that libFuzzer finds ASCII
 * words sooner.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned short *line, *exact;
    size_t pairs;

    if (size > 0 && data[size - 1] == '\n')
        size--; /* corpus files end with a newline */
    pairs = size / 2;
    line = malloc((size + 1) * sizeof(*line));
    exact = malloc(pairs * sizeof(*line) + (pairs == 0));
    FUZZ_CHECK(line && exact);
    memcpy(exact, data, pairs * sizeof(*exact));
    check_line(exact, pairs);
    for (size_t i = 0; i < size; i++)
        line[i] = data[i];
    check_line(line, size);
    free(exact);
    free(line);
    return 0;
}
