/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a traced kernel has left alone what its record does not name as changed. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_KEPT_H
#define BARECOUNT_TESTS_PROVER_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct kept {
    pid_t child;
    uint32_t clobbers; /* of the record */
    char *why;         /* what was changed, or failed, when an answer is no */
    size_t why_bytes;
};

/* A number that looks like nothing a kernel could want, differently for each register. */
unsigned long long scrambled(unsigned index);

/* Gives the child such XMM registers; `vectors` is what it has then. */
bool vectors_scramble(struct kept *kept, struct user_fpregs_struct *vectors);

/* The general registers in the order of the clobbers' bits, but for RSP. */
bool registers_kept(struct kept *kept, const struct user_regs_struct *before,
                    const struct user_regs_struct *after);

/* The child's XMM and x87 registers; and MXCSR and the x87 control word, which no record can name.
 */
bool vectors_kept(struct kept *kept, const struct user_fpregs_struct *before);

#endif
