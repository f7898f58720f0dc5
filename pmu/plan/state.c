/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the settings of [state], and restores the registers. */
#include "pmu/cpu/msr.h"
#include "pmu/plan/state_parts.h"

/* A register whose bits, when set, turn something off. */
struct off_register {
    uint32_t setting;
    uint32_t vendor;
    uint32_t feature; /* FEATURE_* of CPUs that have the register; 0: it is probed */
    uint32_t msr;
    uint64_t off;
    bool set_hides_it; /* CPUID does not report the feature while the bits are set */
};

static const struct off_register OFF_REGISTERS[] = {
    {STATE_TURBO, VENDOR_INTEL, FEATURE_TURBO, MSR_IA32_MISC_ENABLE, MISC_ENABLE_TURBO_OFF, true},
    {STATE_TURBO, VENDOR_AMD, FEATURE_AMD_BOOST, MSR_AMD_HWCR, AMD_HWCR_BOOST_OFF, false},
    {STATE_PREFETCH, VENDOR_INTEL, 0, MSR_MISC_FEATURE_CONTROL, PREFETCH_OFF, false},
    {STATE_PREFETCH, VENDOR_AMD, FEATURE_AMD_PREFETCH, MSR_AMD_PREFETCH_CONTROL, AMD_PREFETCH_OFF,
     false},
};
#define OFF_REGISTERS_COUNT (sizeof(OFF_REGISTERS) / sizeof(OFF_REGISTERS[0]))

/* Models of family 6 with unusual bits in 1A4H. */
static const struct {
    uint8_t model;
    uint8_t off;
} PREFETCH_MODELS[] = {
    {0x5c, 0x5}, {0x5f, 0x5}, {0x7a, 0x5}, /* Goldmont: 1 and 3 are reserved */
    {0x57, 0x3}, {0x85, 0x3},              /* Xeon Phi: L1 data, L2 */
};

static uint64_t off_bits(const struct off_register *reg, const struct cpu_caps *caps)
{
    if (reg->msr != MSR_MISC_FEATURE_CONTROL)
        return reg->off;
    for (unsigned i = 0; i < sizeof(PREFETCH_MODELS) / sizeof(PREFETCH_MODELS[0]); i++)
        if (caps->family == 6 && caps->model == PREFETCH_MODELS[i].model)
            return PREFETCH_MODELS[i].off;
    return caps->core_type == CORE_TYPE_ATOM ? reg->off | PREFETCH_OFF_ATOM : reg->off;
}

/*
 * Adds an item for a switch, with the register's value, and sets *off to the bits that turn the
 * switch off. If the register cannot be used, adds an item that says why, and returns null.
 */
static struct state_item *find_switch(const struct state_work *work, uint32_t setting,
                                      uint64_t *off)
{
    const struct off_register *reg = OFF_REGISTERS;
    struct state_item *item;
    uint64_t found;
    bool promised;

    while (reg < OFF_REGISTERS + OFF_REGISTERS_COUNT &&
           (reg->setting != setting || reg->vendor != work->caps->vendor))
        reg++;
    promised = reg < OFF_REGISTERS + OFF_REGISTERS_COUNT && caps_has(work->caps, FEATURE_MSR) &&
               (caps_has(work->caps, reg->feature) || reg->set_hides_it);
    if (!promised) {
        state_add(work, setting, 0, STATUS_STATE_ABSENT);
        return 0;
    }
    if (!state_read(work, reg->msr, &found)) {
        state_add(work, setting, reg->msr, STATUS_MSR_REFUSED);
        return 0;
    }
    *off = off_bits(reg, work->caps);
    if (!caps_has(work->caps, reg->feature) && (found & *off) == 0) {
        state_add(work, setting, 0, STATUS_STATE_ABSENT);
        return 0;
    }
    item = state_add(work, setting, reg->msr, STATUS_OK);
    item->found = item->asked = item->got = found;
    return item;
}

static void set_switch(const struct state_work *work, uint32_t setting, enum plan_switch wish)
{
    uint64_t off;
    struct state_item *item = find_switch(work, setting, &off);

    if (!item)
        return;
    item->asked = wish == SWITCH_OFF ? item->found | off : item->found & ~off;
    state_make(work, item);
}

bool state_has(const struct plan_state *plan, enum state_setting setting)
{
    return setting == STATE_TURBO      ? plan->turbo != SWITCH_KEEP
           : setting == STATE_PREFETCH ? plan->prefetch != SWITCH_KEEP
                                       : plan->ratio != PLAN_RATIO_KEEP;
}

void state_set(const struct msr_port *port, const struct cpu_caps *caps,
               const struct plan_state *plan, enum state_setting setting, struct cpu_state *state)
{
    const struct state_work work = {.port = port, .caps = caps, .plan = plan, .state = state};

    if (setting != STATE_RATIO)
        set_switch(&work, setting, setting == STATE_TURBO ? plan->turbo : plan->prefetch);
    else if (caps->vendor == VENDOR_INTEL)
        state_set_ratio(&work);
    else
        state_add(&work, STATE_RATIO, 0, STATUS_STATE_VENDOR);
}

void state_look(const struct msr_port *port, const struct cpu_caps *caps,
                const struct plan_state *plan, struct cpu_state *state)
{
    const struct state_work work = {.port = port, .caps = caps, .plan = plan, .state = state};
    uint32_t first = state->items;
    uint64_t off;

    if (!state_has(plan, STATE_TURBO))
        find_switch(&work, STATE_TURBO, &off);
    if (!state_has(plan, STATE_PREFETCH))
        find_switch(&work, STATE_PREFETCH, &off);
    if (!state_has(plan, STATE_RATIO) && caps->vendor == VENDOR_INTEL)
        state_look_at_ratio(&work);
    for (uint32_t i = first; i < state->items; i++)
        state->item[i].kept = 1;
}

void state_restore(const struct msr_port *port, struct cpu_state *state)
{
    for (uint32_t i = state->items; i-- > 0;) {
        struct state_item *item = &state->item[i];
        uint64_t now;

        if (!item->written)
            continue;
        if (!port->write(port->context, item->msr, item->found))
            item->status = STATUS_MSR_REFUSED;
        else if (!port->read(port->context, item->msr, &now) || now != item->found)
            item->status = STATUS_STATE_KEPT;
        else
            item->written = 0;
    }
}
