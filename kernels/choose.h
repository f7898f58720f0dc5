/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which kernels a word in a plan selects, and whether a kernel accepts a plan's parameters. */
#ifndef BARECOUNT_KERNELS_CHOOSE_H
#define BARECOUNT_KERNELS_CHOOSE_H

#include <stdbool.h>

#include "kernels/kernel.h"

/* The word that selects the kernels of the plan's sections [code]. */
#define KERNEL_WORD_CODE "code"

/*
 * Whether a word selects the kernel. The words are: all; known (KERNEL_KNOWN); stick (kernels from
 * the stick); default (known and stick); and the kernel's family, but not the kernel's own name.
 * kernel_is_named() checks that name. If a word is the name both of a kernel and of a family, the
 * word selects only the kernel, so call kernel_is_named() for all kernels first.
 */
bool kernel_is_meant(const struct kernel_record *kernel, bool from_stick, const char *word);
bool kernel_is_named(const struct kernel_record *kernel, const char *name);

/*
 * The reserved word with number i, counted from 0; null after the last one. The reserved words are
 * KERNEL_WORD_CODE and the words that kernel_is_meant() accepts, except names of families.
 */
const char *kernel_word(unsigned i);

/* Whether a name is one of the reserved words that kernel_word() lists. */
bool kernel_is_word(const char *name);

/* The parameters that a plan gives. A parameter that the plan leaves out is 0 or "". */
struct kernel_wanted {
    uint64_t n;
    uint64_t size; /* size of the buffer in bytes */
    const char *argument;
    uint32_t argument_value;
    uint32_t page_bytes;
    uint32_t memory; /* memory type of the buffer; 0: not given */
};

enum kernel_refusal {
    KERNEL_TAKES_IT,
    KERNEL_HAS_NO_BUFFER,   /* a size, page size or memory type is given, but there is no buffer */
    KERNEL_WANTS_MORE,      /* the kernel needs more than the given size */
    KERNEL_WANTS_A_PAGE,    /* the page size, the plan's or the kernel's, exceeds the given size */
    KERNEL_WANTS_PAGES,     /* the given size is not a multiple of the page size */
    KERNEL_HAS_NO_ARGUMENT, /* the kernel takes no argument with the given name */
    KERNEL_OUT_OF_RANGE,    /* the argument's value is below its low or above its high end */
    KERNEL_BETWEEN_STEPS,   /* the argument's value is between two of its steps */
};

enum kernel_refusal kernel_takes(const struct kernel_record *kernel,
                                 const struct kernel_wanted *wanted);

/*
 * The buffer's size: the size that the plan gives. If it gives none: the kernel's size, rounded up
 * to whole pages if the plan or the kernel requires a page size.
 */
uint64_t kernel_buffer_bytes(const struct kernel_record *kernel,
                             const struct kernel_wanted *wanted);

/* The n of one round with the given buffer size and argument, at least 1. ROUND_NONE gives 1. */
uint64_t kernel_round(const struct kernel_record *kernel, uint64_t buffer_bytes, uint64_t argument);

#endif
