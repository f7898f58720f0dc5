/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the CPU that watches the boot CPU, and wakes parked CPUs. */
#include "boot/efi/firmware.h"
#include "boot/run/guard.h"
#include "boot/run/notes.h"
#include "boot/efi/park.h"
#include "boot/plan/skipped.h"

/* `together`: all of the plan's CPUs measure, and not only the boot CPU. */
static bool is_free(const struct run *run, unsigned number, bool together)
{
    const struct cpus *cpus = &run->machine->cpus;

    return cpus->cpu[number].usable && !idle_share_core(run, number, cpus->boot) &&
           !run->machine->given_up[number] && !(together && run_has_cpu(run, number));
}

/* Prefers a CPU of the plan: it is started anyway, and starting another CPU may fail. */
static unsigned choose(const struct run *run, bool together)
{
    unsigned found = GUARD_NOBODY;

    if (skipped_parking())
        return GUARD_NOBODY;
    for (unsigned i = 0; i < run->machine->cpus.count; i++) {
        if (!is_free(run, i, together))
            continue;
        if (run_has_cpu(run, i))
            return i;
        if (found == GUARD_NOBODY)
            found = i;
    }
    return found;
}

static void call_back(struct progress *p)
{
    if (p->quiet.guard != GUARD_NOBODY)
        idle_wake(p, p->quiet.guard);
    p->quiet.guard = GUARD_NOBODY;
}

void guard_place(struct progress *p, unsigned number)
{
    const struct run *run = p->run;
    const struct cpus *cpus = &run->machine->cpus;
    bool together = number == GUARD_TOGETHER;
    bool wanted = together ? run_has_cpu(run, cpus->boot) : cpus->cpu[number].boot;
    unsigned next = wanted && !cpus_one_at_a_time() ? choose(run, together) : GUARD_NOBODY;
    enum status status;

    if (next == p->quiet.guard)
        return;
    store_phase(run->store, PHASE_PARK, CPU_NONE, 0);
    call_back(p);
    if (next == GUARD_NOBODY)
        return;
    idle_wake(p, next);
    p->quiet.boot_cpu = (struct watched){.context = &run->machine->contexts[cpus->boot]};
    status = park_as_guard(cpus, next, &p->quiet.boot_cpu);
    if (status == STATUS_OK) {
        p->quiet.guard = next;
        return;
    }
    if (cpus_one_at_a_time())
        return;
    run->machine->given_up[next] = true;
    note_cpu(run->store, next, " could not be set to watch the boot CPU", status);
}

/*
 * Whether the boot CPU needs a guard, and a CPU can be the guard. If `always` is true, that CPU
 * must also be idle while several CPUs run a kernel together.
 */
static bool is_wanted(const struct run *run, bool always)
{
    bool together = run->plan.mode == MODE_PARALLEL || (always && run_has_shared(run));

    return run_has_cpu(run, run->machine->cpus.boot) && !cpus_one_at_a_time() &&
           choose(run, together) != GUARD_NOBODY;
}

uint64_t guard_us(const struct run *run)
{
    return is_wanted(run, false) ? PARK_START_US + PARK_LOOK_US : 0;
}

bool guard_wants_counter(const struct run *run)
{
    return run_has_cpu(run, run->machine->cpus.boot) && run_has_foreign(run) &&
           !is_wanted(run, true);
}

/* bound_ticks is written last, because the guard may be reading at the same time. */
static void watch_boot_cpu(struct watched *boot_cpu, const struct watched *watched)
{
    boot_cpu->apic_id = watched->apic_id;
    boot_cpu->again_ticks = watched->again_ticks;
    cpu_fence();
    boot_cpu->bound_ticks = watched->bound_ticks;
}

void guard_watch(struct progress *p, struct watched *watched, unsigned count)
{
    const struct machine *machine = p->run->machine;

    watch_while_waiting(watched, count);
    for (unsigned i = 0; p->quiet.guard != GUARD_NOBODY && i < count; i++)
        if (watched[i].context == &machine->contexts[machine->cpus.boot])
            watch_boot_cpu(&p->quiet.boot_cpu, &watched[i]);
}

void guard_rest(struct progress *p)
{
    p->quiet.boot_cpu.bound_ticks = 0;
    watch_while_waiting(0, 0);
}

bool idle_share_core(const struct run *run, unsigned cpu, unsigned other)
{
    const struct cpu_slot *slot = run->machine->cpus.cpu;
    uint32_t shift = run->machine->boot_caps.smt_shift;

    return slot[cpu].apic_id >> shift == slot[other].apic_id >> shift;
}

void idle_wake(struct progress *p, unsigned number)
{
    bool by_nmi;
    enum status status = park_wake(number, &by_nmi);

    if (by_nmi && !p->quiet.nmi_told[number]) {
        p->quiet.nmi_told[number] = true;
        store_note(p->run->store, NOTE_REMARK,
                   "CPU %u: no store woke it from MWAIT within %u ms, so it was sent an NMI; "
                   "park=firmware avoids that",
                   number, PARK_STORE_US / 1000);
    }
    if (status == STATUS_OK)
        return;
    p->run->machine->cpu_lost = true;
    if (p->quiet.was_told[number])
        return;
    p->quiet.was_told[number] = true;
    store_note(p->run->store, NOTE_ERROR, "CPU %u, parked: %s", number, status_text(status));
}
