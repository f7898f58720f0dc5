/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compresses data to be sent over slow lines, and expands the built-in kernels: RFC 1951, "DEFLATE
 * Compressed Data Format".
 */
#ifndef BARECOUNT_PMU_BASE_DEFLATE_H
#define BARECOUNT_PMU_BASE_DEFLATE_H

#include "pmu/base/out.h"

#define DEFLATE_WINDOW    32768u /* the largest distance of a match */
#define DEFLATE_HASHES    4096u
#define DEFLATE_BYTES_MAX 0xffffffffu /* inputs are shorter: position + 1 must fit in 32 bits */

/* Working memory of deflate_bytes(), which initialises it; too large for the stack. */
struct deflate {
    uint32_t newest[DEFLATE_HASHES]; /* the newest position with this hash, plus 1; 0: none */
    /* [position % DEFLATE_WINDOW]: the previous position in the same chain, plus 1; 0: none */
    uint32_t older[DEFLATE_WINDOW];
};

/*
 * Compresses `count` bytes (less than DEFLATE_BYTES_MAX) to `out` as one raw block with fixed
 * Huffman codes. The output depends on the input alone. The output is at most 9/8 as long as the
 * input, plus 3 bytes. Stops when `out` fails.
 */
void deflate_bytes(struct deflate *work, const void *bytes, size_t count, struct out *out);

/*
 * Expands raw blocks with fixed Huffman codes, such as deflate_bytes() and zlib (Z_FIXED) write.
 * Bytes after the last block are ignored. False if a block is of another type, malformed or cut
 * off, or if the blocks expand to more or fewer than `count` bytes.
 */
bool inflate_bytes(const void *bytes, size_t size, void *to, size_t count);

#endif
