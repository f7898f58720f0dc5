/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the CPU features that a kernel needs and this host lacks. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_HOST_H
#define BARECOUNT_TESTS_PROVER_HOST_H

#include <stddef.h>
#include <stdint.h>

/* The bits of cpu_features that the host lacks, or that its operating system has not enabled. */
uint64_t host_lacks(uint64_t cpu_features);

/* Writes a result of host_lacks() as words, such as "host lacks sha, avx512f". */
void host_lacks_words(uint64_t lacking, char *text, size_t bytes);

#endif
