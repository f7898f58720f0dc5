/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the settings of [state], and restores the registers. */
#include "pmu/cpu/msr.h"
#include "pmu/plan/state_parts.h"

/* A register with bits that turn a setting on or off. */
struct switch_register {
    uint32_t setting;
    uint32_t vendor;
    uint32_t feature; /* FEATURE_* that promises the register; 0: it is tested by a read */
    uint32_t msr;
    uint64_t bits;
    uint32_t traits;
};
#define SET_IS_ON    1u /* set bits turn the setting on; without this trait, they turn it off */
#define SET_HIDES_IT 2u /* CPUID does not report the feature while the bits are set */
#define OF_E_CORES   4u /* only on Gracemont and later; four cores of a module share the register */
#define OF_ZEN       8u /* on Zen and later; older families may use the address differently */

static const struct switch_register REGISTERS[] = {
    {STATE_TURBO, VENDOR_INTEL, FEATURE_TURBO, MSR_IA32_MISC_ENABLE, MISC_ENABLE_TURBO_OFF,
     SET_HIDES_IT},
    {STATE_TURBO, VENDOR_AMD, FEATURE_AMD_BOOST, MSR_AMD_HWCR, AMD_HWCR_BOOST_OFF, 0},
    {STATE_PREFETCH, VENDOR_INTEL, 0, MSR_MISC_FEATURE_CONTROL, 0, 0}, /* bits_of() */
    {STATE_PREFETCH, VENDOR_INTEL, 0, MSR_E_CORE_PREFETCH_LLC, E_CORE_LLC_STREAMER_OFF, OF_E_CORES},
    {STATE_PREFETCH, VENDOR_INTEL, 0, MSR_E_CORE_PREFETCH_L2, E_CORE_L2_NEXT_LINE_OFF, OF_E_CORES},
    {STATE_PREFETCH, VENDOR_AMD, FEATURE_AMD_PREFETCH, MSR_AMD_PREFETCH_CONTROL, AMD_PREFETCH_OFF,
     0},
    {STATE_LOCK_SPECULATION, VENDOR_AMD, 0, MSR_AMD_LS_CFG, AMD_LS_CFG_NO_LOCK_MAP, OF_ZEN},
    {STATE_LFENCE, VENDOR_AMD, 0, MSR_AMD_DE_CFG, AMD_DE_CFG_LFENCE, SET_IS_ON | OF_ZEN},
};
#define REGISTERS_COUNT (sizeof(REGISTERS) / sizeof(REGISTERS[0]))

/*
 * Bits of MSR 1A4H that turn prefetchers off: bit 0 L2, bit 1 adjacent line, bit 2 L1 next line,
 * bit 3 L1 by IP, bit 4 next page, bit 5 AMP, bit 6 pages of the last level, bit 7 arrays of
 * pointers, bit 8 streams of code, bit 12 the logic that adapts the other prefetchers. Sources:
 * Intel SDM vol. 4, MSR_MISC_FEATURE_CONTROL; "Hardware Prefetch Controls for Intel E-Cores", July
 * 2026.
 */
#define PREFETCH_MOST         0x00fu /* Nehalem to Cypress Cove */
#define PREFETCH_XEON_PHI     0x003u
#define PREFETCH_GOLDMONT     0x005u /* Goldmont, Tremont */
#define PREFETCH_GRACEMONT    0x03du
#define PREFETCH_CRESTMONT    0x1ffu /* Crestmont, Skymont */
#define PREFETCH_DARKMONT     0x11ffu
#define PREFETCH_GOLDEN_COVE  0x02fu /* Golden Cove, Raptor Cove */
#define PREFETCH_REDWOOD_COVE 0x1efu /* and later */

/* Models of family 6 whose bits are not PREFETCH_MOST, for CPUs without a row in PREFETCH_CORES. */
static const struct {
    uint8_t model;
    uint16_t off;
} PREFETCH_MODELS[] = {
    {0x5c, PREFETCH_GOLDMONT},    {0x5f, PREFETCH_GOLDMONT},     {0x7a, PREFETCH_GOLDMONT},
    {0x57, PREFETCH_XEON_PHI},    {0x85, PREFETCH_XEON_PHI},     {0x97, PREFETCH_GOLDEN_COVE},
    {0x9a, PREFETCH_GOLDEN_COVE}, {0xb7, PREFETCH_GOLDEN_COVE},  {0xba, PREFETCH_GOLDEN_COVE},
    {0xbf, PREFETCH_GOLDEN_COVE}, {0x8f, PREFETCH_GOLDEN_COVE},  {0xcf, PREFETCH_GOLDEN_COVE},
    {0xd7, PREFETCH_GOLDEN_COVE}, {0xad, PREFETCH_REDWOOD_COVE}, {0xae, PREFETCH_REDWOOD_COVE},
};

/*
 * Prefetcher bits for a core that CPUID.1AH identifies. The first row of the core type with
 * native_from <= native_model applies.
 */
static const struct {
    uint8_t core_type, native_from;
    uint16_t off;
} PREFETCH_CORES[] = {
    {CORE_TYPE_ATOM, 4, PREFETCH_DARKMONT},     {CORE_TYPE_ATOM, 2, PREFETCH_CRESTMONT},
    {CORE_TYPE_ATOM, 1, PREFETCH_GRACEMONT},    {CORE_TYPE_ATOM, 0, PREFETCH_GOLDMONT},
    {CORE_TYPE_CORE, 2, PREFETCH_REDWOOD_COVE}, {CORE_TYPE_CORE, 1, PREFETCH_GOLDEN_COVE},
};

