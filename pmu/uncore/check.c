/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the uncore counters, in the steps of the table STEPS. */
#include "pmu/cpu/msr.h"
#include "pmu/uncore/trial.h"

#define PATTERN      0x5555555555555555ull
#define STATUS_OVF   (1ull << 61) /* Ovf_Uncore of IA32_PERF_GLOBAL_STATUS and _OVF_CTRL */
#define DEBUGCTL_PMI (1ull << 13) /* ENABLE_UNCORE_PMI */

static bool keeps(struct trial *trial)
{
    uint64_t mask = uncore_width_mask(&trial->group->type);

    trial_set_counter(trial, trial->counter, PATTERN & mask);
    if (trial_counter(trial, trial->counter) != (PATTERN & mask))
        return false;
    trial_set_counter(trial, trial->counter, ~PATTERN & mask);
    return trial_counter(trial, trial->counter) == (~PATTERN & mask);
}

static bool counts(struct trial *trial)
{
    return trial_counted(trial, trial_of_cycles(trial), true) != 0;
}

static bool stands(struct trial *trial)
{
    return trial_counted(trial, trial_of_cycles(trial), false) == 0;
}

static bool needs_enable(struct trial *trial)
{
    return trial->group->type.enable == 0 ||
           trial_counted(trial, trial->group->type.cycles, true) == 0;
}

/* --- overflows, if there is a status register --- */

static uint64_t status_bit(const struct trial *trial, unsigned counter)
{
    const struct uncore_global *global = &trial->uncore->model->global;

    return trial->group->type.style == STYLE_FIXED ? global->status_fixed
                                                   : global->status_general << counter;
}

static uint64_t status_of(struct trial *trial)
{
    return trial_get_msr(trial, trial->uncore->model->global.status_msr);
}

static void clear_status(struct trial *trial, unsigned counter)
{
    trial_put_msr(trial, trial->uncore->model->global.clear_msr, status_bit(trial, counter));
}

/* Starts a counter at its maximum, with additional bits in its select and the global register. */
static void begin_overflow(struct trial *trial, unsigned counter, uint64_t select, uint64_t global)
{
    trial_set_counter(trial, counter, uncore_width_mask(&trial->group->type));
    trial_set_select(trial, counter, trial_of_cycles(trial) | select);
    trial_open(trial, counter, global);
    trial_wait(trial);
}

static void overflow(struct trial *trial, unsigned counter)
{
    begin_overflow(trial, counter, 0, 0);
    trial_stop(trial, counter);
    trial_set_select(trial, counter, 0);
    trial_set_counter(trial, counter, 0);
}

static bool sets_status(struct trial *trial)
{
    clear_status(trial, trial->counter);
    overflow(trial, trial->counter);
    return status_of(trial) & status_bit(trial, trial->counter);
}

/* Clearing the counter's status bit must not clear the next counter's status bit. */
static bool clears_alone(struct trial *trial)
{
    unsigned next = (trial->counter + 1) % trial->group->type.counters;
    uint64_t kept = 0, status;

    if (next != trial->counter) {
        overflow(trial, next);
        trial->refused = false; /* faults of the next counter are found by its own test */
        kept = status_of(trial) & status_bit(trial, next);
    }
    clear_status(trial, trial->counter);
    status = status_of(trial);
    if (kept)
        clear_status(trial, next);
    return !(status & status_bit(trial, trial->counter)) && (status & kept) == kept;
}

static uint64_t pmi_bit(const struct trial *trial)
{
    const struct uncore_global *global = &trial->uncore->model->global;

    return trial->group->type.style == STYLE_FIXED ? global->pmi_control : global->pmi_select;
}

static bool freezes(struct trial *trial)
{
    const struct uncore_global *global = &trial->uncore->model->global;
    uint64_t first, then;

    if (global->pmi_freeze == 0)
        return true;
    begin_overflow(trial, trial->counter, pmi_bit(trial), global->pmi_freeze);
    first = trial_counter(trial, trial->counter);
    trial_wait(trial);
    then = trial_counter(trial, trial->counter);
    trial_stop(trial, trial->counter);
    clear_status(trial, trial->counter);
    return first == then;
}

/*
 * Whether an overflow sets the core's status bit for the uncore. The caller has masked the local
 * APIC's entry for PMIs.
 */
