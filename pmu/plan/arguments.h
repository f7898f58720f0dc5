/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments on the UEFI shell's command line, or in a boot entry's load options. ARGUMENTS_HELP
 * lists them. Blanks separate words, except within "quotes". `--word=value` means `--word value`.
 */
#ifndef BARECOUNT_PMU_PLAN_ARGUMENTS_H
#define BARECOUNT_PMU_PLAN_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#define ARGUMENT_BYTES       96u
#define ARGUMENT_ERROR_BYTES 160u

enum arguments_action {
    ACTION_RUN,
    ACTION_CHECK_PLAN,
    ACTION_LIST_EVENTS,
    ACTION_LIST_KERNELS,
    ACTION_HELP,
};

struct arguments {
    bool given; /* the line contains arguments */
    enum arguments_action action;
    /* "" if not given */
    char plan[ARGUMENT_BYTES];
    char cpus[ARGUMENT_BYTES];
    char pattern[ARGUMENT_BYTES];
    char error[ARGUMENT_ERROR_BYTES]; /* "" if none */
};

/*
 * Parses a line of `units` UTF-16 units. `given` is false if the line is longer than 1023
 * characters, contains anything but printable ASCII, or has no word that starts with "--". Only the
 * program's name may precede the first such word.
 */
void arguments_parse(const unsigned short *line, size_t units, struct arguments *arguments);

/* The output of --help. */
extern const char ARGUMENTS_HELP[];

#endif
