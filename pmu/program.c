/* SPDX-License-Identifier: BSD-2-Clause */
#include "msr.h"
#include "program.h"

static const struct pmu_error NO_ERROR = {.status = STATUS_OK};

static struct pmu_error write_checked(const struct msr_port *port, uint32_t msr, uint64_t value)
{
    struct pmu_error error = {.msr = msr, .written = value};

    if (!port->write(port->context, msr, value) || !port->read(port->context, msr, &error.read))
        error.status = STATUS_MSR_FAULT;
    else if (error.read != value)
        error.status = STATUS_READ_BACK;
    return error;
}

static bool has_global(const struct cpu_caps *caps)
{
    return caps->pmu_version >= 2;
}

/* Whether a register can be read; if not, it may be the first. */
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
    caps->gp_refused += caps->gp_count - from;
    caps->gp_count = from;
}

uint32_t pmu_probe(const struct msr_port *port, struct cpu_caps *caps)
{
    uint32_t refused = 0;

    if (has_global(caps) && (!answers(port, MSR_IA32_PERF_GLOBAL_CTRL, &refused) ||
                             !answers(port, MSR_IA32_PERF_GLOBAL_STATUS, &refused))) {
        refuse_fixed(caps, ~0u);
        refuse_general(caps, 0);
    }
    if (caps->fixed_map && !answers(port, MSR_IA32_FIXED_CTR_CTRL, &refused))
        refuse_fixed(caps, ~0u);
    for (uint32_t i = 0; i < FIXED_COUNTERS_MAX; i++)
        if (caps->fixed_map >> i & 1 && !answers(port, MSR_IA32_FIXED_CTR0 + i, &refused))
            refuse_fixed(caps, 1u << i);
    for (uint32_t i = 0; i < caps->gp_count; i++)
        if (!answers(port, MSR_IA32_PERFEVTSEL0 + i, &refused) ||
            !answers(port, MSR_IA32_PMC0 + i, &refused))
            refuse_general(caps, i);
    return refused;
}

/* IA32_PERF_GLOBAL_STATUS bits that were set are cleared by writing them back as ones. */
static void clear_status(const struct msr_port *port, uint64_t status)
{
    if (status)
        port->write(port->context, MSR_IA32_PERF_GLOBAL_OVF_CTRL, status);
}

/* Reads a control register, remembers it, and writes `value` if it is not there already. */
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
        error = write_checked(port, msr, *found & keep_mask);
    }
    if (first && first->status == STATUS_OK)
        *first = error;
}

struct pmu_error pmu_take(const struct msr_port *port, const struct cpu_caps *caps,
                          struct pmu_found *found)
{
    struct pmu_error error = NO_ERROR;
    uint32_t *held = &found->held;

    *found = (struct pmu_found){0};
    if (caps->gp_count == 0 && caps->fixed_map == 0)
        return error;
    if (has_global(caps)) {
        hold(port, MSR_IA32_PERF_GLOBAL_CTRL, 0, &found->global_ctrl, HELD_GLOBAL_CTRL, held,
             &error);
        if (caps->fixed_map)
            hold(port, MSR_IA32_FIXED_CTR_CTRL, 0, &found->fixed_ctrl, HELD_FIXED_CTRL, held,
                 &error);
        if (port->read(port->context, MSR_IA32_PERF_GLOBAL_STATUS, &found->global_status))
            clear_status(port, found->global_status);
    }
    for (unsigned i = 0; i < caps->gp_count; i++)
        hold(port, MSR_IA32_PERFEVTSEL0 + i, 0, &found->select[i], HELD_SELECT(i), held, &error);
    hold(port, MSR_IA32_DEBUGCTL, ~(DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON),
         &found->debugctl, HELD_DEBUGCTL, held, 0);
    if (caps_has(caps, FEATURE_DS))
        hold(port, MSR_IA32_PEBS_ENABLE, 0, &found->pebs_enable, HELD_PEBS, held, 0);
    return error;
}

bool pmu_was_in_use(const struct pmu_found *found, const struct cpu_caps *caps)
{
    uint64_t global = has_global(caps) ? found->global_ctrl : ~0ull;

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
    struct pmu_error error = write_checked(port, msr, value);

    if (first->status == STATUS_OK)
        *first = error;
}

struct pmu_error pmu_give_back(const struct msr_port *port, const struct cpu_caps *caps,
                               const struct pmu_found *found)
{
    struct pmu_error error = NO_ERROR;
    uint64_t status = 0;

    if (caps->gp_count == 0 && caps->fixed_map == 0)
        return error;
    if (has_global(caps))
        put_back(port, MSR_IA32_PERF_GLOBAL_CTRL, 0, &error);
    if (found->held & HELD_PEBS && found->pebs_enable)
        put_back(port, MSR_IA32_PEBS_ENABLE, found->pebs_enable, &error);
    if (found->held & HELD_DEBUGCTL &&
        found->debugctl & (DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON))
        put_back(port, MSR_IA32_DEBUGCTL, found->debugctl, &error);
    for (unsigned i = caps->gp_count; i-- > 0;)
        if (found->held & HELD_SELECT(i))
            put_back(port, MSR_IA32_PERFEVTSEL0 + i, found->select[i], &error);
    if (has_global(caps) && port->read(port->context, MSR_IA32_PERF_GLOBAL_STATUS, &status))
        clear_status(port, status);
    if (found->held & HELD_FIXED_CTRL)
        put_back(port, MSR_IA32_FIXED_CTR_CTRL, found->fixed_ctrl, &error);
    if (found->held & HELD_GLOBAL_CTRL)
        put_back(port, MSR_IA32_PERF_GLOBAL_CTRL, found->global_ctrl, &error);
    return error;
}

