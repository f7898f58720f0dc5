/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the prover's command line. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_OPTIONS_H
#define BARECOUNT_TESTS_PROVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

#define ARGUMENT_OF_KERNEL UINT64_MAX

struct options {
    uint64_t seed;
    uint64_t n;          /* 0: three values */
    uint64_t argument;   /* ARGUMENT_OF_KERNEL: the kernel's values */
    const char *kernels; /* null: all */
    bool decode;
    bool all;   /* step the random n, even if it can be decoded */
    bool whole; /* at the default n or in three turns, all code must be executed */
    bool csv;
    bool declare; /* print the lines that hold, instead of proofs */
    bool help;
    const char *path;
};

extern const char OPTIONS_HELP[];

/* False: the arguments are invalid. The seed defaults to the time of day. */
bool options_parse(int count, char **arguments, struct options *options);

/* Whether --kernels selects a kernel; without it, always. */
bool options_want(const struct options *options, const struct kernel_record *kernel);

#endif
