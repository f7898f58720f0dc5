/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the rest of the machine quiet while CPUs measure. */
#include "boot/efi/bus_masters.h"
#include "boot/efi/firmware.h"
#include "boot/run/guard.h"
#include "boot/run/notes.h"
#include "boot/efi/park.h"
#include "boot/plan/skipped.h"
#include "boot/run/quiet.h"
#include "pmu/cpu/mwait.h"

#define STATE_LINE_PARK 5u /* index in plan_state.line */

/* Whether CPUs can be parked and woken again. */
static bool can_mwait(const struct cpu_caps *caps)
{
    return caps_has(caps, FEATURE_MONITOR) && caps->max_leaf >= PARK_LEAF && mwait_ends(caps);
}

/* For run_record.parked. */
static uint32_t parked(const struct run *run)
{
    const struct cpu_caps *caps = &run->machine->boot_caps;
    enum plan_park park = run->plan.state.park;
    struct cpuid_regs leaf;
    uint32_t hint;

    if (park == PARK_FIRMWARE || !can_mwait(caps) || skipped_parking() || cpus_one_at_a_time())
        return PARKED_BY_FIRMWARE;
    cpu_read_cpuid(PARK_LEAF, 0, &leaf);
    hint = mwait_deepest_hint(&leaf, caps_has(caps, FEATURE_TSC_CONST));
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
        firmware_timer_try() == TIMER_STOPS && run_has_cpu(run, run->machine->cpus.boot);
    record->parked =
        is_mwait(run) && park_ready(&run->machine->cpus) ? parked(run) : PARKED_BY_FIRMWARE;
}

static void note_masters(const struct progress *p)
{
    const struct bus_masters *masters = &p->quiet.masters;

    for (unsigned i = 0; i < masters->count; i++)
        store_note(p->run->store, NOTE_REMARK, "%s: bus mastering off while kernels run",
                   masters->master[i].name);
    if (masters->left_out > 0)
        store_note(p->run->store, NOTE_ERROR,
                   "bus_masters=off: at most %u devices are turned off; %u more stay on",
                   BUS_MASTERS_MAX, masters->left_out);
}

static void note_no_mwait(const struct run *run)
{
    const char *why = caps_has(&run->machine->boot_caps, FEATURE_MONITOR)
                          ? "on this CPU a store might not end MWAIT"
                          : status_text(STATUS_NO_MONITOR);
    struct plan_error error = {.line = run->plan.state.line[STATE_LINE_PARK]};
    char place[FILE_PATH_BYTES];
    struct out out = out_buffer(place, sizeof(place));

    run_plan_place(run, &error, &out);
    store_note(run->store, NOTE_ERROR, "%s park=mwait: %s; the other CPUs wait in the firmware",
               out_end(&out), why);
}

static bool may_park(const struct run *run, unsigned number)
{
    const struct cpus *cpus = &run->machine->cpus;
    bool is_planned;

    if (!cpus->cpu[number].usable || cpus->cpu[number].boot || run->machine->given_up[number])
        return false;
    is_planned = run_has_cpu(run, number);
    if (is_planned)
        return run->plan.mode != MODE_PARALLEL;
    if (run->plan.state.park == PARK_MWAIT)
        return true;
    for (unsigned i = 0; i < cpus->count; i++)
        if (idle_share_core(run, number, i) && run_has_cpu(run, i))
            return true;
    return false;
}

bool quiet_parks(const struct run *run)
{
    return is_mwait(run) && run->plan.mode != MODE_PARALLEL;
}

uint64_t quiet_us(const struct run *run)
{
    uint64_t us = guard_us(run);

    if (!is_mwait(run))
        return us;
    us += PARK_LOOK_US; /* parked CPUs are woken together */
    for (unsigned i = 0; i < run->machine->cpus.count; i++) {
        if (!may_park(run, i))
            continue;
        us += PARK_START_US;
    }
    return us;
}

