/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes made smaller for a slow line: RFC 1951, "DEFLATE Compressed Data Format". */
#ifndef BARECOUNT_PMU_BASE_DEFLATE_H
#define BARECOUNT_PMU_BASE_DEFLATE_H

#include "pmu/base/out.h"

#define DEFLATE_WINDOW    32768u /* bytes that a match may lie back */
#define DEFLATE_HASHES    4096u
#define DEFLATE_BYTES_MAX 0xffffffffu /* places are counted from 1, in 32 bits */

/* What deflate_bytes() works with, which need not be set before; too large for a stack. */
struct deflate {
    uint32_t newest[DEFLATE_HASHES]; /* by hash: the newest place of its bytes, from 1; 0: none */
    uint32_t older[DEFLATE_WINDOW];  /* by place modulo the window: the next older one, likewise */
};

/*
 * Writes `count` bytes to `out` as one block with fixed Huffman codes, which any inflate takes as a
 * raw stream. The same bytes always give the same stream, of at most 9/8 of them and 3 bytes. It
 * stops where `out` fails. count < DEFLATE_BYTES_MAX.
 */
void deflate_bytes(struct deflate *work, const void *bytes, size_t count, struct out *out);

#endif
