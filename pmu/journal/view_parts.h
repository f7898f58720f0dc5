/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files that make a view. */
#ifndef BARECOUNT_PMU_JOURNAL_VIEW_PARTS_H
#define BARECOUNT_PMU_JOURNAL_VIEW_PARTS_H

#include "pmu/journal/view.h"

/* Takes the calibration of the view's CPU; null: there is none, and only defaults are known. */
void view_calibrate(struct view *view, const struct result *calibration);

#endif
