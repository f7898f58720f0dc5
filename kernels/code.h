/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes kernels from machine code, as nanoBench does: consecutive copies of the code, optionally in
 * a loop. A second entry point runs twice as many copies.
 *
 * The buffer is four areas of 64 KiB. R14, RDI, RSI and RBP are set to the middle of the first,
 * second, third and fourth area. Then `init` runs once. The code must not change R15, the loop's
 * counter, and must restore RSP.
 */
#ifndef BARECOUNT_KERNELS_CODE_H
#define BARECOUNT_KERNELS_CODE_H

#include "kernels/check.h"

#define KERNEL_CODE_FAMILY "code"
#define KERNEL_CODE_AREA   0x10000u
#define KERNEL_CODE_BUFFER (4 * KERNEL_CODE_AREA)

struct kernel_code {
    const char *name; /* as in kernel_record.name */
    const uint8_t *code;
    uint32_t code_bytes; /* at least 1 */
    const uint8_t *init;
    uint32_t init_bytes; /* 0: none */
    uint32_t unroll;     /* copies of the code at n, at least 1; twice as many at 2n */
    uint32_t loop;       /* iterations; 0: no loop */
};

/* Offsets of `init` and of the first copy from an entry point; the same for both entry points. */
struct kernel_code_places {
    uint32_t init_at;
    uint32_t copy_at;
};

struct kernel_code_places kernel_code_places(const struct kernel_code *code);

/* The size of the kernel in bytes, including record and padding. */
uint64_t kernel_code_size(const struct kernel_code *code);

/*
 * Makes the kernel at `to`, which must be aligned to 8 and have room for kernel_code_size() bytes.
 * The size must be below 4 GiB. The record's default_n is how many times a call of the first entry
 * point runs the code: `unroll`, times `loop` if that is not 0. Returns the offset of the second
 * entry point.
 */
uint32_t kernel_code_make(const struct kernel_code *code, void *to, kernel_crc32 *crc32);

#endif
