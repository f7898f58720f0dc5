/* SPDX-License-Identifier: BSD-2-Clause */
/* DEFLATE (RFC 1951), for files sent over a slow serial line, and for the built-in kernels. */
#ifndef BARECOUNT_PMU_BASE_DEFLATE_H
#define BARECOUNT_PMU_BASE_DEFLATE_H

#include "pmu/base/out.h"

#define DEFLATE_WINDOW    32768u /* largest distance of a match */
#define DEFLATE_HASHES    4096u
#define DEFLATE_BYTES_MAX 0xffffffffu /* position + 1 must fit in 32 bits */

/* Working memory of deflate_bytes(), which initialises it. */
struct deflate {
    uint32_t newest[DEFLATE_HASHES]; /* the newest position with this hash, plus 1; 0: none */
    /* at index position % DEFLATE_WINDOW: the previous position in the chain, plus 1; 0: none */
    uint32_t older[DEFLATE_WINDOW];
};

/*
 * Compresses `count` bytes (less than DEFLATE_BYTES_MAX) into one raw block with fixed Huffman
 * codes. The output is at most 9/8 of the input plus 3 bytes.
 */
void deflate_bytes(struct deflate *work, const void *bytes, size_t count, struct out *out);

/*
 * Expands raw blocks with fixed Huffman codes, and ignores bytes after them. False if a block is of
 * another type or malformed, or if the blocks do not expand to `count` bytes.
 */
bool inflate_bytes(const void *bytes, size_t size, void *to, size_t count);

#endif
