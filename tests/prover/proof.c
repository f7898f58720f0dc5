/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses and makes a kernel's proof. */
#include "tests/prover/proof.h"

#include <stdio.h>
#include <string.h>

#include "tests/prover/host.h"
#include "tests/prover/static.h"

bool proof_choose(const struct kernel_record *kernel, bool decode_only, enum proof *proof,
                  bool *excused, char *why, size_t why_bytes)
{
    uint64_t lacking = host_lacks(kernel->cpu_features);
    bool is_alone = !(kernel->flags & (KERNEL_RING0 | KERNEL_PAIR));
    uint64_t counts[KERNEL_COUNTS];
    char shape[160];
    bool decodes = static_counts(kernel, 1, counts, shape, sizeof(shape));

    *excused = !is_alone || (decode_only && lacking == 0);
    *proof = PROOF_DECODED;
    if (is_alone && lacking == 0 && !decode_only)
        *proof = decodes ? PROOF_BOTH : PROOF_STEPPED;
    if (decodes || *proof == PROOF_STEPPED)
        return true;
    if (!is_alone) {
        snprintf(why, why_bytes, "%s",
                 kernel->flags & KERNEL_PAIR ? "needs two CPUs" : "needs ring 0");
    } else if (lacking != 0) {
        char lack[160];
        host_lacks_words(lacking, lack, sizeof(lack));
        snprintf(why, why_bytes, "%.150s; %.150s", lack, shape);
    } else {
        snprintf(why, why_bytes, "%s", shape);
    }
    return false;
}

bool proof_count(const struct kernel_record *kernel, const struct values *values, enum proof proof,
                 uint64_t counts[KERNEL_COUNTS], char *why, size_t why_bytes)
{
    bool steps = proof == PROOF_STEPPED || proof == PROOF_BOTH;
    uint64_t decoded[KERNEL_COUNTS];

    if (proof != PROOF_DECODED &&
        !trace_kernel(kernel, values, steps ? counts : NULL, why, why_bytes))
        return false;
    if (!steps)
        return static_counts(kernel, values->n, counts, why, why_bytes);
    if (proof == PROOF_STEPPED)
        return true;
    snprintf(why, why_bytes, "the decoded counts differ from the stepped counts");
    if (!static_counts(kernel, values->n, decoded, why, why_bytes))
        return false;
    decoded[PROPERTY_SPLIT_LOADS] = counts[PROPERTY_SPLIT_LOADS];
    decoded[PROPERTY_SPLIT_STORES] = counts[PROPERTY_SPLIT_STORES];
    return memcmp(counts, decoded, sizeof(decoded)) == 0;
}
