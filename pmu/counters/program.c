/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs, sets and reads the performance monitor's registers. */
#include "pmu/cpu/msr.h"
#include "pmu/counters/program_parts.h"
#include "pmu/counters/check.h"

const struct pmu_layout *pmu_layout(const struct cpu_caps *caps)
{
    static const struct pmu_layout INTEL = {
        .select = MSR_IA32_PERFEVTSEL0,
        .counter = MSR_IA32_PMC0,
        .step = 1,
        .full_width = MSR_IA32_A_PMC0,
        .fixed = MSR_IA32_FIXED_CTR0,
        .fixed_ctrl = MSR_IA32_FIXED_CTR_CTRL,
        .global_ctrl = MSR_IA32_PERF_GLOBAL_CTRL,
        .global_status = MSR_IA32_PERF_GLOBAL_STATUS,
        .global_clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL,
        .global_set = MSR_IA32_PERF_GLOBAL_STATUS_SET,
        .global_inuse = MSR_IA32_PERF_GLOBAL_INUSE,
        .debugctl = MSR_IA32_DEBUGCTL,
        .pebs_enable = MSR_IA32_PEBS_ENABLE,
        .cycles = 0x3c,
    };
    /* AMD APM vol. 2 "Performance Counter MSRs". The global registers need PerfMonV2. */
    static const struct pmu_layout AMD = {
        .select = MSR_AMD_PERF_CTL0,
        .counter = MSR_AMD_PERF_CTR0,
        .step = 2,
        .global_ctrl = MSR_AMD_GLOBAL_CTL,
        .global_status = MSR_AMD_GLOBAL_STATUS,
        .global_clear = MSR_AMD_GLOBAL_STATUS_CLEAR,
        .debugctl = MSR_IA32_DEBUGCTL,
        .cycles = 0x76,
        .smis = 0x2b,
        .takes_all_bits = true,
    };
    static const struct pmu_layout OLD_AMD = {
        .select = MSR_AMD_OLD_PERF_CTL0,
        .counter = MSR_AMD_OLD_PERF_CTR0,
        .step = 1,
        .debugctl = MSR_IA32_DEBUGCTL,
        .cycles = 0x76,
        .smis = 0x2b,
        .takes_all_bits = true,
    };
    /* Other vendors have no counters in struct cpu_caps. */
    static const struct pmu_layout NONE = {.step = 1};

    if (caps->vendor == VENDOR_INTEL)
        return &INTEL;
    if (caps->vendor != VENDOR_AMD)
        return &NONE;
    return caps_has(caps, FEATURE_AMD_CORE) ? &AMD : &OLD_AMD;
}

struct pmu_error program_write(const struct msr_port *port, uint32_t msr, uint64_t value)
{
    struct pmu_error error = {.msr = msr, .written = value};

    if (!port->write(port->context, msr, value) || !port->read(port->context, msr, &error.read))
        error.status = STATUS_MSR_FAULT;
    else if (error.read != value)
        error.status = STATUS_READ_BACK;
    return error;
}

void program_clear_status(const struct msr_port *port, uint32_t clear_msr, uint64_t status)
{
    if (status)
        port->write(port->context, clear_msr, status);
}

void program_clear_found(const struct msr_port *port, const struct cpu_caps *caps, uint64_t found)
{
    const uint64_t known =
        caps->vendor == VENDOR_AMD ? caps_general(caps) | AMD_STATUS_FROZEN : ~0ull;

    program_clear_status(port, pmu_layout(caps)->global_clear, found & known);
}

uint64_t program_select(const struct event *event, const struct slot *slot)
{
    return (event->select ^ slot->select_xor) | (event->rings & RING_OS ? EVTSEL_OS : 0) |
           (event->rings & RING_USR ? EVTSEL_USR : 0);
}

uint64_t program_fixed(const struct event *event)
{
    return (event->rings & RING_OS ? FIXED_CTRL_OS : 0) |
           (event->rings & RING_USR ? FIXED_CTRL_USR : 0);
}

