/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * @NAME@: a kernel of your own, in C. Build and prove it with: scripts/build-kernel @NAME@.c
 *
 * Lines that begin with // and a word in capitals describe the kernel; kernels/kernel.inc explains
 * all such words.
 */

// The name must be this file's name without .c. The title is for --list-kernels.
// KERNEL @NAME@, "n times: a load, an addition, a store"

// The kernel runs at n and at 2n. Plans may set another n.
// DEFAULT_N 1000

// Bytes and alignment of the buffer, which is zeroed once. Without a buffer, leave out this line.
// BUFFER 4096, 64

// `exact, c0, c1` declares c0 + c1 * n. The entry executes three instructions before the function:
// two moves and one NOP. scripts/build-kernel --declare @NAME@.c prints correct lines.
// DECLARE instructions, exact, 4, 4
// DECLARE branches, exact, 0, 1
// DECLARE taken_branches, exact, -1, 1
// DECLARE loads, exact, 0, 1
// DECLARE stores, exact, 0, 1

// You may add NEEDS avx2 for CPU features, which clang then uses, and CLOBBERS vectors for floating
// point in SSE2 code. ARGUMENT stride, 64, 8, 4096, 8 gives `argument` a name in plans.
#include <stdint.h>

// The function must work for any n from 1. The compiler removes unused code, except accesses to
// volatile data. You may add two parameters: uint64_t bytes (of the buffer) and uint64_t argument.
// The kernel may write to its buffer and stack; it cannot use libc or static variables.
void kernel(uint64_t n, volatile uint64_t *buffer)
{
    uint64_t sum = 0;

    do {
        sum += buffer[0];
        buffer[1] = sum;
    } while (--n);
}
