/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * @NAME@: a kernel of your own, in C. Build and prove it with: scripts/build-kernel @NAME@.c
 *
 * Lines that begin with // and a word in capitals are its record; kernels/kernel.inc has them all.
 */

// The name in plans and results, as that of the file; a title for --list-kernels.
// KERNEL @NAME@, "n times: a load, an addition, a store"

// How often, where the plan does not say. The kernel runs at n and at 2n.
// DEFAULT_N 1000

// Bytes and alignment of the buffer; without this line there is none. It is zeroed once.
// BUFFER 4096, 64

// What the kernel executes: c0, c1 for c0 + c1 * n. The first c0 has two moves that bring bytes and
// argument to where a function has them, and a NOP that aligns the function. After a change of the
// code, or of clang, scripts/build-kernel --declare @NAME@.c says which lines hold.
// DECLARE instructions, exact, 4, 4
// DECLARE branches, exact, 0, 1
// DECLARE taken_branches, exact, -1, 1
// DECLARE loads, exact, 0, 1
// DECLARE stores, exact, 0, 1

// Further lines: NEEDS avx2 (the CPU's features, which clang then uses), CLOBBERS vectors (floating
// point, by SSE2), ARGUMENT stride, 64, 8, 4096, 8 (a name in plans for `argument`).
#include <stdint.h>

// For any n from 1 on. The compiler leaves out what nobody needs, but nothing that is volatile.
// Two more parameters can follow: uint64_t bytes, of the buffer, and uint64_t argument. It may
// write to its buffer and its stack; there is no libc, and no variable that keeps its value.
void kernel(uint64_t n, volatile uint64_t *buffer)
{
    uint64_t sum = 0;

    do {
        sum += buffer[0];
        buffer[1] = sum;
    } while (--n);
}
