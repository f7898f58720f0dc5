/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses the uncore counter under test. */
#include "pmu/uncore/trial.h"

#define WAIT_US 50u /* at least 10,000 ticks of any uncore clock */

void trial_wait(const struct trial *trial)
{
    trial->delay(trial->delay_context, WAIT_US);
}

static void put(struct trial *trial, unsigned space, uint64_t address, unsigned bytes,
                uint64_t value)
{
    trial->refused |= !uncore_put(trial->port, space, address, bytes, value);
}

void trial_put_msr(struct trial *trial, uint32_t msr, uint64_t value)
{
    put(trial, SPACE_MSR, msr, 8, value);
}

uint64_t trial_get_msr(struct trial *trial, uint32_t msr)
{
    uint64_t value = 0;

    trial->refused |= !uncore_get(trial->port, SPACE_MSR, msr, 8, &value);
    return value;
}

static void put_select(struct trial *trial, unsigned counter, uint64_t value)
{
    put(trial, trial->group->type.space, uncore_select_at(trial->group, trial->unit, counter),
        trial->group->type.select_bytes, value);
}

void trial_set_select(struct trial *trial, unsigned counter, uint64_t value)
{
    trial->select = value;
    put_select(trial, counter, value & ~trial->held_back);
}

void trial_set_counter(struct trial *trial, unsigned counter, uint64_t value)
{
    put(trial, trial->group->type.space, uncore_counter_at(trial->group, trial->unit, counter),
        trial->group->type.counter_bytes, value);
}

uint64_t trial_counter(struct trial *trial, unsigned counter)
{
    uint64_t value = 0;

    trial->refused |= !uncore_read_counter(trial->port, trial->uncore, trial->group, trial->unit,
                                           counter, &value);
    return value;
}

uint64_t trial_global_bits(const struct trial *trial, unsigned counter)
{
    return uncore_global_bits(trial->uncore->model, &trial->group->type, 1u << counter);
}

void trial_open(struct trial *trial, unsigned counter, uint64_t also)
{
    const struct uncore_type *type = &trial->group->type;
    uint64_t bits = trial_global_bits(trial, counter);

    if (type->has_box)
        put(trial, type->space, uncore_box_at(trial->group, trial->unit), uncore_box_bytes(type),
            type->box_run);
    if (bits)
        trial_put_msr(trial, trial->uncore->model->global.msr, bits | also);
    if (trial->held_back)
        put_select(trial, counter, trial->select);
}

void trial_stop(struct trial *trial, unsigned counter)
{
    const struct uncore_type *type = &trial->group->type;

    if (trial->held_back)
        put_select(trial, counter, trial->select & ~trial->held_back);
    if (trial_global_bits(trial, counter))
        trial_put_msr(trial, trial->uncore->model->global.msr, 0);
    if (type->has_box)
        put(trial, type->space, uncore_box_at(trial->group, trial->unit), uncore_box_bytes(type),
            type->box_freeze);
}

uint64_t trial_of_cycles(const struct trial *trial)
{
    return trial->group->type.cycles | trial->group->type.enable;
}

uint64_t trial_counted(struct trial *trial, uint64_t select, bool is_open)
{
    trial_set_counter(trial, trial->counter, 0);
    trial_set_select(trial, trial->counter, select);
    if (is_open)
        trial_open(trial, trial->counter, 0);
    trial_wait(trial);
    trial_stop(trial, trial->counter);
    return trial_counter(trial, trial->counter);
}
