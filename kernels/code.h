/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel made of bytes of machine code, as in nanoBench: consecutive copies of the code,
 * optionally in a loop. The kernel has a second entry point, at which code with twice as many
 * copies begins. The counts from the two entry points therefore differ only by what the additional
 * copies do.
 *
 * The buffer is four consecutive areas of 64 KiB. At both entry points, R14 is set to the middle of
 * the first area, RDI to that of the second, RSI to that of the third, and RBP to that of the
 * fourth. Then `init` runs once. If there is a loop, R15 is its counter, which the code must not
 * change. RSP must end with its initial value. The code may change all other registers.
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

/* Offsets, which are the same from both entry points. */
struct kernel_code_places {
    uint32_t init_at;
    uint32_t copy_at; /* the first copy of the code */
};

struct kernel_code_places kernel_code_places(const struct kernel_code *code);

/* The size of the kernel, including record and padding. */
uint64_t kernel_code_size(const struct kernel_code *code);

/*
 * Makes the kernel at `to`, which must be aligned to 8 bytes and have room for kernel_code_size()
 * bytes. The kernel's size must be less than 4 GiB. The kernel's n is how many times the code runs
 * from the first entry point. Returns the offset of the second entry point.
 */
uint32_t kernel_code_make(const struct kernel_code *code, void *to, kernel_crc32 *crc32);

#endif
