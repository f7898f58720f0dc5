/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether this user may count events, and read the counters by the plan's method. */
#ifndef BARECOUNT_LINUX_MAY_COUNT_H
#define BARECOUNT_LINUX_MAY_COUNT_H

#include "scripts/linux/run.h"

/*
 * If Linux does not let the user count, prints the reason and returns false. A machine without a
 * PMU is accepted.
 */
bool may_count(const struct linux_run *run);

#endif
