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
    bool known; /* otherwise loads and stores are not valid */
    bool loads;
    bool stores;
    bool repeats;  /* REP: one instruction, but a single step ends at each repetition */
    bool emulated; /* CPUID: some hypervisors occasionally lose the trap of its single step */
    bool returns;
    bool writes_rdi;
    enum branch_kind branch;
    uint8_t condition; /* of BRANCH_IF */
    uint8_t bytes;     /* its length; 0: not known */
    int64_t target;    /* of a direct branch, relative to the instruction */
    char text[80];
};

/* Returns false if no decoder is available. */
bool decode_open(void);
void decode_close(void);

/*
 * Decodes an instruction; prover/newer.c decodes those that Capstone does not know. Those that
 * access memory are `known` if they are in a table or only load a vector register.
 */
void decode(const uint8_t *code, size_t bytes, struct effect *effect);

/* Whether the branch will be taken, given RFLAGS and RCX before it, whatever its target. */
bool branch_is_taken(const struct effect *effect, uint64_t rflags, uint64_t rcx);

#endif
