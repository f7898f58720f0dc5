/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether a CPU can count an event. */
#include "pmu/events/can.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/program.h"
#include "pmu/counters/select.h"

#define ANY_VERSION_MIN      3u
#define FRONTEND_VERSION_MIN 4u /* Skylake */
#define PMU_LEAF_EDX         3u
#define ANY_DEPRECATED_BIT   15u /* in CPUID.0AH:EDX */
#define AMD_FLOPS            0x003u
#define AMD_MERGE            0xfffu
#define AMD_CLOCK            0x120u /* cycles of the P0 clock */
#define PREC_RET_COUNTER     2u

/*
 * The extra registers of off-core requests. version_min: PMU version of the first cores with the
 * register. of_four: if true, the register exists only on cores with four such registers; if false,
 * only on other cores.
 */
static const struct {
    uint32_t msr;
    uint32_t version_min;
    bool of_four;
} EXTRA[] = {
    {0x1a6, 3, false}, /* Nehalem */
    {0x1a7, 3, false}, /* Westmere */
    {MSR_OMR_0, 5, true},     {MSR_OMR_0 + 1, 5, true},
    {MSR_OMR_0 + 2, 5, true}, {MSR_OMR_0 + 3, 5, true},
};

/*
 * An event that can add more than 15 in a cycle needs two counters: an even-numbered counter for
 * the event, and the next counter for the event FFFH (AMD PPR, "Large Increment per Cycle Events").
 */
static enum status merge(struct event *event, const struct cpu_caps *caps)
{
    if (event_has_extra(event))
        return STATUS_EVENT_REGISTER;
    if (!(caps_general(caps) >> 1 & 1))
        return STATUS_NO_COUNTER;
    event->counters = 1;
    event->flags |= EVENT_ALONE | EVENT_MERGED;
    event->extra_msr = pmu_select_msr(pmu_layout(caps), 1);
    event->extra = EVTSEL_EN;
    select_set(select_layout(VENDOR_AMD), SELECT_EVENT, AMD_MERGE, &event->extra);
    return STATUS_OK;
}

static enum status can_select_amd(struct event *event, const struct cpu_caps *caps)
{
    const uint64_t code = select_get(select_layout(VENDOR_AMD), SELECT_EVENT, event->select);

    if (code == AMD_MERGE || (code == AMD_FLOPS && event->select & AMD_PREC_RET))
        return STATUS_EVENT_MERGED;
    if (code == AMD_CLOCK && !caps_is_zen_4(caps))
        return STATUS_EVENT_MODEL;
    if (event->select & AMD_PREC_RET) {
        if (!caps_has(caps, FEATURE_AMD_PREC_RET))
            return STATUS_EVENT_PREC_RET;
        event->counters = 1u << PREC_RET_COUNTER;
    }
    return code == AMD_FLOPS ? merge(event, caps) : STATUS_OK;
}

static enum status can_select(struct event *event, const struct cpu_caps *caps)
{
    const uint64_t select = event->select;
    const uint64_t *field = select_layout(VENDOR_INTEL)->field;
    uint64_t umask2 = field[SELECT_UMASK] & ~0xffffull;

    if (caps->vendor == VENDOR_AMD)
        return can_select_amd(event, caps);
    if ((select & field[SELECT_EVENT]) == 0)
        return STATUS_EVENT_NUMBER;
    if (select & field[SELECT_ANY] && (caps->pmu_version < ANY_VERSION_MIN ||
                                       caps->pmu_leaf[PMU_LEAF_EDX] >> ANY_DEPRECATED_BIT & 1))
        return STATUS_EVENT_ANY;
    if ((select & umask2 && !caps_has(caps, FEATURE_UMASK2)) ||
        (select & field[SELECT_EQ] && !caps_has(caps, FEATURE_EQ)))
        return STATUS_EVENT_FIELD;
    if (select & (field[SELECT_IN_TX] | field[SELECT_IN_TXCP]))
        return STATUS_EVENT_TSX; /* kernels do not use transactions */
    return STATUS_OK;
}

