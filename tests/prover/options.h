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
    uint64_t argument;   /* ARGUMENT_OF_KERNEL: three values, the lowest, default and highest */
    const char *kernels; /* null: all */
    bool decode;
    bool all;   /* step at the default n and the random n even if decoding is possible */
    bool whole; /* a kernel must execute all of its code at the default n or at n = 3 */
    bool csv;
    bool declare; /* print the declarations that are true, instead of proofs */
    bool help;
    const char *path;
};

extern const char OPTIONS_HELP[];

/* Returns false if the arguments are invalid; the seed defaults to the time of day. */
bool options_parse(int count, char **arguments, struct options *options);

/* Whether --kernels selects this kernel; without --kernels, all are selected. */
bool options_want(const struct options *options, const struct kernel_record *kernel);

#endif
