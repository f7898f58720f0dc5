/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes a kernel's counts from its bytes. */
#include "tests/prover/static.h"

#include <stdio.h>
#include <string.h>

#include "tests/prover/decode.h"

#define CONDITION_NZ 5

/* The counts of all instructions from the kernel's entry up to some instruction. */
struct place {
    uint64_t counts[KERNEL_COUNTS];
    unsigned rdi_writes;
};

static void add(struct place *place, const struct effect *effect)
{
    effect_count(effect, place->counts);
    place->rdi_writes += effect->writes_rdi;
}

static bool is_dec_rdi(const uint8_t *code, size_t at)
{
    static const uint8_t DEC_RDI[] = {0x48, 0xff, 0xcf};

    return at >= sizeof(DEC_RDI) && memcmp(code + at - sizeof(DEC_RDI), DEC_RDI, 3) == 0;
}

/*
 * `end` is an offset in the record. Returns false if no instruction begins at `end`, or if an
 * instruction before `end` is not known.
 */
static bool walk(const struct kernel_record *kernel, size_t end, struct place *place)
{
    const uint8_t *code = (const uint8_t *)kernel;
    struct effect effect;

    memset(place, 0, sizeof(*place));
    for (size_t at = kernel->entry_offset; at != end; at += effect.bytes) {
        if (at > end)
            return false;
        decode(code + at, end - at, &effect);
        if (!effect.known || effect.bytes == 0)
            return false;
        add(place, &effect);
    }
    return true;
}

/*
 * Whether prepare preserves RDI, the number of turns; false if prepare is after the entry or cannot
 * be decoded.
 */
static bool prepare_keeps_rdi(const struct kernel_record *kernel)
{
    const uint8_t *code = (const uint8_t *)kernel;
    struct effect effect;

    if (kernel->prepare_offset == 0)
        return true;
    if (kernel->prepare_offset > kernel->entry_offset)
        return false;
    for (size_t at = kernel->prepare_offset; at < kernel->entry_offset; at += effect.bytes) {
        decode(code + at, kernel->entry_offset - at, &effect);
        if (effect.bytes == 0 || effect.writes_rdi)
            return false;
    }
    return true;
}

/* Sets the counts of one turn of the loop that ends at branch `at`; returns an error or null. */
static const char *close_loop(const struct kernel_record *kernel, size_t at,
                              const struct effect *effect, const struct place *before,
                              struct place *turn)
{
    struct place to_start;
    int64_t start = (int64_t)at + effect->target;

    if (effect->branch != BRANCH_IF || effect->condition != CONDITION_NZ ||
        !is_dec_rdi((const uint8_t *)kernel, at))
        return "a branch that is not DEC RDI, JNZ";
    if (start < (int64_t)kernel->entry_offset || start >= (int64_t)at ||
        !walk(kernel, (size_t)start, &to_start))
        return "a branch that leads to no instruction before it";
    for (size_t i = 0; i < KERNEL_COUNTS; i++)
        turn->counts[i] = before->counts[i] - to_start.counts[i];
    return before->rdi_writes == 1 && prepare_keeps_rdi(kernel) ? NULL
                                                                : "RDI is written elsewhere, too";
}

bool static_counts(const struct kernel_record *kernel, uint64_t n, uint64_t counts[KERNEL_COUNTS],
                   char *why, size_t why_bytes)
{
    const uint8_t *code = (const uint8_t *)kernel;
    size_t end = kernel->record_bytes + kernel->code_bytes;
    struct place place = {0}, turn = {0};
    const char *trouble = NULL;
    bool has_loop = false;
    struct effect effect;

    for (size_t at = kernel->entry_offset; trouble == NULL; at += effect.bytes) {
        if (at >= end) {
            trouble = "runs out of its code";
            break;
        }
        decode(code + at, end - at, &effect);
        if (!effect.known || effect.bytes == 0) {
            snprintf(why, why_bytes, "cannot be decoded: %s (record + %#zx)", effect.text, at);
            return false;
        }
        if (effect.returns)
            break;
        add(&place, &effect);
        if (effect.branch == BRANCH_NONE)
            continue;
        trouble =
            has_loop ? "more than one branch" : close_loop(kernel, at, &effect, &place, &turn);
        has_loop = true;
    }
    if (trouble != NULL) {
        snprintf(why, why_bytes, "not of the form that is counted without running: %s", trouble);
        return false;
    }
    for (size_t i = 0; i < KERNEL_COUNTS; i++)
        counts[i] = place.counts[i] + (n - 1) * turn.counts[i];
    counts[KERNEL_TAKEN_BRANCHES] = counts[PROPERTY_CONDITIONAL_TAKEN] = has_loop ? n - 1 : 0;
    counts[PROPERTY_NOT_TAKEN] = has_loop ? 1 : 0;
    return true;
}