static void start_parking(struct progress *p)
{
    const struct run *run = p->run;
    const struct cpus *cpus = &run->machine->cpus;
    struct quiet *quiet = &p->quiet;

    quiet->parks = is_mwait(run) && park_ready(cpus);
    for (unsigned i = 0; i < cpus->count; i++) {
        quiet->parked[i] = quiet->parks && may_park(run, i);
        quiet->was_told[i] = quiet->nmi_told[i] = false;
    }
    if (is_mwait(run) && !quiet->parks)
        store_note(run->store, NOTE_ERROR, "parking: %s; the other CPUs wait in the firmware",
                   status_text(STATUS_NO_MEMORY));
    if (skipped_parking())
        store_note(run->store, NOTE_ERROR, "parking: %s; the other CPUs wait in the firmware",
                   status_text(STATUS_SKIPPED_PHASE));
    else if (run->plan.state.park == PARK_MWAIT && !is_mwait(run))
        note_no_mwait(run);
}

void quiet_start(struct progress *p)
{
    struct quiet *quiet = &p->quiet;

    quiet->guard = GUARD_NOBODY;
    quiet->masters.count = quiet->masters.left_out = 0;
    quiet->alone_told = false;
    if (p->run->plan.state.bus_masters_off)
        bus_masters_find(&quiet->masters);
    note_masters(p);
    quiet->timer_refused = firmware_timer() == TIMER_REFUSES;
    if (quiet->timer_refused)
        store_note(p->run->store, NOTE_REMARK,
                   "the firmware's timer could not be stopped while the boot CPU measured");
    start_parking(p);
}

static bool is_idle(const struct progress *p, unsigned cpu, unsigned number)
{
    return p->quiet.parked[cpu] && !p->run->machine->given_up[cpu] && cpu != number &&
           cpu != p->quiet.guard;
}

/*
 * Whether another CPU keeps the package of CPU `cpu` awake while CPU `number` measures. `other` is
 * the CPU that measures together with CPU `number`, or CPU_NONE.
 */
static bool is_package_awake(const struct progress *p, unsigned cpu, unsigned number,
                             unsigned other)
{
    const struct run *run = p->run;
    const struct cpus *cpus = &run->machine->cpus;

    for (unsigned i = 0; i < cpus->count; i++) {
        if (cpus->cpu[i].package != cpus->cpu[cpu].package || i == cpu)
            continue;
        if (i == number || i == other || cpus->cpu[i].boot || i == p->quiet.guard ||
            (i < cpu && park_is_awake(i)) ||
            (run->plan.mode == MODE_PARALLEL && run_has_cpu(run, i) && !run->machine->given_up[i]))
            return true;
    }
    return false;
}

static void park_idle(struct progress *p, unsigned number)
{
    const struct run *run = p->run;
    const struct cpus *cpus = &run->machine->cpus;
    bool is_announced = false;

    for (unsigned i = 0; p->quiet.parks && !cpus_one_at_a_time() && i < cpus->count; i++) {
        enum status status;

        if (!is_idle(p, i, number))
            continue;
        if (!is_announced && !park_is_settled(i)) {
            store_phase(run->store, PHASE_PARK, CPU_NONE, 0);
            is_announced = true;
        }
        status = park_cpu(cpus, i);
        if (cpus_one_at_a_time())
            break;
        if (status != STATUS_OK)
            note_cpu(run->store, i, " could not be parked", status);
        else
            park_keep_awake(i, !is_package_awake(p, i, number, CPU_NONE));
    }
    if (cpus_one_at_a_time() && !p->quiet.alone_told)
        store_note(run->store, NOTE_REMARK,
                   "the firmware runs one CPU at a time (EFI_UNSUPPORTED), so the program cannot "
                   "park CPUs, and no other CPU can end a kernel that hangs on the boot CPU");
    p->quiet.alone_told = cpus_one_at_a_time();
}

void quiet_park(struct progress *p, unsigned number)
{
    /* A CPU that failed may only have been late; if it has returned by now, it can be started. */
    if (park_has_failed(number))
        idle_wake(p, number);
    guard_place(p, p->run->plan.mode == MODE_PARALLEL ? GUARD_TOGETHER : number);
    park_idle(p, number);
}

void quiet_gather(struct progress *p)
{
    const struct run *run = p->run;

    guard_place(p, GUARD_TOGETHER);
    park_idle(p, run->machine->cpus.boot);
}

