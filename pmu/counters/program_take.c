/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes over the performance monitor's registers, and gives them back. */
#include "pmu/cpu/msr.h"
#include "pmu/counters/program_parts.h"
#include "pmu/counters/select.h"

const uint32_t EXTRA_MSRS[EXTRAS_MAX] = {
    MSR_OFFCORE_RSP_0, MSR_OFFCORE_RSP_1, MSR_PEBS_LD_LAT_THRESHOLD,
    MSR_PEBS_FRONTEND, MSR_OMR_0,         MSR_OMR_0 + 1,
    MSR_OMR_0 + 2,     MSR_OMR_0 + 3};

/* No CPU has both MSR_OFFCORE_RSP_* and MSR_OMR_*. */
static bool may_have_extra(const struct cpu_caps *caps, uint32_t msr)
{
    const bool is_of_four = msr >= MSR_OMR_0 && msr < MSR_OMR_0 + OMR_COUNT;

    if (caps->vendor != VENDOR_INTEL)
        return false;
    if (is_of_four || offcore_has(msr))
        return offcore_has_four(caps) == is_of_four;
    return true;
}

static bool answers(const struct msr_port *port, uint32_t msr, uint32_t *first_refused)
{
    uint64_t value;

    if (port->read(port->context, msr, &value))
        return true;
    if (*first_refused == 0)
        *first_refused = msr;
    return false;
}

static void refuse_fixed(struct cpu_caps *caps, uint32_t map)
{
    caps->fixed_refused |= caps->fixed_map & map;
    caps->fixed_map &= ~map;
}

static void refuse_general(struct cpu_caps *caps, uint32_t from)
{
    caps->gp_refused += caps_general_count(caps);
    caps_keep_general(caps, from);
    caps->gp_refused -= caps_general_count(caps);
}

uint32_t pmu_probe(const struct msr_port *port, struct cpu_caps *caps)
{
    const struct pmu_layout *layout = pmu_layout(caps);
    uint32_t refused = 0;

    if (program_has_global(caps) && (!answers(port, layout->global_ctrl, &refused) ||
                                     !answers(port, layout->global_status, &refused))) {
        refuse_fixed(caps, ~0u);
        refuse_general(caps, 0);
    }
    if (caps->fixed_map && !answers(port, layout->fixed_ctrl, &refused))
        refuse_fixed(caps, ~0u);
    for (uint32_t i = 0; i < FIXED_COUNTERS_MAX; i++)
        if (caps->fixed_map >> i & 1 && !answers(port, layout->fixed + i, &refused))
            refuse_fixed(caps, 1u << i);
    for (uint32_t i = 0; i < caps->gp_count; i++)
        if (caps_general(caps) >> i & 1 && (!answers(port, pmu_select_msr(layout, i), &refused) ||
                                            !answers(port, pmu_counter_msr(layout, i), &refused)))
            refuse_general(caps, i);
    return refused;
}

/* Saves a control register, then clears its bits outside keep_mask. */
static void hold(const struct msr_port *port, uint32_t msr, uint64_t keep_mask, uint64_t *found,
                 uint32_t bit, uint32_t *held, struct pmu_error *first)
{
    struct pmu_error error;

    if (!port->read(port->context, msr, found)) {
        error = (struct pmu_error){.status = STATUS_MSR_FAULT, .msr = msr};
    } else {
        *held |= bit;
        if ((*found & keep_mask) == *found)
            return;
        error = program_write(port, msr, *found & keep_mask);
    }
    if (first && first->status == STATUS_OK)
        *first = error;
}

struct pmu_error pmu_take(const struct msr_port *port, const struct cpu_caps *caps,
                          struct pmu_found *found)
{
    const struct pmu_layout *layout = pmu_layout(caps);
    struct pmu_error error = NO_ERROR;
    uint32_t *held = &found->held;

