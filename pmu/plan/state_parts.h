/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what pmu/plan/state*.c share. */
#ifndef BARECOUNT_PMU_PLAN_STATE_PARTS_H
#define BARECOUNT_PMU_PLAN_STATE_PARTS_H

#include "pmu/cpu/caps.h"
#include "pmu/plan/plan.h"
#include "pmu/counters/program.h"
#include "pmu/plan/state.h"
#include "pmu/base/status.h"

struct state_work {
    const struct msr_port *port;
    const struct cpu_caps *caps;
    const struct plan_state *plan;
    struct cpu_state *state;
};

/* The plan's value of a setting other than STATE_RATIO. */
enum plan_switch state_switch(const struct plan_state *plan, uint32_t setting);

bool state_read(const struct state_work *work, uint32_t msr, uint64_t *value);

/* Adds an item; its other fields are 0. */
struct state_item *state_add(const struct state_work *work, uint32_t setting, uint32_t msr,
                             enum status status);

/* Changes an item's register from `found` to `asked`. */
void state_make(const struct state_work *work, struct state_item *item);

/* Called only on Intel CPUs. */
void state_set_ratio(const struct state_work *work);
void state_look_at_ratio(const struct state_work *work);

#endif
