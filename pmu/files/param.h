/* SPDX-License-Identifier: BSD-2-Clause */
/* The parameters of a kernel in text: the column `param`, and what the console shows of it. */
#ifndef BARECOUNT_PMU_FILES_PARAM_H
#define BARECOUNT_PMU_FILES_PARAM_H

#include "pmu/journal/record.h"

/* Those that a plan gave; what it did not give is 0 or "". */
struct param {
    const char *argument; /* the name of the kernel's own */
    uint32_t argument_value;
    uint32_t memory; /* enum memory_type */
    uint32_t page_bytes;
    uint64_t size;
};

/* "memory=wc;page=2097152;size=4194304;stride=128": keys sorted, sizes in bytes; n is a column. */
void param_put(const struct param *param, struct out *out);

/* "chase 4M memory=wc page=2M stride=128 n=5": for a person; n where the plan gave it. */
void param_say(const struct known_kernel *kernel, struct out *out);

/* "chase memory=wc page=2M stride=128": the same for all sizes and n. */
void param_say_series(const struct known_kernel *kernel, struct out *out);

#endif
