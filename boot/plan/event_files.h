/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder of event tables on the stick, \barecount\events. Boot CPU only. */
#ifndef BARECOUNT_BOOT_PLAN_EVENT_FILES_H
#define BARECOUNT_BOOT_PLAN_EVENT_FILES_H

#include "pmu/events/tables.h"

extern const struct tables_port EVENT_FILES;

#endif
