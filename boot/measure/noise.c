/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures a CPU's noise with a loop that reads the time stamp counter. */
#include "boot/measure/noise.h"
#include "pmu/base/scale.h"
#include "pmu/cpu/msr.h"

#define STEP_READINGS 1000u

/* Registers that are read before and after the measurement. */
struct look {
    uint64_t smis, aperf, mperf, tsc;
    bool has_smis, has_clocks;
};

static struct look look(const struct cpu_record *cpu)
{
    struct look look = {0};

    look.has_smis = cpu->flags & CPU_HAS_SMI_COUNT && msr_read(MSR_SMI_COUNT, &look.smis);
    look.has_clocks = cpu->flags & CPU_HAS_APERF && msr_read(MSR_IA32_APERF, &look.aperf) &&
                      msr_read(MSR_IA32_MPERF, &look.mperf);
    look.tsc = cpu_tsc();
    return look;
}

/* Returns the shortest of many steps, because a disturbance cannot lengthen every step. */
static uint64_t least_step(void)
{
    uint64_t before = cpu_tsc(), least = UINT64_MAX;

    for (unsigned i = 0; i < STEP_READINGS; i++) {
        uint64_t now = cpu_tsc();

        if (now - before < least)
            least = now - before;
        before = now;
    }
    return least;
}

/* Returns 0 if the counter cannot be read; then no SMI is ever seen. */
static uint64_t smi_count(const struct cpu_record *cpu)
{
    uint64_t count = 0;

    if (cpu->flags & CPU_HAS_SMI_COUNT)
        msr_read(MSR_SMI_COUNT, &count);
    return count;
}

/*
 * Reads the time stamp in a loop and records its gaps. False if the time stamp does not advance
 * enough. The NMI count is read in every step, so that a short NMI is not taken to be the cause of
 * a later gap. The SMI count, which takes long to read, is read only after a gap, because every SMI
 * causes a gap.
 */
static bool spin(const struct noise_task *task)
{
    struct noise *noise = task->noise;
    const struct cpu_context *context = task->context;
    const uint64_t threshold = noise->threshold_ticks;
    uint64_t readings = task->readings_max;

    while (noise->runtime_ticks < task->runtime_ticks && readings > 0) {
        const uint64_t left = task->runtime_ticks - noise->runtime_ticks;
        const uint64_t smis = smi_count(task->cpu);
        uint32_t nmis = context->nmis, nmis_before;
        const uint64_t first = cpu_tsc();
        uint64_t before, now = first;
        unsigned causes = 0;

        for (;;) {
            nmis_before = nmis; /* the count before the time stamp `before` was read */
            nmis = context->nmis;
            before = now;
            now = cpu_tsc();
            if (--readings == 0 || now - before >= threshold || now - first >= left)
                break;
        }
        if (context->nmis != nmis_before)
            causes |= NOISE_NMI;
        if (smi_count(task->cpu) != smis)
            causes |= NOISE_SMI;
        noise_stretch(noise, first, before, now, causes);
    }
    return noise->runtime_ticks >= task->runtime_ticks;
}

void watch_noise(void *argument)
{
    const struct noise_task *task = argument;
    const struct cpu_caps *caps = &task->cpu->caps;
    struct noise *noise = task->noise;
    struct look before, after;
    uint64_t elapsed;
    uint32_t nmis;
    bool arrived;

    cpu_enter(task->context, caps);
    noise_start(noise, noise_threshold(task->threshold_ticks, least_step()));
    nmis = task->context->nmis;
    before = look(task->cpu);
    arrived = spin(task);
    after = look(task->cpu);
    nmis = task->context->nmis - nmis;
    cpu_leave(task->context, caps);

    noise->status = arrived ? STATUS_OK : STATUS_TSC;
    noise->nmis = nmis;
    noise->smis_known = before.has_smis && after.has_smis;
    noise->smis = noise->smis_known ? (uint32_t)(after.smis - before.smis) : 0;
    elapsed = after.tsc - before.tsc;
    if (before.has_clocks && after.has_clocks && elapsed > 0) {
        noise->aperf = scale(after.aperf - before.aperf, noise->runtime_ticks, elapsed);
        noise->mperf = scale(after.mperf - before.mperf, noise->runtime_ticks, elapsed);
    }
}
