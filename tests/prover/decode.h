/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instruction's effect on the counts that kernels declare, decoded before it runs. Host only.
 *
 * There is one decoder for each process, and it is not thread-safe.
 */
#ifndef BARECOUNT_TESTS_PROVER_DECODE_H
#define BARECOUNT_TESTS_PROVER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

enum branch_kind {
    BRANCH_NONE,
    BRANCH_ALWAYS,  /* jmp, call, ret, far ret; all kinds below are conditional */
    BRANCH_IF,      /* Jcc: taken if the flags fulfil `condition` */
    BRANCH_LOOP,    /* decrements RCX, and is taken if RCX is then not 0 */
    BRANCH_LOOPE,   /* like LOOP, but taken only if ZF is also 1 */
    BRANCH_LOOPNE,  /* like LOOP, but taken only if ZF is also 0 */
    BRANCH_IF_RCXZ, /* taken if RCX is 0 */
};

#define BASE_RIP  16u
#define BASE_NONE 17u

struct effect {
    bool known; /* false: `loads` and `stores` are not valid */
    bool loads;
    bool stores;
    bool repeats;  /* it has a REP prefix, so a single step ends after each repetition */
    bool emulated; /* it is CPUID, whose single-step trap some hypervisors occasionally lose */
    bool returns;
    bool writes_rdi;
    enum branch_kind branch;
    uint8_t condition;   /* the low 4 bits of Jcc's opcode */
    uint8_t bytes;       /* its length; 0: not known */
    uint64_t properties; /* bit i: counts for property number i, even if not taken */
    uint8_t times;       /* 1, or 2 for a fused multiplication, which counts twice */
    int64_t target;      /* where a direct branch leads, relative to the instruction */
    struct access {
        bool loads, stores;
        uint8_t bytes;
        uint8_t base;  /* from 0 for RAX to 15 for R15; or BASE_RIP, BASE_NONE */
        uint8_t index; /* like base */
        uint8_t scale;
        int64_t offset;
    } access[2]; /* of its memory operands; there are at most two */
    char text[80];
};

/* Returns false if no decoder is available. */
bool decode_open(void);
void decode_close(void);

/*
 * Decodes an instruction. An instruction is `known` if it has no memory operand, if a table of
 * prover/decode.c or prover/newer.c lists its accesses, or if one load reads its memory operand
 * into a vector register. An instruction is not `known` if it cannot be decoded, if HIDDEN lists
 * it, or if it has the prefix 67H.
 */
void decode(const uint8_t *code, size_t bytes, struct effect *effect);

/* Adds an instruction's counts, except those that depend on whether a branch is taken. */
void effect_count(const struct effect *effect, uint64_t counts[KERNEL_COUNTS]);

/* Whether the instruction is a conditional branch. */
static inline bool branch_is_conditional(const struct effect *effect)
{
    return effect->branch > BRANCH_ALWAYS;
}

/* Whether the branch is taken; `rflags` and `rcx` are the values before it. */
bool branch_is_taken(const struct effect *effect, uint64_t rflags, uint64_t rcx);

#endif
