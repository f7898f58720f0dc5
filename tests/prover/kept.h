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
    char *why;         /* what was changed, or failed, when a check fails */
    size_t why_bytes;
};

/* An unlikely number, different for each register. */
unsigned long long scrambled(unsigned index);

/* Sets the child's XMM registers to such numbers; `vectors` is its state afterwards. */
bool vectors_scramble(struct kept *kept, struct user_fpregs_struct *vectors);

/* Checks the general registers, in the order of the clobbers' bits, without RSP. */
bool registers_kept(struct kept *kept, const struct user_regs_struct *before,
                    const struct user_regs_struct *after);

/* Checks XMM and x87 registers, and MXCSR and the x87 control word, which records cannot list. */
bool vectors_kept(struct kept *kept, const struct user_fpregs_struct *before);

#endif
