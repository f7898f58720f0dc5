/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that Capstone 4.0.2 does not know, told by a table of opcodes of our own.
 *
 * Host only. Intel SDM vol. 2A "Instruction Format", "Intel AVX-512 Encoding"; vol. 2D "Opcode
 * Map".
 */
#ifndef BARECOUNT_TESTS_PROVER_NEWER_H
#define BARECOUNT_TESTS_PROVER_NEWER_H

#include "tests/prover/decode.h"

/* False when the instruction is not in the table, or has a form that the table does not cover. */
bool newer_decode(const uint8_t *code, size_t bytes, struct effect *effect);

#endif
