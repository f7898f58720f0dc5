/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the plan's [state] to a CPU, and restores the CPU's own settings. */
#include "boot/run/state.h"
#include "boot/efi/console.h"
#include "boot/plan/skipped.h"

struct state_task {
    struct cpu_context *context;
    const struct cpu_caps *caps;
    const struct plan_state *plan;
    enum state_setting setting;
    struct cpu_state *state;
};

/*
 * set_state(), look_at_state() and restore_state() run on the CPU whose state they access. Their
 * argument is a struct state_task.
 */
static void set_state(void *argument)
{
    struct state_task *task = argument;

    cpu_enter(task->context, task->caps);
    state_set(&CPU_MSRS, task->caps, task->plan, task->setting, task->state);
    cpu_leave(task->context, task->caps);
}

static void look_at_state(void *argument)
{
    struct state_task *task = argument;

    cpu_enter(task->context, task->caps);
    state_look(&CPU_MSRS, task->caps, task->plan, task->state);
    cpu_leave(task->context, task->caps);
}

static void restore_state(void *argument)
{
    struct state_task *task = argument;

    cpu_enter(task->context, task->caps);
    state_restore(&CPU_MSRS, task->state);
    cpu_leave(task->context, task->caps);
}

static enum status run_on(struct progress *p, struct measured_cpu *cpu, enum state_setting setting,
                          void (*function)(void *argument))
{
    const struct machine *machine = p->run->machine;
    struct state_task task = {
        .context = &machine->contexts[cpu->cpu->cpu],
        .caps = &cpu->cpu->caps,
        .plan = &p->run->plan.state,
        .setting = setting,
        .state = &cpu->state,
    };

    return cpus_run(&machine->cpus, cpu->cpu->cpu, function, &task, INSPECT_BOUND_US);
}

/* Notes an item as "\barecount\plan.cfg:7: CPU 0, turbo=off: why". */
static void note_item(struct progress *p, unsigned cpu, const struct state_item *item)
{
    const struct plan_state *plan = &p->run->plan.state;
    const struct plan_error at = {.line = plan->line[item->setting]};
    char text[NOTE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    run_plan_place(p->run, &at, &out);
    out_printf(&out, "%sCPU %u, %s=", out.used > 0 ? " " : "", cpu, state_name(item->setting));
    state_wish(plan, item->setting, &out);
    out_text(&out, ": ");
    state_why(item, &out);
    store_note(p->run->store, item->status == STATUS_STATE_CLOCK ? NOTE_REMARK : NOTE_ERROR, "%s",
               out_end(&out));
}

static enum status set_all(struct progress *p, struct measured_cpu *cpu)
{
    enum status status = STATUS_OK;

    for (unsigned i = 0; i < STATE_SETTINGS && status == STATUS_OK; i++) {
        if (!state_has(&p->run->plan.state, i))
            continue;
        if (skipped_phase(PHASE_STATE, CPU_NONE, i) ||
            skipped_phase(PHASE_STATE_RESTORE, CPU_NONE, 0)) {
            cpu->state.item[cpu->state.items++] =
                (struct state_item){.setting = i, .status = STATUS_SKIPPED_PHASE};
            continue;
        }
        store_phase(p->run->store, PHASE_STATE, cpu->cpu->cpu, i);
        status = run_on(p, cpu, i, set_state);
    }
    if (status != STATUS_OK)
        return status;
    store_phase(p->run->store, PHASE_STATE_LOOK, cpu->cpu->cpu, cpu->cpu->flags & CPU_IS_BOOT);
    return run_on(p, cpu, STATE_SETTINGS, look_at_state);
}

static void note_lfence(struct progress *p, const struct measured_cpu *cpu)
{
    const struct cpu_caps *caps = &cpu->cpu->caps;

    if (p->run->plan.method == METHOD_DELTAS && caps->pmu_version > 0 &&
        !state_lfence_waits(caps, &cpu->state))
        store_note(p->run->store, NOTE_REMARK,
                   "CPU %u: LFENCE is not known to wait for earlier instructions (MSR 0xc0011029, "
                   "bit 1), so counts of method=deltas may be inexact; lfence_serializes=on in "
                   "[state] sets that bit",
                   cpu->cpu->cpu);
}

void cpu_state_set(struct progress *p, struct measured_cpu *cpu)
{
    struct cpu_state *state = &cpu->state;
    enum status status;

    state->cpu = cpu->cpu->cpu;
    state->items = 0;
    if (measured_cpu_is_lost(cpu))
        return;
    status = set_all(p, cpu);
    store_append(p->run->store, RECORD_STATE, state, sizeof(*state));
    progress_catch_up(p);
    for (uint32_t i = 0; i < state->items; i++)
        if (state->item[i].status != STATUS_OK && !state->item[i].kept)
            note_item(p, state->cpu, &state->item[i]);
    if (status != STATUS_OK) {
        store_note(p->run->store, NOTE_ERROR, "CPU %u, [state]: %s", state->cpu,
                   status_text(status));
        measured_cpu_give_up(cpu);
    } else {
        note_lfence(p, cpu);
    }
    console_progress_end();
    report_state(&p->report, cpu->cpu, state);
}

bool cpu_state_is_set(const struct measured_cpu *cpu)
{
    bool is_set = false;

    for (uint32_t i = 0; i < cpu->state.items; i++)
        is_set |= cpu->state.item[i].written;
    return is_set;
}

enum status cpu_state_restore(struct progress *p, struct measured_cpu *cpu)
{
    struct cpu_state *state = &cpu->state;
    enum status status;

    if (!cpu_state_is_set(cpu))
        return STATUS_OK;
    store_phase(p->run->store, PHASE_STATE_RESTORE, cpu->cpu->cpu, 0);
    status = run_on(p, cpu, STATE_SETTINGS, restore_state);
    for (uint32_t i = 0; status == STATUS_OK && i < state->items; i++)
        if (state->item[i].written)
            store_note(p->run->store, NOTE_EXCEPTION,
                       "CPU %u: MSR 0x%x is not as it was found: %s; it held 0x%llx", state->cpu,
                       state->item[i].msr, status_text(state->item[i].status),
                       (unsigned long long)state->item[i].found);
    return status;
}
