/* SPDX-License-Identifier: BSD-2-Clause */
/* A line taken word by word. */
#ifndef BARECOUNT_PMU_BASE_WORD_H
#define BARECOUNT_PMU_BASE_WORD_H

#include "pmu/base/piece.h"

/* Takes the first word, up to a blank or tab, off *rest. Size 0: there is none. */
struct piece word_next(struct piece *rest);

#endif
