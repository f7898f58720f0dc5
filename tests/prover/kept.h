/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a traced kernel preserves all registers that its record does not list. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_KEPT_H
#define BARECOUNT_TESTS_PROVER_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct kept {
    pid_t child;
    uint32_t clobbers; /* from the record */
    char *why;
    size_t why_bytes;
};

/* A number that is different for each register, and that kernels are unlikely to use. */
unsigned long long scrambled(unsigned index);

/* Sets the child's XMM registers to scrambled numbers; `vectors` gets the new state. */
bool vectors_scramble(struct kept *kept, struct user_fpregs_struct *vectors);

/* Checks the general registers except RSP, in the order of the bits of `clobbers`. */
bool registers_kept(struct kept *kept, const struct user_regs_struct *before,
                    const struct user_regs_struct *after);

/*
 * Checks MXCSR's control bits and the x87 control word. This also checks the XMM and x87 registers,
 * unless they are clobbers.
 */
bool vectors_kept(struct kept *kept, const struct user_fpregs_struct *before);

#endif
