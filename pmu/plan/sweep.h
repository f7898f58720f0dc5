/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of a kernel's parameter: a number, a sweep (4K..64M*2 multiplies by 2 up to 64M,
 * 0..90+10 adds 10), or several of both with commas between them. They are made one by one, so that
 * a plan needs no room for what it does not use.
 */
#ifndef BARECOUNT_PMU_PLAN_SWEEP_H
#define BARECOUNT_PMU_PLAN_SWEEP_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

struct sweep_parameter {
    const char *name;
    bool (*read)(struct piece piece, uint64_t *value);
    uint64_t low, high;   /* of its values, both included */
    const char *expected; /* the words that it takes; null: it takes numbers, and their sweeps */
};

struct sweep {
    const struct sweep_parameter *parameter;
    struct piece rest; /* what is not begun yet */
    bool comma;        /* something must follow it */
    bool going;        /* within an element */
    bool multiply;
    uint64_t next, last, step;
};

void sweep_begin(struct sweep *sweep, const struct sweep_parameter *parameter, struct piece values);

/*
 * The next value. False at the end, or, with a sentence in *why, when what follows is no value or
 * would never end.
 */
bool sweep_next(struct sweep *sweep, uint64_t *value, struct out *why);

#endif