static enum status can_hold_extra(const struct event *event, const struct cpu_caps *caps)
{
    if (!event_has_extra(event))
        return STATUS_OK;
    if (caps->vendor != VENDOR_INTEL)
        return STATUS_EVENT_REGISTER;
    if (event->extra_msr == MSR_PEBS_LD_LAT_THRESHOLD)
        return STATUS_EVENT_PEBS;
    if (event->extra_msr == MSR_PEBS_FRONTEND && caps->pmu_version >= FRONTEND_VERSION_MIN)
        return STATUS_OK;
    for (unsigned i = 0; i < sizeof(EXTRA) / sizeof(EXTRA[0]); i++)
        if (EXTRA[i].msr == event->extra_msr && caps->pmu_version >= EXTRA[i].version_min &&
            EXTRA[i].of_four == offcore_has_four(caps))
            return STATUS_OK;
    return STATUS_EVENT_REGISTER;
}

static enum status can_be_fixed(struct event *event, const struct cpu_caps *caps)
{
    bool refused;

    if (event->fixed == EVENT_NOT_FIXED || caps->fixed_map >> event->fixed & 1)
        return STATUS_OK;
    refused = caps->fixed_refused >> event->fixed & 1;
    if (!event->fixed_only)
        event->fixed = EVENT_NOT_FIXED;
    else
        return refused ? STATUS_MSR_FAULT : STATUS_NO_FIXED;
    return STATUS_OK;
}

static enum status can_be_general(struct event *event, const struct cpu_caps *caps,
                                  struct out *more)
{
    uint32_t existing = caps_general(caps);

    if (event->fixed_only || (event->counters ? event->counters & existing : existing) != 0)
        return STATUS_OK;
    if (event->fixed != EVENT_NOT_FIXED) {
        event->fixed_only = 1;
        return STATUS_OK;
    }
    if (caps->gp_count > 0)
        out_printf(more, ": it has %u, and the event's bitmap of counters is %xH",
                   caps_general_count(caps), event->counters);
    else if (caps->gp_refused)
        return STATUS_MSR_FAULT;
    return STATUS_NO_COUNTER;
}

enum status event_counts_at_all(const struct cpu_caps *caps)
{
    if (caps->vendor == VENDOR_OTHER)
        return STATUS_VENDOR;
    if (caps->pmu_version > 0)
        return STATUS_OK;
    return caps->vendor == VENDOR_INTEL ? STATUS_NO_PMU : STATUS_VENDOR;
}

enum status event_can_be_counted(struct event *event, const struct cpu_caps *caps, struct out *more)
{
    enum status status = event_counts_at_all(caps);

    if (status != STATUS_OK)
        return status;
    status = event->fixed_only ? STATUS_OK : can_select(event, caps);
    if (status == STATUS_OK)
        status = can_hold_extra(event, caps);
    if (status == STATUS_OK)
        status = can_be_fixed(event, caps);
    if (status == STATUS_OK)
        status = can_be_general(event, caps, more);
    return status;
}

enum status event_is_present(struct event *event, const struct cpu_caps *caps, bool is_builtin)
{
    enum status status = STATUS_OK;

    if (event->arch == EVENT_NOT_ARCH || event->fixed_only)
        return STATUS_OK;
    if (is_builtin && (uint32_t)event->arch >= caps->arch_events)
        status = STATUS_EVENT_NOT_LISTED;
    else if ((uint32_t)event->arch < caps->arch_events &&
             caps->arch_events_absent >> event->arch & 1)
        status = STATUS_EVENT_ABSENT;
    if (status != STATUS_OK && event->fixed != EVENT_NOT_FIXED) {
        event->fixed_only = 1;
        return STATUS_OK;
    }
    return status;
}
