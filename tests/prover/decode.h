/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an instruction adds to the counts that kernels declare, told from its bytes before it runs.
 *
 * Host only. One decoder for the process; not for several threads.
 */
#ifndef BARECOUNT_TESTS_PROVER_DECODE_H
#define BARECOUNT_TESTS_PROVER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum branch_kind {
    BRANCH_NONE,
    BRANCH_ALWAYS,  /* jmp, call, ret */
    BRANCH_IF,      /* a condition on the flags, in the encoding of Jcc */
    BRANCH_LOOP,    /* decrements RCX; taken while it is not 0 */
    BRANCH_LOOPE,   /* and ZF */
    BRANCH_LOOPNE,  /* and not ZF */
    BRANCH_IF_RCXZ, /* RCX is 0 */
};

struct effect {
    bool known; /* else the other fields say nothing, but for text */
    bool loads;
    bool stores;
    bool repeats; /* traps once for each repetition, and is one instruction */
    bool returns;
    bool writes_rdi;
    enum branch_kind branch;
    uint8_t condition; /* of BRANCH_IF */
    uint8_t bytes;     /* how long it is; 0: could not be told */
    int64_t target;    /* of a direct branch, from the instruction's start */
    char text[80];
};

/* False when there is no decoder. */
bool decode_open(void);
void decode_close(void);

/*
 * What accesses memory and is not in the decoder's table of memory rules is not `known`.
 * Instructions newer than Capstone are told by prover/newer.c.
 */
void decode(const uint8_t *code, size_t bytes, struct effect *effect);

/* Whether the branch will be taken, from RFLAGS and RCX before it. Where it leads plays no part. */
bool branch_is_taken(const struct effect *effect, uint64_t rflags, uint64_t rcx);

#endif
