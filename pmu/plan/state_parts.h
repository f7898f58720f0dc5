/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the settings of a plan's [state]. */
#ifndef BARECOUNT_PMU_PLAN_STATE_PARTS_H
#define BARECOUNT_PMU_PLAN_STATE_PARTS_H

#include "pmu/cpu/caps.h"
#include "pmu/plan/plan.h"
#include "pmu/counters/program.h"
#include "pmu/plan/state.h"
#include "pmu/base/status.h"

/* The CPU that runs, and what is asked of it. */
struct state_work {
    const struct msr_port *port;
    const struct cpu_caps *caps;
    const struct plan_state *plan;
    struct cpu_state *state;
};

bool state_read(const struct state_work *work, uint32_t msr, uint64_t *value);

/* A new item, all 0 but for this. */
struct state_item *state_add(const struct state_work *work, uint32_t setting, uint32_t msr,
                             enum status status);

/* Brings the register of an item from `found` to `asked`. */
void state_make(const struct state_work *work, struct state_item *item);

/* Sets the clock's ratio; or looks at what it is. Intel's CPUs alone. */
void state_set_ratio(const struct state_work *work);
void state_look_at_ratio(const struct state_work *work);

#endif