void quiet_pair(struct progress *p, unsigned first, unsigned second)
{
    const bool parks = p->quiet.parks && p->run->plan.mode != MODE_PARALLEL;

    for (unsigned i = 0; parks && i < p->run->machine->cpus.count; i++)
        if (is_idle(p, i, first))
            park_keep_awake(i, i != second && !is_package_awake(p, i, first, second));
}

void quiet_describe(const struct run *run, struct cpu_record *cpu)
{
    const struct cpus *cpus = &run->machine->cpus;
    uint32_t shift = cpu->caps.smt_shift;
    unsigned in_mwait = 0, elsewhere = 0;

    for (unsigned i = 0; i < cpus->count; i++) {
        if (i == cpu->cpu || cpus->cpu[i].apic_id >> shift != cpus->cpu[cpu->cpu].apic_id >> shift)
            continue;
        if (run->plan.mode == MODE_PARALLEL && run_has_cpu(run, i))
            cpu->flags |= CPU_BESIDE_MEASURED;
        else if (cpus->cpu[i].boot)
            cpu->flags |= CPU_BESIDE_BOOT;
        else if (park_has(i))
            in_mwait++;
        else
            elsewhere++;
    }
    if (in_mwait > 0 && elsewhere == 0)
        cpu->flags |= CPU_BESIDE_PARKED;
}

void quiet_note(const struct run *run, const struct cpu_record *cpu)
{
    if (cpu->flags & CPU_BESIDE_BOOT)
        store_note(run->store, NOTE_REMARK,
                   "CPU %u shares its core with the boot CPU, which waits in the firmware's loop, "
                   "so the cycles of CPU %u are those of a CPU with a busy sibling",
                   cpu->cpu, cpu->cpu);
}

void quiet_note_pending(const struct run *run, const struct cpu_record *cpu)
{
    uint32_t pending = run->machine->contexts[cpu->cpu].pending;

    if (pending > 0)
        store_note(run->store, NOTE_REMARK,
                   "CPU %u: interrupt vectors still pending while it measured: up to %u at a time",
                   cpu->cpu, pending);
}

void quiet_begin(struct progress *p)
{
    if (p->run->plan.state.bus_masters_off)
        bus_masters_off(&p->quiet.masters);
}

void quiet_end(struct progress *p)
{
    if (p->run->plan.state.bus_masters_off)
        bus_masters_on(&p->quiet.masters);
}

void quiet_note_devices(struct progress *p)
{
    struct bus_masters *masters = &p->quiet.masters;

    for (unsigned i = 0; i < masters->count; i++) {
        struct bus_master *master = &masters->master[i];

        if (master->said || master->state == BUS_MASTER_ON)
            continue;
        master->said = true;
        if (master->state == BUS_MASTER_STUCK)
            store_note(p->run->store, NOTE_EXCEPTION,
                       "%s: bus mastering could not be switched on again", master->name);
        else
            store_note(p->run->store, NOTE_REMARK,
                       "%s: bus mastering cannot be switched off; it stays on", master->name);
    }
}

void quiet_stop(struct progress *p)
{
    const struct cpus *cpus = &p->run->machine->cpus;
    const struct phase none = {.kind = PHASE_NONE, .cpu = CPU_NONE};
    struct store *store = p->run->store;

    store_phase(store, PHASE_WAKE, CPU_NONE, 0);
    firmware_timer_go_on(); /* needed to notice CPUs that return */
    park_call_all(cpus);
    p->quiet.guard = GUARD_NOBODY; /* woken with the others */
    for (unsigned i = 0; i < cpus->count; i++)
        idle_wake(p, i);
    store_append(store, RECORD_PHASE, &none, sizeof(none));
    quiet_note_devices(p);
    if (firmware_timer() == TIMER_STUCK)
        store_note(store, NOTE_EXCEPTION,
                   "the firmware's timer did not start again after it was stopped");
    if (firmware_timer() == TIMER_REFUSES && !p->quiet.timer_refused)
        store_note(store, NOTE_REMARK,
                   "the firmware's timer could no longer be stopped during this run; "
                   "firmware_timer_stopped in run.json describes the time before");
}
