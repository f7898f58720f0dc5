/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel made of bytes of machine code, as nanoBench takes them: the code many times behind
 * itself, perhaps in a loop. It has a second entry with twice as many copies: what that counts
 * more is of the copies alone, whatever stands around them.
 *
 * Both entries begin with: R14, RDI, RSI, RBP = the middles of four areas of 64 KiB of the buffer;
 * then `init`, once; then, with a loop, R15 = its counter, which the code must leave alone. RSP
 * must be what it was in the end; all else may be changed.
 */
#ifndef BARECOUNT_KERNELS_CODE_H
#define BARECOUNT_KERNELS_CODE_H

#include "kernels/check.h"

#define KERNEL_CODE_FAMILY "code"
#define KERNEL_CODE_AREA   0x10000u
#define KERNEL_CODE_BUFFER (4 * KERNEL_CODE_AREA)

struct kernel_code {
    const char *name; /* as kernel_record.name */
    const uint8_t *code;
    uint32_t code_bytes; /* 1 or more */
    const uint8_t *init;
    uint32_t init_bytes; /* 0: none */
    uint32_t unroll;     /* copies at n, 1 or more; at 2n twice as many */
    uint32_t loop;       /* 0: they run once, without a loop */
};

/* Where it puts them, from either entry on. */
struct kernel_code_places {
    uint32_t init_at;
    uint32_t copy_at; /* the first of the copies, which follow each other */
};

struct kernel_code_places kernel_code_places(const struct kernel_code *code);

/* Bytes of its kernel, record and padding included. */
uint64_t kernel_code_size(const struct kernel_code *code);

/*
 * Makes the kernel at `to`, kernel_code_size() bytes (below 4 GiB) that are aligned to 8. Its n is
 * how often the code runs at the first entry. Returns the offset of the second.
 */
uint32_t kernel_code_make(const struct kernel_code *code, void *to, kernel_crc32 *crc32);

#endif
