/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the parser of plan files (plan.c) and the meaning of its keys (plan_keys.c). */
#ifndef BARECOUNT_PMU_PLAN_KEYS_H
#define BARECOUNT_PMU_PLAN_KEYS_H

#include "plan.h"

/* A piece of the file: from `at`, `size` bytes, white space cut off at both ends. */
struct piece {
    const char *at;
    size_t size;
};

struct parser {
    struct plan *plan;
    uint32_t line;
    bool in_run;        /* within [run] */
    bool skipping;      /* within a section that is not known */
    uint32_t keys_seen; /* bit i: PLAN_KEYS[i] */
};

/* Whether a piece is a word. */
bool piece_is(struct piece piece, const char *word);

/* Splits a piece at the first `c`: returns what stands before it and leaves the rest in *rest. */
struct piece piece_cut(struct piece piece, char c, struct piece *rest);

/* A printable copy of a piece, cut to PLAN_NAME_BYTES. */
const char *piece_show(struct piece piece, char buffer[PLAN_NAME_BYTES]);
_Static_assert(PLAN_LABEL_BYTES == PLAN_NAME_BYTES, "piece_show() makes both");

/* A key of [run], and what takes its value or complains of it. */
struct plan_key {
    const char *key;
    void (*take)(struct parser *p, struct piece value);
};
#define PLAN_KEYS_COUNT 7u
extern const struct plan_key PLAN_KEYS[PLAN_KEYS_COUNT];

#endif
