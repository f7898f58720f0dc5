/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run one kernel in a process of its own, one instruction at a time, and count what it does.
 *
 * Host only. The kernel has been accepted by kernel_check(), and the host has the CPU features it
 * needs. decode_open() comes first.
 */
#ifndef BARECOUNT_TESTS_PROVER_TRACE_H
#define BARECOUNT_TESTS_PROVER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

/*
 * A kernel that has not returned after four times the instructions it declares, and these, has run
 * away; one that declares none, after those; and what is not stepped through after these seconds of
 * CPU time.
 */
#define TRACE_STEPS_SPARE      50000u
#define TRACE_STEPS_UNDECLARED 1000000u
#define RUN_SECONDS_MAX        5u

/* One run of a kernel. */
struct values {
    uint64_t n;
    uint32_t argument;
    bool whole;     /* all of its code must be gone through: prover/whole.h */
    uint64_t steps; /* at most so many; 0: by what the kernel declares */
    bool *has_rep;  /* set when a repeated string instruction was stepped over; may be NULL */
};

/*
 * Calls prepare and the kernel as kernel.h says, in the first role and with the argument in R9, and
 * counts the kernel's instructions, without its last return. Only the kernel is stepped through;
 * prepare runs at full speed. False, with the reason in `why`, when the kernel breaks a promise: a
 * fault, a jump out of its code, an instruction of another length than the decoder says, RSP,
 * MXCSR's control bits or DF changed, a register changed that is not among its clobbers, a write
 * beside its buffer or above its stack, more than a page of stack, or no return. With `counts` NULL
 * the kernel runs at full speed, too, and promises no less, but where it went is not looked at.
 * A fault, a jump and a write have their place in `why` as results have it: "at ENTRY+0x1c".
 */
bool trace_kernel(const struct kernel_record *kernel, const struct values *values,
                  uint64_t counts[KERNEL_DECLARATIONS], char *why, size_t why_bytes);

#endif
