/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of counter tests. */
#include "pmu/counters/trial.h"
#include "pmu/cpu/msr.h"

#define SAME_WINDOWS 16u
#define CYCLES_MAX   (1u << 20) /* without an SMI, a window takes far fewer cycles */

/* run() writes bits RING_* to the control of fixed counters. */
_Static_assert(RING_OS == FIXED_CTRL_OS && RING_USR == FIXED_CTRL_USR, "one meaning");
#define EVTSEL_RING(ring) ((ring) == RING_OS ? EVTSEL_OS : EVTSEL_USR)

static bool has_global(const struct trial *trial)
{
    return trial->caps->pmu_version >= 2;
}

static unsigned width_of(const struct trial *trial)
{
    return trial->counter->fixed ? trial->caps->fixed_width_bits : trial->caps->gp_width_bits;
}

static uint64_t mask_of(const struct trial *trial)
{
    return (1ull << width_of(trial)) - 1;
}

static uint64_t global_bit(const struct tested_counter *counter)
{
    return 1ull << (counter->counter + (counter->fixed ? GLOBAL_FIXED_SHIFT : 0));
}

/*
 * Fixed counter 2 may tick too slowly to count in an empty window. A value written to this counter
 * takes effect only at a later tick, and at this tick a cleared status bit may be set again. See
 * CPU_CLK_UNHALTED.REF_TSC in Intel's perfmon files.
 */
static bool is_reference(const struct tested_counter *counter)
{
    return counter->fixed && counter->counter == FIXED_REFERENCE;
}

static void settle(const struct trial *trial)
{
    if (is_reference(trial->counter))
        trial->port->wait(trial->port->context);
}

static bool fail(struct trial *trial, enum counter_fault fault, uint64_t low, uint64_t high,
                 uint64_t right)
{
    trial->counter->fault = (uint8_t)fault;
    trial->counter->low = low;
    trial->counter->high = high;
    trial->counter->right = right;
    return false;
}

static bool refused(struct trial *trial, uint32_t msr)
{
    trial->counter->msr = msr;
    return fail(trial, COUNTER_REFUSES, 0, 0, 0);
}

static bool put(struct trial *trial, uint32_t msr, uint64_t value)
{
    const struct msr_port *msrs = trial->port->msrs;

    return msrs->write(msrs->context, msr, value) || refused(trial, msr);
}

static bool get(struct trial *trial, uint32_t msr, uint64_t *value)
{
    const struct msr_port *msrs = trial->port->msrs;

    return msrs->read(msrs->context, msr, value) || refused(trial, msr);
}

static uint32_t control_msr(const struct trial *trial)
{
    const struct tested_counter *counter = trial->counter;

    return counter->fixed ? trial->layout->fixed_ctrl
                          : pmu_select_msr(trial->layout, counter->counter);
}

static uint32_t counter_msr(const struct trial *trial)
{
    const struct tested_counter *counter = trial->counter;

    return counter->fixed ? trial->layout->fixed + counter->counter
                          : pmu_counter_msr(trial->layout, counter->counter);
}

/* A write to IA32_PMCx sign-extends the low 32 bits. */
static uint64_t as_written(const struct trial *trial, uint64_t value)
{
    if (trial->layout->takes_all_bits)
        return value;
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value & mask_of(trial);
}

static bool can_hold(const struct trial *trial, uint64_t value)
{
    return trial->counter->fixed || trial->full_width || as_written(trial, value) == value;
}

static bool put_counter(struct trial *trial, uint32_t msr, uint64_t value)
{
    if (!put(trial, msr, value))
        return false;
    settle(trial);
    return true;
}

static bool set(struct trial *trial, uint64_t value)
{
    const struct tested_counter *counter = trial->counter;

    if (counter->fixed)
        return put_counter(trial, counter_msr(trial), value);
    if (as_written(trial, value) != value)
        return put(trial, pmu_full_width_msr(trial->layout, counter->counter), value);
    return put(trial, counter_msr(trial),
               trial->layout->takes_all_bits ? value : value & UINT32_MAX);
}

static bool run(struct trial *trial, uint32_t ring, uint64_t preset, uint64_t *value)
{
    const struct tested_counter *counter = trial->counter;
    uint64_t control = counter->fixed ? (uint64_t)ring << (FIXED_CTRL_BITS * counter->counter)
                                      : SELECT_INSTRUCTIONS | EVTSEL_RING(ring);
    uint64_t enabled = counter->fixed ? control : control | EVTSEL_EN;
    uint32_t open_msr = has_global(trial) ? trial->layout->global_ctrl : control_msr(trial);

    trial->tests->windows++;
    pmu_unlock(trial->port->msrs, trial->caps);
    if (!put(trial, control_msr(trial), 0) || !set(trial, preset) ||
        !put(trial, control_msr(trial), has_global(trial) ? enabled : control))
        return false;
    if (!trial->port->window(trial->port->context, open_msr,
                             has_global(trial) ? global_bit(counter) : enabled,
                             is_reference(counter)))
        return refused(trial, open_msr);
    return put(trial, control_msr(trial), 0) && get(trial, counter_msr(trial), value);
}

static bool run_all(struct trial *trial, uint32_t ring, uint64_t *low, uint64_t *high)
{
    uint64_t value;

    *low = UINT64_MAX;
    *high = 0;
    for (unsigned i = 0; i < SAME_WINDOWS; i++) {
        if (!run(trial, ring, 0, &value))
            return false;
        *low = value < *low ? value : *low;
        *high = value > *high ? value : *high;
    }
    return true;
}

