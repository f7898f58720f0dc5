/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unit of the uncore: its counters, their selects, and its control. */
#include "qemu/osdep.h"
#include "pmu_model_uncore.h"

#define GARBAGE 0x5a5a5a5a5a5a5a5aull /* as in pmu_model.c */
#define FILTER1_AT_RESET 0x3b         /* lets all requests pass */

/*
 * Writable bits of a select: event and unit mask (15:0), reset (17, not on clients), edge (18), PMI
 * (20), EN (22), INV (23), CMASK (31:24, on clients 28:24).
 */
#define SELECT_NEHALEM 0xffd6ffffu
#define SELECT_CLIENT 0x1fd4ffffu
#define SELECT_CHA 0xffdeffffu /* with bit 19, which enables the thread filter */

const PMUUnitType pmu_unit_types[PMU_UNIT_KINDS] = {
    [PMU_UNIT_NEHALEM] = { 8, true, 48, 48, SELECT_NEHALEM, 5, 1, 4 },
    [PMU_UNIT_CBO] = { 2, false, 44, 0, SELECT_CLIENT, 0, 0, 0 },
    [PMU_UNIT_ARB] = { 2, true, 44, 48, SELECT_CLIENT, PMU_UNCORE_EN | PMU_UNCORE_PMI,
                       PMU_UNCORE_EN, PMU_UNCORE_PMI },
    [PMU_UNIT_CHA] = { 4, false, 48, 0, SELECT_CHA, 0, 0, 0 },
    [PMU_UNIT_IMC] = { 4, true, 48, 48, SELECT_NEHALEM, PMU_UNCORE_EN, PMU_UNCORE_EN, 0 },
    [PMU_UNIT_UBOX] = { 0, true, 0, 48, 0, PMU_UNCORE_EN | PMU_UNCORE_PMI, PMU_UNCORE_EN, 0 },
};

PMUUncoreCounter *pmu_unit_fixed(PMUUnit *unit)
{
    return &unit->counter[pmu_unit_types[unit->kind].counters];
}

uint64_t pmu_unit_counter_bits(const PMUUnit *unit, unsigned number)
{
    const PMUUnitType *type = &pmu_unit_types[unit->kind];

    return pmu_low_bits(number == type->counters ? type->fixed_width : type->width);
}

/*
 * Bit 17 is not stored. On a server, writing 1 to bit 17 clears the counter. On Nehalem, writing 1
 * to bit 17 empties the tracker if the event is the tracker's occupancy.
 */
void pmu_unit_write_select(PMUUnit *unit, unsigned number, uint32_t value)
{
    if (value & PMU_UNCORE_RESET && number < pmu_unit_types[unit->kind].counters) {
        if (unit->kind == PMU_UNIT_NEHALEM) {
            if ((value & 0xff) == PMU_EVENT_GQ_OCCUPANCY) {
                unit->of->tracked = 0;
                unit->of->epoch++;
            }
        } else {
            unit->counter[number].value = 0;
        }
        value &= ~PMU_UNCORE_RESET;
    }
    unit->counter[number].select = value;
    unit->counter[number].condition_was = false;
}

void pmu_unit_write_counter(PMUUnit *unit, unsigned number, uint64_t value)
{
    unit->counter[number].value = unit->of->lie == PMU_UNCORE_SILENT ? 0 : value;
}

void pmu_unit_write_control(PMUUnit *unit, uint32_t value)
{
    const PMUUnitType *type = &pmu_unit_types[unit->kind];

    for (unsigned i = 0; i < type->counters + type->has_fixed; i++) {
        if (value & PMU_UNIT_RESET_CONTROL) {
            unit->counter[i].select = 0;
        }
        if (value & PMU_UNIT_RESET_COUNTERS) {
            unit->counter[i].value = 0;
        }
    }
    value &= ~(PMU_UNIT_RESET_CONTROL | PMU_UNIT_RESET_COUNTERS);
    unit->control = value | (unit->of->lie == PMU_UNCORE_FROZEN ? PMU_UNIT_FREEZE : 0);
}

void pmu_unit_reset(PMUUnit *unit)
{
    memset(unit->counter, 0, sizeof(unit->counter));
    for (unsigned i = 0; i < PMU_UNIT_COUNTERS; i++) {
        pmu_unit_write_counter(unit, i, GARBAGE & pmu_unit_counter_bits(unit, i));
    }
    pmu_unit_write_control(unit, 0);
    unit->filter[0] = 0;
    unit->filter[1] = FILTER1_AT_RESET;
    unit->status = 0;
}
