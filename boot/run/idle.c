/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/run/idle.h"
#include "boot/efi/park.h"

static struct {
    bool is_told;  /* in this run: it does not come back */
    bool given_up; /* since the program began */
} idle[CPUS_MAX];

void idle_start(void)
{
    for (unsigned i = 0; i < CPUS_MAX; i++)
        idle[i].is_told = false;
}

bool idle_share_core(const struct run *run, unsigned cpu, unsigned other)
{
    const struct cpu_slot *slot = run->machine->cpus.cpu;
    uint32_t shift = run->machine->boot_caps.smt_shift;

    return slot[cpu].apic_id >> shift == slot[other].apic_id >> shift;
}

void idle_wake(const struct run *run, unsigned number)
{
    if (park_wake(number) == STATUS_OK)
        return;
    run->machine->cpu_lost = true;
    if (idle[number].is_told)
        return;
    idle[number].is_told = true;
    store_note(run->store, NOTE_ERROR, "CPU %u, parked: %s", number, status_text(STATUS_TIMEOUT));
}

void idle_give_up(unsigned number)
{
    idle[number].given_up = true;
}

bool idle_has_given_up(unsigned number)
{
    return idle[number].given_up;
}
