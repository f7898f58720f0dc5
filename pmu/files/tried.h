/* SPDX-License-Identifier: BSD-2-Clause */
/* How many machines of each CPU model ran the plan `check`. Written by scripts/make-evidence. */
#ifndef BARECOUNT_PMU_FILES_TRIED_H
#define BARECOUNT_PMU_FILES_TRIED_H

#include <stdint.h>

static const struct {
    uint32_t signature; /* CPUID.1:EAX without the stepping */
    uint32_t machines;  /* 0: the end of the list */
} TRIED[] = {
    {0, 0},
};

#endif
