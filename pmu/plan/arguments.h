/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's arguments on the UEFI shell's command line, or in a boot entry's load options:
 *
 *   --plan FILE              the plan, instead of \barecount\plan.cfg on the results' volume
 *   --cpus LIST              instead of the plan's cpus=
 *   --check-plan [FILE]      reports what a plan would do, and its errors; measures nothing
 *   --list-events [PATTERN]  this CPU's events, or only those whose names contain PATTERN
 *   --list-kernels [PATTERN]
 *   --for CPU                lets the three above report on another CPU (pmu/cpu/other.h)
 *   --help
 *
 * Blanks separate words, except within "quotes". `--word=value` means the same as `--word value`.
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
    bool given; /* the line contains arguments: see arguments_parse() */
    enum arguments_action action;
    /* "" if not given */
    char plan[ARGUMENT_BYTES];
    char cpus[ARGUMENT_BYTES];
    char pattern[ARGUMENT_BYTES];
    char other[ARGUMENT_BYTES];       /* the CPU of --for */
    char error[ARGUMENT_ERROR_BYTES]; /* the first error; "" if there is none */
};

/*
 * Parses a command line of `units` UTF-16 units. arguments->given is false if the line is longer
 * than 1023 characters, contains anything but printable ASCII, or contains no word that starts with
 * "--". Only the program's name may precede the first word with "--".
 */
void arguments_parse(const unsigned short *line, size_t units, struct arguments *arguments);

/* The output of --help, zero-terminated. */
extern const char ARGUMENTS_HELP[];

#endif
