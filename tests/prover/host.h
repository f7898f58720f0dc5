/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPU features of kernels the host has, with its system's leave to use them. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_HOST_H
#define BARECOUNT_TESTS_PROVER_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Of cpu_features those that the host lacks. */
uint64_t host_lacks(uint64_t cpu_features);

/* "host lacks sha, avx512f" of what host_lacks() said. */
void host_lacks_words(uint64_t lacking, char *text, size_t bytes);

#endif
