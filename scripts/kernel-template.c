/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * @NAME@: a kernel of your own, in C. Build and prove it with: scripts/build-kernel @NAME@.c
 *
 * Lines that begin with // and a word in capitals describe the kernel; kernels/kernel.inc explains
 * all such words.
 */

// The kernel's name in plans and results, and the kernel's title in --list-kernels. The name must
// be this file's name without its suffix.
// KERNEL @NAME@, "n times: a load, an addition, a store"

// The n for plans that do not set n. The kernel runs at n and at 2n.
// DEFAULT_N 1000

// Bytes and alignment of the buffer, which is zeroed once. Without BUFFER there is no buffer.
// BUFFER 4096, 64

// What is expected of the kernel's counts: `exact, c0, c1` expects c0 + c1 * n. The c0 of the
// instructions includes two moves, which pass `bytes` and `argument` to the function, and one NOP.
// If you change the code or clang, scripts/build-kernel --declare @NAME@.c prints correct lines.
// DECLARE instructions, exact, 4, 4
// DECLARE branches, exact, 0, 1
// DECLARE taken_branches, exact, -1, 1
// DECLARE loads, exact, 0, 1
// DECLARE stores, exact, 0, 1

// Further lines: NEEDS avx2 (CPU features, which clang then uses), CLOBBERS vectors (for floating
// point in SSE2 code), ARGUMENT stride, 64, 8, 4096, 8 (a name in plans for `argument`).
#include <stdint.h>

// The function must work for any n from 1. The compiler removes unused code, except accesses to
// volatile data. Two more parameters can follow: uint64_t bytes (of the buffer) and uint64_t
// argument. The kernel may write to its buffer and stack; it cannot use libc or static variables.
void kernel(uint64_t n, volatile uint64_t *buffer)
{
    uint64_t sum = 0;

    do {
        sum += buffer[0];
        buffer[1] = sum;
    } while (--n);
}
