/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernels a word of a plan means, and whether a kernel takes what a plan gives it. */
#ifndef BARECOUNT_KERNELS_CHOOSE_H
#define BARECOUNT_KERNELS_CHOOSE_H

#include <stdbool.h>

#include "kernels/kernel.h"

/* The word for the sections [code] of a plan, which are no kernels of this folder. */
#define KERNEL_WORD_CODE "code"

/*
 * Whether a word means a kernel: all; known (KERNEL_KNOWN); stick (from the stick); default (known
 * and stick); or the name of its family. Its own name is kernel_is_named(): where a kernel has that
 * name, the word is not also a family's.
 */
bool kernel_is_meant(const struct kernel_record *kernel, bool from_stick, const char *word);
bool kernel_is_named(const struct kernel_record *kernel, const char *name);

/* The words above, by number; null behind the last. */
const char *kernel_word(unsigned i);

/* Whether a name is one of the words above, which no kernel and no section can have. */
bool kernel_is_word(const char *name);

/* What a plan gives a kernel; 0 or "": it does not. */
struct kernel_wanted {
    uint64_t n;
    uint64_t size; /* bytes of its buffer */
    const char *argument;
    uint32_t argument_value;
    uint32_t page_bytes;
    uint32_t memory; /* not 0: its buffer is to be of some memory type */
};

enum kernel_refusal {
    KERNEL_TAKES_IT,
    KERNEL_HAS_NO_BUFFER,   /* and a size, a page size or a memory type is wanted */
    KERNEL_WANTS_MORE,      /* than this size */
    KERNEL_WANTS_A_PAGE,    /* one, of the size that is wanted or that it has, is larger */
    KERNEL_WANTS_PAGES,     /* whole ones of that size */
    KERNEL_HAS_NO_ARGUMENT, /* of this name */
    KERNEL_OUT_OF_RANGE,    /* the argument's value is */
    KERNEL_BETWEEN_STEPS,   /* the argument's value is */
};

enum kernel_refusal kernel_takes(const struct kernel_record *kernel,
                                 const struct kernel_wanted *wanted);

/* The size of its buffer then: in whole pages of the size that it has or that is wanted. */
uint64_t kernel_buffer_bytes(const struct kernel_record *kernel,
                             const struct kernel_wanted *wanted);

/* The least n that goes through all there is, with such a buffer and argument; 1 or more. */
uint64_t kernel_round(const struct kernel_record *kernel, uint64_t buffer_bytes, uint64_t argument);

#endif
