/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether this user may count, and read counters in the way that the plan selects. */
#ifndef BARECOUNT_LINUX_MAY_COUNT_H
#define BARECOUNT_LINUX_MAY_COUNT_H

#include "scripts/linux/run.h"

/*
 * False if the user may not, and the reason and a remedy were printed. A machine without a PMU is
 * accepted; its run reports that, as the image does.
 */
bool may_count(const struct linux_run *run);

#endif
