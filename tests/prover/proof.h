/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses how a kernel is proved, and counts the kernel's events in this way. Host only. Requires
 * decode_open().
 */
#ifndef BARECOUNT_TESTS_PROVER_PROOF_H
#define BARECOUNT_TESTS_PROVER_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"
#include "tests/prover/trace.h"

/*
 * PROOF_BOTH: stepped and decoded, with the same counts. PROOF_RAN: decoded, and run at full speed
 * to check the promises in prover/trace.h.
 */
enum proof { PROOF_STEPPED, PROOF_DECODED, PROOF_BOTH, PROOF_RAN, PROOFS };

/*
 * Chooses a proof, but never PROOF_RAN. The proof includes stepping if this is possible and
 * decode_only is false. Returns false, with the reason in `why`, if the kernel cannot be proved on
 * this host. Such a kernel is an error unless *excused is set.
 */
bool proof_choose(const struct kernel_record *kernel, bool decode_only, enum proof *proof,
                  bool *excused, char *why, size_t why_bytes);

/* Returns false, with the reason in `why`, if the proof fails or its two methods disagree. */
bool proof_count(const struct kernel_record *kernel, const struct values *values, enum proof proof,
                 uint64_t counts[KERNEL_COUNTS], char *why, size_t why_bytes);

#endif
