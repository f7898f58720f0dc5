/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel of a plan's section [code]. */
#ifndef BARECOUNT_BOOT_CODE_KERNEL_H
#define BARECOUNT_BOOT_CODE_KERNEL_H

#include "kernels/kernel.h"
#include "pmu/plan.h"

struct code_kernel {
    const struct kernel_record *record;
    const void *twice_entry; /* the same with twice as many copies */
};

/* Makes it in memory of the firmware's that may hold code. False: there is none. */
bool code_kernel_make(const struct plan_code *code, struct code_kernel *kernel);

#endif
