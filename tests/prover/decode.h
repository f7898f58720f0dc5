/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instruction's effect on the counts that kernels declare, found from its bytes before it runs.
 *
 * Host only. There is one decoder per process, which is not thread-safe.
 */
#ifndef BARECOUNT_TESTS_PROVER_DECODE_H
#define BARECOUNT_TESTS_PROVER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum branch_kind {
    BRANCH_NONE,
    BRANCH_ALWAYS,  /* jmp, call, ret */
    BRANCH_IF,      /* on flags, encoded as in Jcc */
    BRANCH_LOOP,    /* decrements RCX, taken if it is not 0 */
    BRANCH_LOOPE,   /* and ZF */
    BRANCH_LOOPNE,  /* and not ZF */
    BRANCH_IF_RCXZ, /* RCX is 0 */
};

struct effect {
    bool known; /* otherwise only text is valid */
    bool loads;
    bool stores;
    bool repeats;  /* traps at each repetition, but is one instruction */
    bool emulated; /* by hypervisors, some of which lose a single step's trap now and then */
    bool returns;
    bool writes_rdi;
    enum branch_kind branch;
    uint8_t condition; /* of BRANCH_IF */
    uint8_t bytes;     /* its length; 0: not known */
    int64_t target;    /* of a direct branch, relative to the instruction */
    char text[80];
};

/* False: no decoder is available. */
bool decode_open(void);
void decode_close(void);

/*
 * Decodes an instruction. One that accesses memory and is not in the table of memory rules is not
 * `known`. Instructions newer than Capstone are decoded by prover/newer.c.
 */
void decode(const uint8_t *code, size_t bytes, struct effect *effect);

/* Whether the branch will be taken, given RFLAGS and RCX before it, whatever its target. */
bool branch_is_taken(const struct effect *effect, uint64_t rflags, uint64_t rcx);

#endif