uint64_t program_select(const struct event *event)
{
    return event->code | (uint64_t)event->umask << 8 | EVTSEL_OS;
}

static struct pmu_error write_pass(const struct msr_port *port, const struct programmed *programmed)
{
    struct pmu_error error = NO_ERROR;

    for (unsigned i = 0; i < programmed->pass->slots && error.status == STATUS_OK; i++) {
        const struct slot *slot = &programmed->pass->slot[i];

        if (!slot->fixed)
            error = write_checked(port, MSR_IA32_PERFEVTSEL0 + slot->counter,
                                  programmed->select[slot->counter]);
    }
    if (programmed->fixed_ctrl && error.status == STATUS_OK)
        error = write_checked(port, MSR_IA32_FIXED_CTR_CTRL, programmed->fixed_ctrl);
    return error;
}

struct pmu_error pmu_program(const struct msr_port *port, const struct cpu_caps *caps,
                             const struct pass *pass, struct programmed *programmed)
{
    struct pmu_error error = NO_ERROR;

    *programmed = (struct programmed){.pass = pass};
    if (pass->slots == 0)
        return error;
    programmed->open_msr = has_global(caps) ? MSR_IA32_PERF_GLOBAL_CTRL : MSR_IA32_PERFEVTSEL0;
    for (unsigned i = 0; i < pass->slots; i++) {
        const struct slot *slot = &pass->slot[i];
        uint64_t select = program_select(&EVENTS[slot->event]);

        if (slot->fixed) {
            programmed->fixed_ctrl |= FIXED_CTRL_OS << (FIXED_CTRL_BITS * slot->counter);
            programmed->open_value |= 1ull << (GLOBAL_FIXED_SHIFT + slot->counter);
        } else if (has_global(caps)) {
            programmed->select[slot->counter] = select | EVTSEL_EN;
            programmed->open_value |= 1ull << slot->counter;
        } else {
            programmed->select[slot->counter] = select;
            programmed->open_value = select | EVTSEL_EN;
        }
    }
    /* Counters that an earlier pass used and this one does not must not stay selected. */
    for (unsigned i = 0; i < caps->gp_count && error.status == STATUS_OK; i++)
        if (programmed->select[i] == 0)
            error = write_checked(port, MSR_IA32_PERFEVTSEL0 + i, 0);
    if (caps->fixed_map && programmed->fixed_ctrl == 0 && error.status == STATUS_OK)
        error = write_checked(port, MSR_IA32_FIXED_CTR_CTRL, 0);
    return error.status == STATUS_OK ? write_pass(port, programmed) : error;
}

/*
 * EN must be 0 while an IA32_PMCx is written ("Performance Event Select Registers"), and fixed
 * counters are written with their control off; a write of 0 is right for every width.
 */
bool pmu_zero(const struct msr_port *port, const struct programmed *programmed)
{
    bool ok = true;

    if (programmed->fixed_ctrl)
        ok &= port->write(port->context, MSR_IA32_FIXED_CTR_CTRL, 0);
    for (unsigned i = 0; i < programmed->pass->slots; i++) {
        const struct slot *slot = &programmed->pass->slot[i];
        uint32_t select = MSR_IA32_PERFEVTSEL0 + slot->counter;

        if (slot->fixed) {
            ok &= port->write(port->context, MSR_IA32_FIXED_CTR0 + slot->counter, 0);
            continue;
        }
        ok &= port->write(port->context, select, 0);
        ok &= port->write(port->context, MSR_IA32_PMC0 + slot->counter, 0);
        ok &= port->write(port->context, select, programmed->select[slot->counter]);
    }
    if (programmed->fixed_ctrl)
        ok &= port->write(port->context, MSR_IA32_FIXED_CTR_CTRL, programmed->fixed_ctrl);
    return ok;
}

bool pmu_read(const struct msr_port *port, const struct programmed *programmed, uint64_t *raw)
{
    bool ok = true;

    for (unsigned i = 0; i < programmed->pass->slots; i++) {
        const struct slot *slot = &programmed->pass->slot[i];
        uint32_t base = slot->fixed ? MSR_IA32_FIXED_CTR0 : MSR_IA32_PMC0;

        ok &= port->read(port->context, base + slot->counter, &raw[i]);
    }
    return ok;
}

bool pmu_overflowed(const struct msr_port *port, const struct cpu_caps *caps,
                    const struct programmed *programmed)
{
    uint64_t status = 0;

    if (!has_global(caps) || programmed->open_value == 0 ||
        !port->read(port->context, MSR_IA32_PERF_GLOBAL_STATUS, &status))
        return false;
    status &= programmed->open_value;
    clear_status(port, status);
    return status != 0;
}
