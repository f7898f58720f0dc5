/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a kernel executed all of its code. */
#include "tests/prover/whole.h"

#include <stdint.h>
#include <stdio.h>

#include "tests/prover/decode.h"

#define INT3 0xcc

bool is_whole(const struct kernel_record *kernel, const bool *ran, char *why, size_t why_bytes)
{
    const uint8_t *code = (const uint8_t *)kernel;
    size_t start = kernel->record_bytes;
    size_t end = kernel->second_offset != 0 ? kernel->second_offset : start + kernel->code_bytes;
    bool has_argument = kernel->argument_step != 0;
    struct effect effect;

    for (size_t at = kernel->entry_offset; at < end; at += effect.bytes) {
        decode(code + at, end - at, &effect);
        if (ran[at - start] || code[at] == INT3 || effect.returns ||
            (has_argument && effect.branch == BRANCH_ALWAYS))
            continue;
        snprintf(why, why_bytes, "never executes: %s (code + %#zx)", effect.text, at - start);
        return false;
    }
    return true;
}
