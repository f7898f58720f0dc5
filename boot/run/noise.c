/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures the noise of a run's CPUs. */
#include "boot/run/noise.h"
#include "boot/efi/console.h"
#include "boot/measure/noise.h"
#include "boot/run/notes.h"
#include "boot/run/quiet.h"

#define US_PER_MS     1000ull
#define NS_PER_MS     1000000ull
#define SLOW_FACTOR   4u         /* the time stamp may be this many times slower than assumed */
#define LONG_MS       2000       /* progress is shown if noise_ms is at least this */
#define READINGS_1_MS 1000000ull /* more readings than any CPU makes in a millisecond */

uint64_t run_noise_us(const struct run *run)
{
    return 2 * run->plan.noise_ms * US_PER_MS * run->cpus;
}

static const char *when_text(enum noise_when when)
{
    return when == NOISE_BEFORE ? "before the kernels" : "after the kernels";
}

static enum status watch(struct progress *p, struct measured_cpu *cpu, struct noise *noise,
                         uint64_t wanted_ticks)
{
    const struct run *run = p->run;
    const struct machine *machine = run->machine;
    static struct noise_task task; /* static, because a late CPU may still write to it */
    uint64_t bound_us = run->plan.noise_ms * US_PER_MS * SLOW_FACTOR + INSPECT_BOUND_US;
    enum status status;

    task = (struct noise_task){
        .context = &machine->contexts[noise->cpu],
        .cpu = cpu->cpu,
        .threshold_ticks = wanted_ticks,
        .runtime_ticks = noise_ticks(run->plan.noise_ms * NS_PER_MS, machine->tsc_hz),
        .readings_max = run->plan.noise_ms * READINGS_1_MS,
        .noise = noise,
    };
    store_phase(run->store, PHASE_NOISE, noise->cpu, cpu->cpu->flags & CPU_IS_BOOT);
    if (run->plan.noise_ms >= LONG_MS)
        console_progress("CPU %u  noise %s, %u s", noise->cpu, when_text(noise->when),
                         run->plan.noise_ms / 1000);
    quiet_begin(p);
    status = cpus_run(&machine->cpus, noise->cpu, watch_noise, &task, bound_us);
    quiet_end(p);
    cpu->unanswered += is_silent(status);
    cpu->left_open |= status == STATUS_TIMEOUT;
    if (status == STATUS_OK)
        note_not_restored(run->store, noise->cpu, &task.error, "noise");
    return status == STATUS_OK ? (enum status)noise->status : status;
}

static void note(const struct run *run, const struct noise *noise, uint64_t wanted_ticks)
{
    const struct machine *machine = run->machine;
    char text[NOTE_BYTES];
    struct out words = out_buffer(text, sizeof(text));

    if (noise->status != STATUS_OK && noise->status != STATUS_SKIPPED &&
        noise->status != STATUS_STOPPED && noise->status != STATUS_MACHINE_CHECK)
        store_note(run->store, NOTE_ERROR, "CPU %u, noise %s: %s", noise->cpu,
                   when_text(noise->when), status_text(noise->status));
    if (noise->status != STATUS_OK || noise->threshold_ticks <= wanted_ticks)
        return;
    noise_raised_words(noise, run->plan.noise_threshold_ns, wanted_ticks,
                       machine->tsc_source == TSC_UNKNOWN ? 0 : machine->tsc_hz, &words);
    store_note(run->store, NOTE_REMARK, "CPU %u, noise %s: %s", noise->cpu, when_text(noise->when),
               out_end(&words));
}

void run_noise(struct progress *p, struct measured_cpu *cpu, enum noise_when when)
{
    const struct run *run = p->run;
    const struct noise unwatched = {.cpu = cpu->cpu->cpu, .when = when};
    uint64_t wanted_ticks = noise_ticks(run->plan.noise_threshold_ns, run->machine->tsc_hz);
    struct noise *noise = &cpu->noise[when];
    enum status status;

    *noise = unwatched;
    if (run->plan.noise_ms == 0)
        return;
    if (measured_cpu_is_lost(cpu))
        status = STATUS_SKIPPED;
    else if (p->stopped)
        status = p->stopped == STOPPED_BY_USER ? STATUS_STOPPED : STATUS_MACHINE_CHECK;
    else
        status = watch(p, cpu, noise, wanted_ticks);
    if (status != STATUS_OK)
        *noise = unwatched;
    noise->status = status;
    store_append(run->store, RECORD_NOISE, noise, sizeof(*noise));
    note(run, noise, wanted_ticks);
}
