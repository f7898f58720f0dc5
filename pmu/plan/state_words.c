/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a CPU's settings. */
#include "pmu/cpu/msr.h"
#include "pmu/plan/state_parts.h"
#include "pmu/base/status.h"

static const char *const NAMES[STATE_SETTINGS] = {[STATE_TURBO] = "turbo",
                                                  [STATE_PREFETCH] = "prefetch",
                                                  [STATE_RATIO] = "ratio",
                                                  [STATE_LOCK_SPECULATION] = "lock_speculation",
                                                  [STATE_LFENCE] = "lfence_serializes"};

const char *state_name(uint32_t setting)
{
    return setting < STATE_SETTINGS ? NAMES[setting] : "?";
}

/*
 * In the first prefetch register of each vendor, bit 0 turns a prefetcher off, on every core model.
 */
static bool asks_off(const struct state_item *item)
{
    if (item->msr == MSR_AMD_DE_CFG)
        return !(item->asked & AMD_DE_CFG_LFENCE);
    return item->asked & (item->msr == MSR_IA32_MISC_ENABLE ? MISC_ENABLE_TURBO_OFF
                          : item->msr == MSR_AMD_HWCR       ? AMD_HWCR_BOOST_OFF
                          : item->msr == MSR_AMD_LS_CFG     ? AMD_LS_CFG_NO_LOCK_MAP
                                                            : PREFETCH_OFF & AMD_PREFETCH_OFF & 1);
}

static const char *switch_word(enum plan_switch wish)
{
    return wish == SWITCH_KEEP ? "keep" : wish == SWITCH_OFF ? "off" : "on";
}

void state_wish(const struct plan_state *plan, uint32_t setting, struct out *out)
{
    if (setting != STATE_RATIO)
        out_text(out, switch_word(state_switch(plan, setting)));
    else if (plan->ratio == PLAN_RATIO_BASE)
        out_text(out, "base");
    else
        out_printf(out, "%u", plan->ratio);
}

/* In IA32_HWP_REQUEST, bits 15:8 are the maximum performance level. */
static unsigned ratio_of(const struct state_item *item)
{
    return (unsigned)(item->got >> 8) & 0xff;
}

/* state_words() leaves out a setting's second and third register. */
static bool is_second(const struct state_item *item)
{
    return item->msr == MSR_E_CORE_PREFETCH_LLC || item->msr == MSR_E_CORE_PREFETCH_L2;
}

void state_words(const struct cpu_state *state, struct out *out)
{
    bool first = true;

    for (uint32_t i = 0; i < state->items; i++) {
        const struct state_item *item = &state->item[i];

        if ((item->status != STATUS_OK && item->status != STATUS_STATE_PART) ||
            item->msr == MSR_IA32_PERF_STATUS || is_second(item) || item->kept)
            continue;
        out_printf(out, "%s%s ", first ? "" : "; ", state_name(item->setting));
        first = false;
        if (item->setting == STATE_RATIO)
            out_printf(out, "%u", ratio_of(item));
        else
            out_text(out, asks_off(item) ? "off" : "on");
        if (item->setting == STATE_PREFETCH && asks_off(item))
            out_printf(out, " (0x%llx)",
                       (unsigned long long)(item->got & (item->msr == MSR_AMD_PREFETCH_CONTROL
                                                             ? AMD_PREFETCH_OFF
                                                             : PREFETCH_OFF)));
    }
}

void state_why(const struct state_item *item, struct out *out)
{
    uint64_t asked = item->found ^ item->asked;

    out_text(out, status_text(item->status));
    if (item->status == STATUS_STATE_CLOCK)
        out_printf(out, ": it shows %u", ratio_of(item));
    else if (item->status == STATUS_STATE_PART)
        out_printf(out, ": MSR 0x%x took 0x%llx of 0x%llx", item->msr,
                   (unsigned long long)((item->found ^ item->got) & asked),
                   (unsigned long long)asked);
    else if (item->msr)
        out_printf(out, ": MSR 0x%x", item->msr);
    if (item->status != STATUS_STATE_CLOCK && item->status != STATUS_STATE_PART && asked)
        out_printf(out, ", found 0x%llx, asked 0x%llx", (unsigned long long)item->found,
                   (unsigned long long)item->asked);
}
