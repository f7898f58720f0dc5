/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of a kernel's parameter: a number, a word, a sweep (4K..64M*2 multiplies by 2 up to
 * 64M, 0..90+10 adds 10), or a comma-separated list of these.
 */
#ifndef BARECOUNT_PMU_PLAN_SWEEP_H
#define BARECOUNT_PMU_PLAN_SWEEP_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

struct sweep_parameter {
    const char *name;
    bool (*read)(struct piece piece, uint64_t *value);
    uint64_t low, high;   /* inclusive */
    const char *expected; /* the words that are accepted; null: numbers and sweeps */
};

struct sweep {
    const struct sweep_parameter *parameter;
    struct piece rest; /* not yet parsed */
    bool comma;        /* another element must follow */
    bool going;        /* within an element */
    bool multiply;
    uint64_t next, last, step;
};

void sweep_begin(struct sweep *sweep, const struct sweep_parameter *parameter, struct piece values);

/*
 * Finds the next value. False at the end of the list, and at an invalid element, which *why then
 * describes.
 */
bool sweep_next(struct sweep *sweep, uint64_t *value, struct out *why);

#endif
