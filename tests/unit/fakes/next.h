/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel about to run, in a journal of fakes/run.h. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_NEXT_H
#define BARECOUNT_TESTS_UNIT_FAKES_NEXT_H

#include "tests/unit/fakes/run.h"

static inline void run_next(unsigned kernel, unsigned partner)
{
    struct next next = {.cpu = run_cpu_record.cpu, .kernel = kernel, .partner = partner};

    run_append(RECORD_NEXT, &next, sizeof(next));
}

#endif
