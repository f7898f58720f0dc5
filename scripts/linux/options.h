/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of barecount-linux. */
#ifndef BARECOUNT_LINUX_OPTIONS_H
#define BARECOUNT_LINUX_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/cpu/other.h"

enum option_action {
    DO_RUN,
    DO_CHECK_PLAN,
    DO_LIST_KERNELS,
    DO_LIST_EVENTS,
    DO_ONCE,
    DO_HELP,
    DO_VERSION,
};

struct options {
    enum option_action action;
    const char *plan; /* null for the built-in plan */
    const char *out;
    const char *cpus;        /* the line cpus=LIST, in place of the plan's; null without --cpus */
    const char *events;      /* folder; null for events/ next to the program */
    const char *kernels;     /* folder, or null */
    const char *pattern;     /* "" matches all */
    struct other_cpus other; /* the CPUs that --for gives, if any */
    const char *once;        /* a line of a plan's [kernels] */
    uint64_t n;              /* the value of --n, which `once` includes; 0 without --n */
};

/* If the command line is invalid, prints an error and returns false. */
bool options_take(int count, char **word, struct options *options);

extern const char OPTIONS_HELP[];

#endif