static bool tells_core(struct trial *trial)
{
    uint64_t cores = trial->uncore->model->global.pmi_core, debugctl, status;

    if (cores == 0)
        return true;
    debugctl = trial_get_msr(trial, MSR_IA32_DEBUGCTL);
    trial_put_msr(trial, MSR_IA32_PERF_GLOBAL_OVF_CTRL, STATUS_OVF);
    trial_put_msr(trial, MSR_IA32_DEBUGCTL, debugctl | DEBUGCTL_PMI);
    begin_overflow(trial, trial->counter, pmi_bit(trial), cores);
    status = trial_get_msr(trial, MSR_IA32_PERF_GLOBAL_STATUS);
    trial_stop(trial, trial->counter);
    clear_status(trial, trial->counter);
    trial_put_msr(trial, MSR_IA32_DEBUGCTL, debugctl);
    trial_put_msr(trial, MSR_IA32_PERF_GLOBAL_OVF_CTRL, STATUS_OVF);
    return status & STATUS_OVF;
}

static const struct {
    bool (*is_right)(struct trial *trial);
    enum uncore_fault fault;
    bool of_status; /* skipped if overflows have no status bit */
} STEPS[] = {
    {keeps, UNCORE_STUCK, false},          {counts, UNCORE_SILENT, false},
    {stands, UNCORE_RUNS, false},          {needs_enable, UNCORE_NO_ENABLE, false},
    {sets_status, UNCORE_NO_STATUS, true}, {clears_alone, UNCORE_NO_CLEAR, true},
    {freezes, UNCORE_NO_FREEZE, true},     {tells_core, UNCORE_NO_PMI, true},
};

static bool has_status(const struct trial *trial)
{
    return trial_global_bits(trial, 0) != 0 && trial->uncore->model->global.status_msr != 0;
}

static enum uncore_fault test_counter(struct trial *trial)
{
    const struct uncore_type *type = &trial->group->type;
    bool is_known = type->style == STYLE_FIXED || type->cycles || type->clock_is_0;
    enum uncore_fault fault = is_known ? UNCORE_RIGHT : UNCORE_UNTESTED;

    for (unsigned i = 0; i < sizeof(STEPS) / sizeof(STEPS[0]); i++) {
        if ((!is_known && STEPS[i].fault != UNCORE_STUCK) ||
            (STEPS[i].of_status && !has_status(trial)))
            continue;
        trial->refused = false;
        if (!STEPS[i].is_right(trial) || trial->refused) {
            fault = STEPS[i].fault;
            break;
        }
    }
    trial_set_select(trial, trial->counter, 0);
    trial_set_counter(trial, trial->counter, 0);
    return fault;
}

/*
 * Sets the status bits in `found` again, by making their counters overflow. An overflow also sets
 * the bits of status_also, so those that are not in `found` are cleared.
 */
static void restore_status(struct trial *trial, uint64_t found)
{
    const struct uncore_global *global = &trial->uncore->model->global;

    if (!has_status(trial))
        return;
    for (unsigned i = 0; i < trial->group->type.counters; i++)
        if (found & status_bit(trial, i))
            overflow(trial, i);
    trial_put_msr(trial, global->clear_msr, global->status_also & ~found);
}

static void test_group(struct trial *trial, struct uncore_record_group *record)
{
    uint64_t found = has_status(trial) ? status_of(trial) : 0;

    record->fault = UNCORE_RIGHT;
    for (trial->unit = 0; trial->unit < trial->group->units; trial->unit++)
        for (trial->counter = 0; trial->counter < trial->group->type.counters; trial->counter++) {
            enum uncore_fault fault = test_counter(trial);

            if (fault == UNCORE_RIGHT || record->fault > UNCORE_UNTESTED)
                continue;
            record->fault = (uint8_t)fault;
            record->fault_unit = (uint8_t)trial->unit;
            record->fault_counter = (uint8_t)trial->counter;
        }
    trial->unit = 0;
    restore_status(trial, found);
}

void uncore_check(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                  void (*delay)(void *context, unsigned us), void *delay_context,
                  struct uncore_record *record)
{
    for (unsigned i = 0; i < uncore->groups; i++) {
        struct trial trial = {.port = port,
                              .uncore = uncore,
                              .delay = delay,
                              .delay_context = delay_context,
                              .group = &uncore->group[i]};

        if (!uncore_is_taken(trial.group, kinds))
            continue;
        if (uncore_opens_itself(uncore->model, &trial.group->type))
            trial.held_back = trial.group->type.enable;
        test_group(&trial, &record->group[i]);
    }
}