void pmu_unlock(const struct msr_port *port, const struct cpu_caps *caps)
{
    static const uint32_t SELECTS[] = {0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1};
    const struct pmu_layout *layout = pmu_layout(caps);
    const unsigned counters = sizeof(SELECTS) / sizeof(SELECTS[0]);

    if (!caps_is_nehalem(caps) || caps->gp_count < counters)
        return;
    for (unsigned i = 0; i < counters; i++) {
        port->write(port->context, pmu_counter_msr(layout, i), 0);
        port->write(port->context, pmu_select_msr(layout, i), SELECTS[i]);
    }
    port->write(port->context, layout->global_ctrl, (1u << counters) - 1);
    port->write(port->context, layout->global_ctrl, 0);
    for (unsigned i = 0; i < counters; i++) {
        port->write(port->context, pmu_select_msr(layout, i), 0);
        port->write(port->context, pmu_counter_msr(layout, i), 0);
    }
}

static struct pmu_error write_select(const struct msr_port *port, const struct cpu_caps *caps,
                                     uint32_t msr, uint64_t value)
{
    const struct pmu_error error = program_write(port, msr, value);

    /*
     * On Zen 3, PREC_RET works but reads as 0. Under a hypervisor, 0 may mean that PREC_RET was
     * dropped.
     */
    if (error.status == STATUS_READ_BACK && !caps_has(caps, FEATURE_HYPERVISOR) &&
        (error.read ^ value) == AMD_PREC_RET && caps->vendor == VENDOR_AMD)
        return NO_ERROR;
    return error;
}

/* The extra registers include a merged counter's select, which must be written first. */
static struct pmu_error write_pass(const struct msr_port *port, const struct cpu_caps *caps,
                                   const struct programmed *programmed)
{
    struct pmu_error error = NO_ERROR;

    for (unsigned i = 0; i < programmed->pass->extras && error.status == STATUS_OK; i++)
        error =
            program_write(port, programmed->pass->extra[i].msr, programmed->pass->extra[i].value);
    for (unsigned i = 0; i < programmed->counters && error.status == STATUS_OK; i++)
        if (programmed->select_msr[i])
            error = write_select(port, caps, programmed->select_msr[i],
                                 programmed->select[programmed->pass->slot[i].counter]);
    if (programmed->fixed_ctrl && error.status == STATUS_OK)
        error = program_write(port, programmed->fixed_ctrl_msr, programmed->fixed_ctrl);
    return error;
}

/*
 * Without a global control, a write to the first counter's select opens the window. Any other
 * counters, which are used only with METHOD_DELTAS, are already running then.
 */
static void choose_select(const struct cpu_caps *caps, const struct slot *slot, uint64_t select,
                          struct programmed *programmed)
{
    programmed->select[slot->counter] = select | EVTSEL_EN;
    if (program_has_global(caps)) {
        programmed->open_value |= 1ull << slot->counter;
    } else if (!programmed->open_msr) {
        programmed->select[slot->counter] = select;
        programmed->open_msr = pmu_select_msr(pmu_layout(caps), slot->counter);
        programmed->open_value = select | EVTSEL_EN;
    }
}

/* The extra register of EVENT_MERGED is the next counter's select. */
static void choose_merged(const struct cpu_caps *caps, const struct slot *slot, uint64_t select,
                          struct programmed *programmed)
{
    programmed->select[slot->counter + 1] = select;
    programmed->merged_msr = pmu_counter_msr(pmu_layout(caps), slot->counter + 1);
    if (program_has_global(caps))
        programmed->open_value |= 1ull << (slot->counter + 1);
}

struct pmu_error pmu_program(const struct msr_port *port, const struct cpu_caps *caps,
                             const struct event *event, const struct pass *pass,
                             struct programmed *programmed)
{
    const struct pmu_layout *layout = pmu_layout(caps);
    struct pmu_error error = NO_ERROR;

