/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU state that a plan's [state] can set. Bits that belong to no setting are preserved.
 * Sources: Intel SDM vol. 4 (IA32_MISC_ENABLE, MSR_MISC_FEATURE_CONTROL, IA32_PERF_CTL) and vol. 3B
 * ("Hardware-Controlled Performance States (HWP)"), AMD's PPRs (HWCR, Prefetch Control), AMD APM
 * vol. 3, "LFENCE" (DE_CFG). The only source for bit 54 of LS_CFG is the debugger rr.
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

/* In the order in which they are applied. Journals contain the numbers. */
enum state_setting {
    STATE_TURBO,
    STATE_PREFETCH,
    STATE_RATIO,
    STATE_LOCK_SPECULATION, /* AMD's SpecLockMap: a core speculates past a locked instruction */
    STATE_LFENCE,           /* LFENCE waits for all earlier instructions, as on Intel */
    STATE_SETTINGS
};

/*
 * A setting's register. STATE_RATIO may have a second item for IA32_PERF_STATUS, with the values
 * before the request and after a wait of a few milliseconds.
 */
struct state_item {
    uint32_t setting; /* enum state_setting */
    uint32_t msr;     /* 0: none; see `status` */
    uint64_t found;
    uint64_t asked;   /* requested value of the whole register */
    uint64_t got;     /* value read after the write */
    uint32_t status;  /* STATUS_OK, or why the request failed */
    uint16_t written; /* 1: must be restored */
    uint16_t kept;    /* 1: only read */
};

struct cpu_state {
    uint32_t cpu;
    uint32_t items;
    struct state_item item[STATE_ITEMS_MAX];
};
_Static_assert(sizeof(struct cpu_state) == 8 + 40 * STATE_ITEMS_MAX, "journal layout");

/* Whether the plan changes a setting: its value is not "keep". */
bool state_has(const struct plan_state *plan, enum state_setting setting);

/*
 * Applies a setting on the current CPU, with interrupts off, and appends its items. A register is
 * written only if its value changes. If a register does not keep the new value, the old value is
 * restored. If a prefetcher register does not accept several changed bits together, the bits are
 * written one by one, and those that the register accepts stay changed (STATUS_STATE_PART).
 */
void state_set(const struct msr_port *port, const struct cpu_caps *caps,
               const struct plan_state *plan, enum state_setting setting, struct cpu_state *state);

/*
 * Appends items for the settings that the plan does not change, and writes no register. Must follow
 * the last state_set().
 */
void state_look(const struct msr_port *port, const struct cpu_caps *caps,
                const struct plan_state *plan, struct cpu_state *state);

/*
 * Restores the registers, the last one first, and verifies them. If an item's `written` remains 1,
 * its register was not restored, and the item's `status` says why.
 */
void state_restore(const struct msr_port *port, struct cpu_state *state);

/*
 * Called after state_set() and state_look(). Whether LFENCE is known to wait for all earlier
 * instructions. On Zen and Zen 2, LFENCE waits only if DE_CFG[1] is set (AMD APM vol. 3, "LFENCE").
 */
bool state_lfence_waits(const struct cpu_caps *caps, const struct cpu_state *state);

/* The key in [state], such as "turbo". */
const char *state_name(uint32_t setting);

/* Writes the requested value of a setting: "keep", "off", "on", "21", "base". */
void state_wish(const struct plan_state *plan, uint32_t setting, struct out *out);

/*
 * Writes the settings that were applied, perhaps in part: "turbo off; prefetch off (0xf); ratio
 * 21".
 */
void state_words(const struct cpu_state *state, struct out *out);

/* Writes why a request failed, and the register and its values if they are known. */
void state_why(const struct state_item *item, struct out *out);

#endif
