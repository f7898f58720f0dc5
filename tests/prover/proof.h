/* SPDX-License-Identifier: BSD-2-Clause */
/* Which proof a kernel gets here, and what is counted by it. Host only. decode_open() comes first.
 */
#ifndef BARECOUNT_TESTS_PROVER_PROOF_H
#define BARECOUNT_TESTS_PROVER_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"
#include "tests/prover/trace.h"

/*
 * PROOF_BOTH: it was stepped, and it is of the shape that can be decoded: the counts must agree.
 * PROOF_RAN: it was decoded, and ran at full speed to see that it breaks no promise.
 */
enum proof { PROOF_STEPPED, PROOF_DECODED, PROOF_BOTH, PROOF_RAN, PROOFS };

/*
 * By stepping where that can be, unless decode_only; never PROOF_RAN. False, with the reason in
 * `why`, when the kernel cannot be proved here; *excused then says that this is nobody's mistake.
 */
bool proof_choose(const struct kernel_record *kernel, bool decode_only, enum proof *proof,
                  bool *excused, char *why, size_t why_bytes);

/* Runs or decodes it; false, with the reason in `why`, when that fails or the two differ. */
bool proof_count(const struct kernel_record *kernel, const struct values *values, enum proof proof,
                 uint64_t counts[KERNEL_DECLARATIONS], char *why, size_t why_bytes);

#endif