    *programmed = (struct programmed){
        .pass = pass,
        .fixed_ctrl_msr = layout->fixed_ctrl,
        .status_msr = layout->global_status,
        .clear_msr = layout->global_clear,
    };
    for (unsigned i = 0; i < pass->slots; i++) {
        const struct slot *slot = &pass->slot[i];
        const uint64_t select = program_select(&event[slot->event], slot);

        if (slot->where == SLOT_UNCORE)
            break; /* uncore slots come last */
        programmed->counters++;
        if (slot->where == SLOT_FIXED) {
            programmed->counter_msr[i] = layout->fixed + slot->counter;
            programmed->fixed_ctrl |= program_fixed(&event[slot->event])
                                      << (FIXED_CTRL_BITS * slot->counter);
            programmed->open_value |= 1ull << (GLOBAL_FIXED_SHIFT + slot->counter);
        } else {
            programmed->counter_msr[i] = pmu_counter_msr(layout, slot->counter);
            programmed->select_msr[i] = pmu_select_msr(layout, slot->counter);
            choose_select(caps, slot, select, programmed);
            if (event_condition(&event[slot->event]) == CONDITION_HIGH)
                programmed->high |= 1u << i;
            if (event[slot->event].flags & EVENT_MERGED)
                choose_merged(caps, slot, event[slot->event].extra, programmed);
        }
        if (program_has_global(caps))
            programmed->open_msr = layout->global_ctrl;
    }
    if (!programmed->open_msr)
        return error;
    if (program_has_global(caps))
        programmed->overflow_bits = programmed->open_value & ~GLOBAL_REFERENCE;
    pmu_unlock(port, caps);
    /* Clears selects that an earlier pass may have set and this pass does not use. */
    for (unsigned i = 0; i < caps->gp_count && error.status == STATUS_OK; i++)
        if (programmed->select[i] == 0 && caps_general(caps) >> i & 1)
            error = program_write(port, pmu_select_msr(layout, i), 0);
    if (caps->fixed_map && programmed->fixed_ctrl == 0 && error.status == STATUS_OK)
        error = program_write(port, layout->fixed_ctrl, 0);
    return error.status == STATUS_OK ? write_pass(port, caps, programmed) : error;
}

static uint64_t select_of_smis(const struct pmu_layout *layout)
{
    return layout->smis | EVTSEL_OS | EVTSEL_USR | EVTSEL_EN;
}

bool pmu_keep_smis(const struct msr_port *port, const struct cpu_caps *caps,
                   const struct programmed *programmed)
{
    const struct pmu_layout *layout = pmu_layout(caps);
    const uint32_t select_msr = layout->select + programmed->smi_msr - layout->counter;
    uint64_t select;

    if (port->read(port->context, select_msr, &select) && select == select_of_smis(layout))
        return true;
    port->write(port->context, select_msr, select_of_smis(layout));
    return false;
}

void pmu_count_smis(const struct msr_port *port, const struct cpu_caps *caps, uint32_t taken,
                    struct programmed *programmed)
{
    const struct pmu_layout *layout = pmu_layout(caps);
    unsigned counter = caps->gp_count;

    while (counter > 0 && (taken >> (counter - 1) & 1 || programmed->select[counter - 1] ||
                           !(caps_general(caps) >> (counter - 1) & 1)))
        counter--;
    if (!layout->smis || counter == 0 || (program_has_global(caps) && !programmed->open_msr))
        return;
    counter--;
    if (program_write(port, pmu_select_msr(layout, counter), select_of_smis(layout)).status !=
        STATUS_OK)
        return;
    programmed->smi_msr = pmu_counter_msr(layout, counter);
    if (program_has_global(caps))
        programmed->open_value |= 1ull << counter;
}

/*
 * Start values of counters. A write to IA32_PMCx sign-extends the low 32 bits. In the other
 * counters, bits above the width are reserved (Intel SDM vol. 3B "Full-Width Writes to Performance
 * Counter Registers").
 */
struct preset {
    uint64_t general;
    uint64_t fixed;
    uint32_t to_full_width; /* from a counter's MSR to its address for full-width writes */
};

static void add_preset(struct programmed *programmed, uint32_t msr, uint64_t value)
{
    programmed->preset[programmed->presets++] = (struct msr_value){msr, value};
}

/*
 * An IA32_PMCx may be written only while EN is clear (Intel SDM vol. 3B "Performance Event Select
 * Registers"), and a fixed counter only while its control bits are 0.
 */
static void choose_presets(const struct preset *preset, struct programmed *programmed)
{
    programmed->presets = 0;
    if (programmed->fixed_ctrl)
        add_preset(programmed, programmed->fixed_ctrl_msr, 0);
    for (unsigned i = 0; i < programmed->counters; i++) {
        const uint32_t select = programmed->select_msr[i];

        if (!select) {
            add_preset(programmed, programmed->counter_msr[i], preset->fixed);
            continue;
        }
        add_preset(programmed, select, 0);
        if (programmed->high >> i & 1)
            add_preset(programmed, programmed->counter_msr[i] + preset->to_full_width, HIGH_START);
        else
            add_preset(programmed, programmed->counter_msr[i], preset->general);
        add_preset(programmed, select, programmed->select[programmed->pass->slot[i].counter]);
    }
    if (programmed->fixed_ctrl)
        add_preset(programmed, programmed->fixed_ctrl_msr, programmed->fixed_ctrl);
}

