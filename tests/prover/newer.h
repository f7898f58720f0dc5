/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes instructions that Capstone 4.0.2 does not know, by a table of opcodes.
 *
 * Host only. Intel SDM vol. 2A "Instruction Format", "Intel AVX-512 Encoding"; vol. 2D "Opcode
 * Map".
 */
#ifndef BARECOUNT_TESTS_PROVER_NEWER_H
#define BARECOUNT_TESTS_PROVER_NEWER_H

#include "tests/prover/decode.h"

/* Returns false if the instruction, or this form of it, is not in the table. */
bool newer_decode(const uint8_t *code, size_t bytes, struct effect *effect);

#endif
