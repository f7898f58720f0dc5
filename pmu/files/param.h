/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a kernel's parameters: the column `param`, and a form for people. */
#ifndef BARECOUNT_PMU_FILES_PARAM_H
#define BARECOUNT_PMU_FILES_PARAM_H

#include "pmu/journal/record.h"

/* A parameter that the plan does not give is 0 or "". */
struct param {
    const char *argument; /* the name of the kernel's own argument */
    uint32_t argument_value;
    uint32_t memory; /* enum memory_type */
    uint32_t page_bytes;
    uint64_t size;
};

/*
 * Writes "memory=wc;page=2097152;size=4194304;stride=128". Keys are sorted, sizes are in bytes, and
 * n is left out.
 */
void param_put(const struct param *param, struct out *out);

/* Writes "chase 4M memory=wc page=2M stride=128 n=5"; n only if the plan gives it. */
void param_say(const struct known_kernel *kernel, struct out *out);

/* Writes "chase memory=wc page=2M stride=128", without size and n. */
void param_say_series(const struct known_kernel *kernel, struct out *out);

#endif
