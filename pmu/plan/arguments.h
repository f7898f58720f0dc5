/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands behind the program's name on the UEFI shell's command line, or in a boot entry's load
 * options:
 *
 *   --plan FILE              another plan than \barecount\plan.cfg; a path on the results' volume
 *   --cpus LIST              in the place of the plan's cpus=
 *   --check-plan [FILE]      says what is wrong with a plan, and what it would do; measures nothing
 *   --list-events [PATTERN]  the events that this CPU has; those whose names hold PATTERN
 *   --list-kernels [PATTERN]
 *   --for CPU                with one of these three: for another CPU (pmu/cpu/other.h)
 *   --help
 *
 * Words are separated by blanks; "quotes" keep them together. `--word=value` is `--word value`.
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
    bool given; /* there was at least one: somebody typed them */
    enum arguments_action action;
    /* "" where not given */
    char plan[ARGUMENT_BYTES];
    char cpus[ARGUMENT_BYTES];
    char pattern[ARGUMENT_BYTES];
    char other[ARGUMENT_BYTES];       /* the CPU of --for */
    char error[ARGUMENT_ERROR_BYTES]; /* what is wrong; "" for nothing */
};

/*
 * Reads a command line of UTF-16 in `units` units. What does not look like text, and what holds no
 * word that starts with "--", is no command line of ours: nothing is given then. In front of the
 * first such word only the program's own name may stand.
 */
void arguments_parse(const unsigned short *line, size_t units, struct arguments *arguments);

/* What --help prints: a line for each, ends with a zero. */
extern const char ARGUMENTS_HELP[];

#endif