bool trial_count_alike(struct trial *trial)
{
    uint64_t user, low, high;

    if (!run_all(trial, RING_OS, &low, &high) || !run(trial, RING_USR, 0, &user))
        return false;
    trial->counter->low = low;
    trial->counter->high = high;
    if (high == 0)
        return fail(trial, user ? COUNTER_OTHER_RING : COUNTER_SILENT, 0, user, 0);
    if (counts_instructions(trial->counter) ? low != high : low == 0)
        return fail(trial, COUNTER_VARIES, low, high, 0);
    return true;
}

bool trial_count_right(struct trial *trial)
{
    const struct tested_counter *counter = trial->counter;

    return !counts_instructions(counter) || counter->low == trial->instructions ||
           fail(trial, COUNTER_WINDOW, counter->low, counter->high, trial->instructions);
}

bool trial_count_no_user(struct trial *trial)
{
    uint64_t low, high;

    return run_all(trial, RING_USR, &low, &high) &&
           (high == 0 || fail(trial, COUNTER_ANY_RING, low, high, 0));
}

static bool keeps(struct trial *trial, uint32_t msr, uint64_t written, uint64_t right)
{
    uint64_t value;

    return put_counter(trial, msr, written) && get(trial, counter_msr(trial), &value) &&
           (value == right || fail(trial, COUNTER_FORGETS, value, value, right));
}

bool trial_keep_patterns(struct trial *trial)
{
    static const uint64_t PATTERNS[] = {0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0, UINT64_MAX};
    const struct tested_counter *counter = trial->counter;

    for (unsigned i = 0; i < sizeof(PATTERNS) / sizeof(PATTERNS[0]); i++) {
        uint64_t whole = PATTERNS[i] & mask_of(trial), low = PATTERNS[i] & UINT32_MAX;
        bool takes_all = counter->fixed || trial->layout->takes_all_bits;

        if (takes_all ? !keeps(trial, counter_msr(trial), whole, whole)
                      : !keeps(trial, counter_msr(trial), low, as_written(trial, low)))
            return false;
        if (!counter->fixed && trial->full_width &&
            !keeps(trial, pmu_full_width_msr(trial->layout, counter->counter), whole, whole))
            return false;
    }
    return true;
}

bool trial_carry(struct trial *trial)
{
    uint64_t value;

    for (unsigned k = 1; k <= width_of(trial); k++) {
        uint64_t preset = (1ull << k) - 2, counted;

        if (!can_hold(trial, preset))
            continue;
        if (!run(trial, RING_OS, preset, &value))
            return false;
        counted = (value - preset) & mask_of(trial);
        if (counts_instructions(trial->counter) ? counted == trial->instructions
                                                : counted > 0 && counted <= CYCLES_MAX)
            continue;
        trial->counter->bit = (uint8_t)(k - 1);
        return fail(trial, COUNTER_CARRY, value, value, preset);
    }
    return true;
}

static bool get_status(struct trial *trial, uint64_t *status)
{
    settle(trial);
    if (!get(trial, trial->layout->global_status, status))
        return false;
    *status &= trial->caps->vendor == VENDOR_AMD ? caps_general(trial->caps) : GLOBAL_COUNTERS;
    return true;
}

/* *left becomes the status bits that remain set. */
static bool clear_status_once(struct trial *trial, uint64_t *left)
{
    uint64_t known = caps_general(trial->caps);
    uint64_t status;

    known |= (uint64_t)trial->caps->fixed_map << GLOBAL_FIXED_SHIFT;
    return get(trial, trial->layout->global_status, &status) &&
           put(trial, trial->layout->global_clear, status & known) && get_status(trial, left);
}

/* Fixed counter 2 may set its status bit again; writing 0 to the counter stops this. */
static bool clear_status(struct trial *trial, uint64_t *left)
{
    if (!clear_status_once(trial, left))
        return false;
    return !is_reference(trial->counter) || !(*left & GLOBAL_REFERENCE) ||
           (set(trial, 0) && clear_status_once(trial, left));
}

/* Fixed counter 2 may still set its status bit while another counter is tested. */
static uint64_t late_bit(const struct trial *trial)
{
    return is_reference(trial->counter) ? 0 : GLOBAL_REFERENCE;
}

static bool set_status(struct trial *trial, uint64_t own, uint64_t left)
{
    uint64_t status;

    if (trial->caps->pmu_version < 4)
        return true;
    if (!put(trial, trial->layout->global_set, own) || !get_status(trial, &status))
        return false;
    status &= ~(left | late_bit(trial));
    if (status != own)
        return fail(trial, COUNTER_UNSET, status, status, own);
    return clear_status(trial, &left) &&
           (!(left & own) || fail(trial, COUNTER_UNCLEARED, left, left, 0));
}

bool trial_overflow(struct trial *trial)
{
    uint64_t own = global_bit(trial->counter), left, status, value;

    if (!has_global(trial))
        return true;
    if (!clear_status(trial, &left))
        return false;
    if (left & own) /* set by trial_carry() */
        return fail(trial, COUNTER_UNCLEARED, left, left, 0);
    if (!run(trial, RING_OS, mask_of(trial) - 1, &value) || !get_status(trial, &status))
        return false;
    status &= ~(left | late_bit(trial));
    if (status != own)
        return fail(trial, COUNTER_OVERFLOW, status, status, own);
    return clear_status(trial, &left) && set_status(trial, own, left);
}

bool trial_exists(const struct trial *trial, unsigned number)
{
    const struct msr_port *msrs = trial->port->msrs;
    uint32_t msr = pmu_counter_msr(trial->layout, number);
    uint64_t first = 0, second = 0;

    return msrs->write(msrs->context, msr, 1) && msrs->read(msrs->context, msr, &first) &&
           msrs->write(msrs->context, msr, 0x7ffffffe) && msrs->read(msrs->context, msr, &second) &&
           first != second;
}
