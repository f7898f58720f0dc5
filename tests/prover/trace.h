/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one kernel in a process of its own, one instruction at a time, and counts its events. Host
 * only. Requires kernel_check(), decode_open(), and the CPU features that the kernel needs.
 */
#ifndef BARECOUNT_TESTS_PROVER_TRACE_H
#define BARECOUNT_TESTS_PROVER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

/*
 * A kernel that exceeds its limit is killed, and reported as running away. For a stepped kernel,
 * the limit is `steps` of struct values. If `steps` is 0, the limit is four times the declared
 * instructions plus TRACE_STEPS_SPARE. If instructions are not declared, the limit is
 * TRACE_STEPS_UNDECLARED. At full speed, the limit is RUN_SECONDS_MAX seconds of CPU time.
 */
#define TRACE_STEPS_SPARE      50000u
#define TRACE_STEPS_UNDECLARED 1000000u
#define RUN_SECONDS_MAX        5u

struct values {
    uint64_t n;
    uint32_t argument;
    bool whole;     /* the kernel must execute all of its code (prover/whole.h) */
    uint64_t steps; /* instruction limit; 0: computed from what the kernel declares */
    bool *has_rep;  /* set if a repeated string instruction was executed; may be null */
};

/*
 * Calls prepare and the kernel as kernel.h describes for the first role, with the argument in R9.
 * Steps through the kernel and counts its events, except those of its last return. prepare runs at
 * full speed. If `counts` is null, the kernel runs at full speed too, and single instructions are
 * not checked.
 *
 * Returns false, with the reason in `why`, if the kernel breaks a promise. A kernel breaks a
 * promise if
 * - it faults, jumps out of its code, or does not return,
 * - the length of an instruction is not what the decoder says,
 * - it changes RSP, MXCSR's control bits, DF or a register that is not a clobber,
 * - it writes outside its buffer or above its stack, or uses more than a page of stack.
 *
 * `why` includes the place of a fault, jump or write, such as "at ENTRY+0x1c".
 */
bool trace_kernel(const struct kernel_record *kernel, const struct values *values,
                  uint64_t counts[KERNEL_COUNTS], char *why, size_t why_bytes);

#endif
