/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/run/idle.h"
#include "boot/efi/park.h"

bool idle_share_core(const struct run *run, unsigned cpu, unsigned other)
{
    const struct cpu_slot *slot = run->machine->cpus.cpu;
    uint32_t shift = run->machine->boot_caps.smt_shift;

    return slot[cpu].apic_id >> shift == slot[other].apic_id >> shift;
}

void idle_wake(struct progress *p, unsigned number)
{
    if (park_wake(number) == STATUS_OK)
        return;
    p->run->machine->cpu_lost = true;
    if (p->quiet.was_told[number])
        return;
    p->quiet.was_told[number] = true;
    store_note(p->run->store, NOTE_ERROR, "CPU %u, parked: %s", number,
               status_text(STATUS_TIMEOUT));
}
