/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the opcodes of instructions that Capstone 4.0.2 does not know. Host only.
 *
 * See "Instruction Format" and "Intel AVX-512 Encoding" in Intel SDM vol. 2A, and "Opcode Map" in
 * vol. 2D.
 */
#ifndef BARECOUNT_TESTS_PROVER_NEWER_H
#define BARECOUNT_TESTS_PROVER_NEWER_H

#include "tests/prover/decode.h"

/* Returns false if the instruction, or this form of the instruction, is not known. */
bool newer_decode(const uint8_t *code, size_t bytes, struct effect *effect);

#endif
