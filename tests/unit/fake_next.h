/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel that is about to run, in a journal of fake_run.h. */
#ifndef BARECOUNT_TESTS_FAKE_NEXT_H
#define BARECOUNT_TESTS_FAKE_NEXT_H

#include "fake_run.h"

/* On the present CPU. */
static inline void run_next(unsigned kernel, unsigned partner)
{
    struct next next = {.cpu = run_cpu_record.cpu, .kernel = kernel, .partner = partner};

    run_append(RECORD_NEXT, &next, sizeof(next));
}

#endif