static uint64_t width_mask(uint32_t width_bits)
{
    return width_bits >= 64 ? ~0ull : (1ull << width_bits) - 1;
}

bool pmu_takes_all_bits(const struct cpu_caps *caps, uint64_t perf_capabilities)
{
    return pmu_layout(caps)->takes_all_bits || perf_capabilities & PERF_CAP_FULL_WIDTH;
}

uint64_t pmu_preset_max(const struct cpu_caps *caps)
{
    uint64_t max = caps->fixed_map ? width_mask(caps->fixed_width_bits) : ~0ull;
    uint64_t general =
        pmu_layout(caps)->takes_all_bits ? width_mask(caps->gp_width_bits) : 1ull << 31;

    return caps->gp_count > 0 && general < max ? general : max;
}

/* The second of two merged counters contains bits 63:48 of the count; this is their start value. */
#define MERGED_HIGH 0xffffu /* as in Linux */

bool pmu_start_from(const struct cpu_caps *caps, uint64_t events, struct programmed *programmed)
{
    const struct preset preset = {
        .general = -events & (pmu_layout(caps)->takes_all_bits ? width_mask(caps->gp_width_bits)
                                                               : UINT32_MAX),
        .fixed = -events & width_mask(caps->fixed_width_bits),
        .to_full_width = pmu_layout(caps)->takes_all_bits ? 0 : MSR_IA32_A_PMC0 - MSR_IA32_PMC0,
    };

    if (events > pmu_preset_max(caps))
        return false;
    choose_presets(&preset, programmed);
    if (programmed->merged_msr)
        add_preset(programmed, programmed->merged_msr, events ? MERGED_HIGH : 0);
    return true;
}

uint32_t pmu_overflowed(const struct msr_port *port, const struct programmed *programmed)
{
    uint64_t status = 0;
    uint32_t slots = 0;

    if (programmed->overflow_bits == 0 ||
        !port->read(port->context, programmed->status_msr, &status))
        return 0;
    status &= programmed->overflow_bits;
    if (status == 0)
        return 0;
    program_clear_status(port, programmed->clear_msr, status);
    for (unsigned i = 0; i < programmed->pass->slots; i++) {
        const struct slot *slot = &programmed->pass->slot[i];

        if (slot->where != SLOT_UNCORE &&
            status >> (slot->counter + (slot->where == SLOT_FIXED ? GLOBAL_FIXED_SHIFT : 0)) & 1)
            slots |= 1u << i;
    }
    return slots;
}

#define FIXED_FIELDS (64u / FIXED_CTRL_BITS)

/* What IA32_PERF_GLOBAL_INUSE should show according to the other control registers. */
static uint64_t use_shown(const struct pmu_found *found)
{
    uint64_t bits = found->pebs_enable ? GLOBAL_INUSE_PMI : 0;

    for (unsigned i = 0; i < GP_COUNTERS_MAX; i++) {
        if (found->select[i] & EVTSEL_EVENT)
            bits |= 1ull << i;
        if (found->select[i] & EVTSEL_INT)
            bits |= GLOBAL_INUSE_PMI;
    }
    for (unsigned i = 0; i < FIXED_FIELDS; i++) {
        uint64_t field = found->fixed_ctrl >> (FIXED_CTRL_BITS * i);

        if (field & (FIXED_CTRL_OS | FIXED_CTRL_USR))
            bits |= 1ull << (GLOBAL_FIXED_SHIFT + i);
        if (field & FIXED_CTRL_PMI)
            bits |= GLOBAL_INUSE_PMI;
    }
    return bits;
}

uint64_t pmu_hidden_use(const struct pmu_found *found)
{
    return found->inuse & ~use_shown(found);
}

static void name_use(unsigned bit, struct out *out)
{
    if (bit < GLOBAL_FIXED_SHIFT)
        counter_name(false, bit, out);
    else if (bit < GLOBAL_FIXED_SHIFT + FIXED_FIELDS)
        counter_name(true, bit - GLOBAL_FIXED_SHIFT, out);
    else if (1ull << bit == GLOBAL_INUSE_PMI)
        out_text(out, "a PMI");
    else
        out_printf(out, "bit %u", bit);
}

void pmu_use_words(uint64_t bits, struct out *out)
{
    for (unsigned i = 0; i < 64; i++) {
        if (!(bits >> i & 1))
            continue;
        name_use(i, out);
        bits &= ~(1ull << i);
        out_text(out, bits ? ", " : "");
    }
}
