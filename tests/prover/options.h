/* SPDX-License-Identifier: BSD-2-Clause */
/* The prover's command line. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_OPTIONS_H
#define BARECOUNT_TESTS_PROVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

#define ARGUMENT_OF_KERNEL UINT64_MAX

struct options {
    uint64_t seed;
    uint64_t n;          /* 0: three of them */
    uint64_t argument;   /* ARGUMENT_OF_KERNEL: those of the kernel */
    const char *kernels; /* NULL: all */
    bool decode;
    bool all;   /* step the drawn n, too, where it could be decoded */
    bool whole; /* at the default n or in three turns, a kernel goes through all of its code */
    bool csv;
    bool declare; /* the lines that hold, in place of proofs */
    bool help;
    const char *path;
};

extern const char OPTIONS_HELP[];

/* False when the arguments make no sense. Without --seed it is the time of day. */
bool options_parse(int count, char **arguments, struct options *options);

/* Whether --kernels names a kernel; without it, always. */
bool options_want(const struct options *options, const struct kernel_record *kernel);

#endif
