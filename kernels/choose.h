/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches kernels with a plan's words and parameters. */
#ifndef BARECOUNT_KERNELS_CHOOSE_H
#define BARECOUNT_KERNELS_CHOOSE_H

#include <stdbool.h>

#include "kernels/kernel.h"

#define KERNEL_WORD_CODE "code"

/*
 * Whether a word selects the kernel. The word is a family's name, `all`, `known` (kernels with the
 * flag KERNEL_KNOWN), `stick` (kernels from the stick) or `default` (the kernels of `known` and of
 * `stick`). A kernel's name takes precedence over a family's name, so call kernel_is_named() for
 * all kernels first.
 */
bool kernel_is_meant(const struct kernel_record *kernel, bool from_stick, const char *word);
bool kernel_is_named(const struct kernel_record *kernel, const char *name);

/*
 * The reserved word with index i, or null after the last word. The reserved words are
 * KERNEL_WORD_CODE and the words of kernel_is_meant() that are not family names.
 */
const char *kernel_word(unsigned i);

/* Whether kernel_word() lists the name. */
bool kernel_is_word(const char *name);

/* The parameters that a plan gives; 0 or "" if left out. */
struct kernel_wanted {
    uint64_t n;
    uint64_t size; /* of the buffer, in bytes */
    const char *argument;
    uint32_t argument_value;
    uint32_t page_bytes;
    uint32_t memory; /* enum memory_type of the buffer; 0: not given */
};

enum kernel_refusal {
    KERNEL_TAKES_IT,
    KERNEL_HAS_NO_BUFFER, /* the plan gives a size, page size or memory type */
    KERNEL_WANTS_MORE,    /* the given size is too small */
    KERNEL_WANTS_A_PAGE,  /* the page size exceeds the given size */
    KERNEL_WANTS_PAGES,   /* the given size is not a multiple of the page size */
    KERNEL_HAS_NO_ARGUMENT,
    KERNEL_OUT_OF_RANGE,
    KERNEL_BETWEEN_STEPS,
};

enum kernel_refusal kernel_takes(const struct kernel_record *kernel,
                                 const struct kernel_wanted *wanted);

/*
 * The buffer's size in bytes: the plan's size or, if the plan gives none, the kernel's size rounded
 * up to whole pages.
 */
uint64_t kernel_buffer_bytes(const struct kernel_record *kernel,
                             const struct kernel_wanted *wanted);

/* The n of one round, at least 1. ROUND_NONE gives 1. */
uint64_t kernel_round(const struct kernel_record *kernel, uint64_t buffer_bytes, uint64_t argument);

#endif
