/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether this user may count at all, and read counters as the plan wants it. */
#ifndef BARECOUNT_LINUX_MAY_COUNT_H
#define BARECOUNT_LINUX_MAY_COUNT_H

#include "scripts/linux/run.h"

/*
 * False, after saying why and what to do. A machine without a PMU is no reason: its run says so, as
 * the image's does.
 */
bool may_count(const struct linux_run *run);

#endif
