/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one kernel in a process of its own, one instruction at a time, and counts.
 *
 * Host only. Requires kernel_check(), decode_open(), and the CPU features that the kernel needs.
 */
#ifndef BARECOUNT_TESTS_PROVER_TRACE_H
#define BARECOUNT_TESTS_PROVER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

/*
 * A stepped kernel has run away after four times its declared instructions plus TRACE_STEPS_SPARE,
 * or, without a declaration, after TRACE_STEPS_UNDECLARED; at full speed, it has run away after
 * RUN_SECONDS_MAX of CPU time.
 */
#define TRACE_STEPS_SPARE      50000u
#define TRACE_STEPS_UNDECLARED 1000000u
#define RUN_SECONDS_MAX        5u

/* One run of a kernel. */
struct values {
    uint64_t n;
    uint32_t argument;
    bool whole;     /* all of its code must be executed: prover/whole.h */
    uint64_t steps; /* limit of instructions; 0: follows from what the kernel declares */
    bool *has_rep;  /* set if a repeated string instruction was executed; may be null */
};

/*
 * Calls prepare and the kernel as described in kernel.h, in the first role and with the argument in
 * R9, and counts the kernel's instructions, without its last return. Only the kernel is stepped;
 * prepare runs at full speed. Returns false, with the reason in `why`, if the kernel breaks a
 * promise: by a fault, a jump out of its code, an instruction whose length is not as decoded, a
 * change of RSP, MXCSR's control bits, DF or a register that is not a clobber, a write outside its
 * buffer or above its stack, more than a page of stack, or not returning. If `counts` is null, the
 * kernel also runs at full speed, with these checks except those of single instructions. `why`
 * includes the place of a fault, jump or write as in results: "at ENTRY+0x1c".
 */
bool trace_kernel(const struct kernel_record *kernel, const struct values *values,
                  uint64_t counts[KERNEL_DECLARATIONS], char *why, size_t why_bytes);

#endif