    *found = (struct pmu_found){0};
    if (caps->gp_count == 0 && caps->fixed_map == 0)
        return error;
    if (program_has_inuse(caps))
        found->has_inuse = port->read(port->context, layout->global_inuse, &found->inuse);
    if (program_has_global(caps)) {
        hold(port, layout->global_ctrl, 0, &found->global_ctrl, HELD_GLOBAL_CTRL, held, &error);
        if (caps->fixed_map)
            hold(port, layout->fixed_ctrl, 0, &found->fixed_ctrl, HELD_FIXED_CTRL, held, &error);
        if (port->read(port->context, layout->global_status, &found->global_status))
            program_clear_found(port, caps, found->global_status);
    }
    for (unsigned i = 0; i < caps->gp_count; i++)
        if (caps_general(caps) >> i & 1)
            hold(port, pmu_select_msr(layout, i), 0, &found->select[i], HELD_SELECT(i), held,
                 &error);
    hold(port, layout->debugctl, ~(DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON),
         &found->debugctl, HELD_DEBUGCTL, held, 0);
    if (caps_has(caps, FEATURE_DS))
        hold(port, layout->pebs_enable, 0, &found->pebs_enable, HELD_PEBS, held, 0);
    for (unsigned i = 0; i < EXTRAS_MAX; i++)
        if (may_have_extra(caps, EXTRA_MSRS[i]))
            hold(port, EXTRA_MSRS[i], ~0ull, &found->extra[i], HELD_EXTRA(i), held, 0);
    return error;
}

bool pmu_was_in_use(const struct pmu_found *found, const struct cpu_caps *caps)
{
    uint64_t global = program_has_global(caps) ? found->global_ctrl : ~0ull;

    for (unsigned i = 0; i < caps->gp_count; i++)
        if (found->select[i] & EVTSEL_EN && global >> i & 1)
            return true;
    for (unsigned i = 0; i < FIXED_COUNTERS_MAX; i++)
        if (found->fixed_ctrl >> (FIXED_CTRL_BITS * i) & (FIXED_CTRL_OS | FIXED_CTRL_USR) &&
            global >> (GLOBAL_FIXED_SHIFT + i) & 1)
            return true;
    return found->pebs_enable != 0;
}

static void put_back(const struct msr_port *port, uint32_t msr, uint64_t value,
                     struct pmu_error *first)
{
    struct pmu_error error = program_write(port, msr, value);

    if (first->status == STATUS_OK)
        *first = error;
}

static void put_back_changed(const struct msr_port *port, uint32_t msr, uint64_t value,
                             struct pmu_error *first)
{
    uint64_t now;

    if (!port->read(port->context, msr, &now) || now != value)
        put_back(port, msr, value, first);
}

struct pmu_error pmu_give_back(const struct msr_port *port, const struct cpu_caps *caps,
                               const struct pmu_found *found)
{
    const struct pmu_layout *layout = pmu_layout(caps);
    struct pmu_error error = NO_ERROR;
    uint64_t status = 0;

    if (caps->gp_count == 0 && caps->fixed_map == 0)
        return error;
    if (program_has_global(caps))
        put_back(port, layout->global_ctrl, 0, &error);
    for (unsigned i = EXTRAS_MAX; i-- > 0;)
        if (found->held & HELD_EXTRA(i))
            put_back_changed(port, EXTRA_MSRS[i], found->extra[i], &error);
    if (found->held & HELD_PEBS && found->pebs_enable)
        put_back(port, layout->pebs_enable, found->pebs_enable, &error);
    if (found->held & HELD_DEBUGCTL &&
        found->debugctl & (DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON))
        put_back(port, layout->debugctl, found->debugctl, &error);
    for (unsigned i = caps->gp_count; i-- > 0;)
        if (found->held & HELD_SELECT(i))
            put_back(port, pmu_select_msr(layout, i), found->select[i], &error);
    if (program_has_global(caps) && port->read(port->context, layout->global_status, &status))
        program_clear_found(port, caps, status);
    if (found->held & HELD_FIXED_CTRL)
        put_back(port, layout->fixed_ctrl, found->fixed_ctrl, &error);
    if (found->held & HELD_GLOBAL_CTRL)
        put_back(port, layout->global_ctrl, found->global_ctrl, &error);
    return error;
}
