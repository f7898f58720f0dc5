/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a CPU that a plan's [state] can set: turbo, prefetchers, the clock's ratio. What
 * each register held, what it was to hold, and what it read back. Bits that no setting names are
 * kept. Intel SDM vol. 4 (IA32_MISC_ENABLE, MSR_MISC_FEATURE_CONTROL, IA32_PERF_CTL), vol. 3B
 * "Hardware-Controlled Performance States (HWP)"; AMD's PPRs (HWCR, Prefetch Control).
 */
#ifndef BARECOUNT_PMU_PLAN_STATE_H
#define BARECOUNT_PMU_PLAN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/out.h"

#define STATE_ITEMS_MAX 8u

struct msr_port;   /* pmu/counters/program.h */
struct cpu_caps;   /* pmu/cpu/caps.h */
struct plan_state; /* pmu/plan/plan.h */

/* Settings, in the order in which they are made. */
enum state_setting { STATE_TURBO, STATE_PREFETCH, STATE_RATIO, STATE_SETTINGS };

/*
 * A setting's register. STATE_RATIO has a second item: IA32_PERF_STATUS, which is only read, with
 * what it showed before and at the end of the bounded wait for it.
 */
struct state_item {
    uint32_t setting; /* enum state_setting */
    uint32_t msr;     /* 0: the CPU has no register for it, as `status` says */
    uint64_t found;
    uint64_t asked;   /* the whole register as it was to be */
    uint64_t got;     /* as it read back */
    uint32_t status;  /* enum status: STATUS_OK, or why it is not as asked */
    uint16_t written; /* 1: it has to be put back */
    uint16_t kept;    /* 1: the plan asks nothing of it, and it was only looked at */
};

struct cpu_state {
    uint32_t cpu;
    uint32_t items;
    struct state_item item[STATE_ITEMS_MAX];
};
_Static_assert(sizeof(struct cpu_state) == 8 + 40 * STATE_ITEMS_MAX, "journal layout");

/*
 * Makes the settings of the plan on the CPU that runs, with interrupts off; state->cpu is left
 * alone. A register that is as asked is not written. One that does not keep what was written is put
 * back at once; of several bits those that it keeps one by one stay (STATUS_STATE_PART).
 */
void state_set(const struct msr_port *port, const struct cpu_caps *caps,
               const struct plan_state *plan, struct cpu_state *state);

/*
 * Adds what the settings are that the plan keeps: nothing is written. To be called behind
 * state_set().
 */
void state_look(const struct msr_port *port, const struct cpu_caps *caps,
                const struct plan_state *plan, struct cpu_state *state);

/*
 * Puts back what was written, last first, and reads it back. `written` becomes 0; where it stays 1
 * the register is not as it was found, and the item's status says why.
 */
void state_restore(const struct msr_port *port, struct cpu_state *state);

/* "turbo", "prefetch", "ratio": the key in [state]. */
const char *state_name(uint32_t setting);

/* What was asked of a setting: "off", "on", "21", "base". */
void state_wish(const struct plan_state *plan, uint32_t setting, struct out *out);

/*
 * What is as the plan asked, in words for the console: "turbo off; prefetch off (0xf); ratio 21".
 * Settings that failed are left out; nothing when all did.
 */
void state_words(const struct cpu_state *state, struct out *out);

/* Why an item is not as asked: its sentence, and the register with what it did not take. */
void state_why(const struct state_item *item, struct out *out);

#endif