static uint64_t bits_of(const struct switch_register *reg, const struct cpu_caps *caps)
{
    if (reg->msr != MSR_MISC_FEATURE_CONTROL)
        return reg->bits;
    for (unsigned i = 0; i < sizeof(PREFETCH_CORES) / sizeof(PREFETCH_CORES[0]); i++)
        if (caps->core_type == PREFETCH_CORES[i].core_type &&
            caps->native_model >= PREFETCH_CORES[i].native_from)
            return PREFETCH_CORES[i].off;
    for (unsigned i = 0; i < sizeof(PREFETCH_MODELS) / sizeof(PREFETCH_MODELS[0]); i++)
        if (caps->family == 6 && caps->model == PREFETCH_MODELS[i].model)
            return PREFETCH_MODELS[i].off;
    return PREFETCH_MOST;
}

static bool may_have(const struct switch_register *reg, uint32_t setting,
                     const struct cpu_caps *caps)
{
    if (reg->traits & OF_E_CORES && (caps->core_type != CORE_TYPE_ATOM || caps->native_model == 0))
        return false;
    return reg->setting == setting && reg->vendor == caps->vendor && caps_has(caps, FEATURE_MSR) &&
           (caps_has(caps, reg->feature) || reg->traits & SET_HIDES_IT) &&
           (!(reg->traits & OF_ZEN) || caps->pmu_version > 0);
}

/*
 * Adds an item with the register's value, and sets *bits to the bits of the setting. If the
 * register cannot be used, adds an item that says why, and returns null.
 */
static struct state_item *find_switch(const struct state_work *work,
                                      const struct switch_register *reg, uint64_t *bits)
{
    struct state_item *item;
    uint64_t found;

    if (!state_read(work, reg->msr, &found)) {
        state_add(work, reg->setting, reg->msr, STATUS_MSR_REFUSED);
        return 0;
    }
    *bits = bits_of(reg, work->caps);
    if (!caps_has(work->caps, reg->feature) && (found & *bits) == 0) {
        state_add(work, reg->setting, 0, STATUS_STATE_ABSENT);
        return 0;
    }
    item = state_add(work, reg->setting, reg->msr, STATUS_OK);
    item->found = item->asked = item->got = found;
    return item;
}

/* Changes the registers unless `wish` is "keep". */
static void set_switch(const struct state_work *work, uint32_t setting, enum plan_switch wish)
{
    bool has_any = false;

    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        struct state_item *item;
        uint64_t bits;
        bool sets;

        if (!may_have(&REGISTERS[i], setting, work->caps))
            continue;
        has_any = true;
        item = find_switch(work, &REGISTERS[i], &bits);
        if (!item || wish == SWITCH_KEEP)
            continue;
        sets = (wish == SWITCH_ON) == ((REGISTERS[i].traits & SET_IS_ON) != 0);
        item->asked = sets ? item->found | bits : item->found & ~bits;
        state_make(work, item);
    }
    /* On CPUs of other vendors, an AMD-only setting gets an item only if the plan sets it. */
    if (!has_any && (wish != SWITCH_KEEP || setting == STATE_TURBO || setting == STATE_PREFETCH))
        state_add(work, setting, 0, STATUS_STATE_ABSENT);
}

enum plan_switch state_switch(const struct plan_state *plan, uint32_t setting)
{
    return setting == STATE_TURBO              ? plan->turbo
           : setting == STATE_PREFETCH         ? plan->prefetch
           : setting == STATE_LOCK_SPECULATION ? plan->lock_speculation
                                               : plan->lfence_serializes;
}

bool state_has(const struct plan_state *plan, enum state_setting setting)
{
    return setting == STATE_RATIO ? plan->ratio != PLAN_RATIO_KEEP
                                  : state_switch(plan, setting) != SWITCH_KEEP;
}

void state_set(const struct msr_port *port, const struct cpu_caps *caps,
               const struct plan_state *plan, enum state_setting setting, struct cpu_state *state)
{
    const struct state_work work = {.port = port, .caps = caps, .plan = plan, .state = state};

    if (setting != STATE_RATIO)
        set_switch(&work, setting, state_switch(plan, setting));
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

    for (uint32_t i = 0; i < STATE_SETTINGS; i++)
        if (state_has(plan, i))
            continue;
        else if (i != STATE_RATIO)
            set_switch(&work, i, SWITCH_KEEP);
        else if (caps->vendor == VENDOR_INTEL)
            state_look_at_ratio(&work);
    for (uint32_t i = first; i < state->items; i++)
        state->item[i].kept = 1;
}

bool state_lfence_waits(const struct cpu_caps *caps, const struct cpu_state *state)
{
    if (caps->vendor != VENDOR_AMD || caps->family >= FAMILY_ZEN_3)
        return true;
    for (uint32_t i = 0; i < state->items; i++)
        if (state->item[i].setting == STATE_LFENCE && state->item[i].got & AMD_DE_CFG_LFENCE)
            return true;
    return false;
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
