/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/bus_masters.h"
#include "boot/firmware.h"
#include "boot/park.h"
#include "boot/quiet.h"
#include "pmu/mwait.h"

#define STATE_LINE_PARK 3u /* of plan_state.line */

static struct bus_masters masters;

/* Whether CPUs can be parked in MWAIT, and woken again. */
static bool can_mwait(const struct cpu_caps *caps)
{
    return caps_has(caps, FEATURE_MONITOR) && caps->max_leaf >= PARK_LEAF && mwait_ends(caps);
}

/* run_record.parked. */
static uint32_t parked(const struct run *run)
{
    const struct cpu_caps *caps = &run->session->boot_caps;
    enum plan_park park = run->plan.state.park;
    struct cpuid_regs leaf;
    uint32_t hint;

    if (park == PARK_FIRMWARE || !can_mwait(caps))
        return PARKED_BY_FIRMWARE;
    cpu_read_cpuid(PARK_LEAF, 0, &leaf);
    hint = mwait_deepest_hint(&leaf);
    if (park == PARK_AUTO && !mwait_gains(caps, hint))
        return PARKED_BY_FIRMWARE;
    return PARKED_IN_MWAIT | hint << PARKED_HINT_SHIFT;
}

static bool is_mwait(const struct run *run)
{
    return (parked(run) & PARKED_HOW) == PARKED_IN_MWAIT;
}

void quiet_put(const struct run *run, struct run_record *record)
{
    record->timer_stopped =
        firmware_timer_try() == TIMER_STOPS && run_has_cpu(run, run->session->cpus.boot);
    record->parked = parked(run);
}

static void note_masters(struct run *run)
{
    for (unsigned i = 0; i < masters.count; i++)
        store_note(run->store, NOTE_REMARK, "%s: bus mastering off while kernels run",
                   masters.master[i].name);
    if (masters.left_out > 0)
        store_note(run->store, NOTE_ERROR,
                   "bus_masters=off: devices beyond the first %u stay on: %u", BUS_MASTERS_MAX,
                   masters.left_out);
}

static void note_no_mwait(struct run *run)
{
    const char *why = caps_has(&run->session->boot_caps, FEATURE_MONITOR)
                          ? "a store may not end MWAIT on this CPU"
                          : "the CPU has no MONITOR and MWAIT";
    struct plan_error error = {.line = run->plan.state.line[STATE_LINE_PARK]};
    char place[FILE_PATH_BYTES];
    struct out out = out_buffer(place, sizeof(place));

    run_plan_place(run, &error, &out);
    store_note(run->store, NOTE_ERROR, "%s park=mwait: %s; CPUs wait as the firmware has them",
               out_end(&out), why);
}

void quiet_start(struct run *run)
{
    masters.count = masters.left_out = 0;
    if (run->plan.state.bus_masters_off)
        bus_masters_find(&masters);
    note_masters(run);
    if (firmware_timer() == TIMER_REFUSES)
        store_note(run->store, NOTE_REMARK,
                   "the firmware's timer could not be stopped while the boot CPU measured");
    if (run->plan.state.park == PARK_MWAIT && !is_mwait(run))
        note_no_mwait(run);
}

static void wake(struct run *run, unsigned number)
{
    if (park_wake(number) == STATUS_OK)
        return;
    run->cpu_lost = true;
    store_note(run->store, NOTE_ERROR, "CPU %u, parked: %s", number, status_text(STATUS_TIMEOUT));
}

/* Whether a CPU does not measure while CPU `number` does. */
static bool is_idle(const struct run *run, unsigned cpu, unsigned number)
{
    const struct cpu_slot *slot = &run->session->cpus.cpu[cpu];

    return slot->usable && !slot->boot && cpu != number &&
           !(run->plan.mode == MODE_PARALLEL && run_has_cpu(run, cpu));
}

void quiet_park(struct run *run, unsigned number)
{
    const struct cpus *cpus = &run->session->cpus;

    if (!is_mwait(run))
        return;
    for (unsigned i = 0; i < cpus->count; i++)
        if (park_has(i) && !is_idle(run, i, number))
            wake(run, i);
    for (unsigned i = 0; i < cpus->count; i++) {
        enum status status = is_idle(run, i, number) ? park_cpu(cpus, i) : STATUS_OK;

        if (status != STATUS_OK)
            store_note(run->store, NOTE_ERROR, "CPU %u could not be parked: %s", i,
                       status_text(status));
    }
}

void quiet_describe(const struct run *run, struct cpu_record *cpu)
{
    const struct cpus *cpus = &run->session->cpus;
    uint32_t shift = cpu->caps.smt_shift;

    for (unsigned i = 0; i < cpus->count; i++) {
        if (i == cpu->cpu || cpus->cpu[i].apic_id >> shift != cpus->cpu[cpu->cpu].apic_id >> shift)
            continue;
        if (run->plan.mode == MODE_PARALLEL && run_has_cpu(run, i))
            cpu->flags |= CPU_BESIDE_MEASURED;
        else if (cpus->cpu[i].boot)
            cpu->flags |= CPU_BESIDE_BOOT;
    }
}

void quiet_note(struct run *run, const struct cpu_record *cpu)
{
    uint32_t pending = run->session->contexts[cpu->cpu].pending;

    if (cpu->status == STATUS_OK && pending > 0)
        store_note(run->store, NOTE_REMARK,
                   "CPU %u: interrupt vectors still pending when it began: %u", cpu->cpu, pending);
    if (cpu->flags & CPU_BESIDE_BOOT)
        store_note(run->store, NOTE_REMARK,
                   "CPU %u shares its core with the boot CPU, which waits in the firmware's loop: "
                   "cycles are those of a busy sibling",
                   cpu->cpu);
}

void quiet_begin(const struct run *run)
{
    if (run->plan.state.bus_masters_off)
        bus_masters_off(&masters);
}

void quiet_end(const struct run *run)
{
    if (run->plan.state.bus_masters_off)
        bus_masters_on(&masters);
}

void quiet_note_devices(struct run *run)
{
    for (unsigned i = 0; i < masters.count; i++) {
        struct bus_master *master = &masters.master[i];

        if (master->said || master->state == BUS_MASTER_ON)
            continue;
        master->said = true;
        if (master->state == BUS_MASTER_STUCK)
            store_note(run->store, NOTE_EXCEPTION, "%s: bus mastering does not come on again",
                       master->name);
        else
            store_note(run->store, NOTE_REMARK,
                       "%s: bus mastering cannot be switched off; it stays on", master->name);
    }
}

void quiet_stop(struct run *run)
{
    for (unsigned i = 0; i < run->session->cpus.count; i++)
        wake(run, i);
    if (firmware_timer() == TIMER_STUCK)
        store_note(run->store, NOTE_EXCEPTION,
                   "the firmware's timer does not go on after it was stopped");
}
