/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures a CPU's noise with a loop that reads the time stamp counter. */
#include "boot/measure/noise.h"
#include "pmu/base/scale.h"
#include "pmu/counters/program.h"
#include "pmu/cpu/msr.h"

#define STEP_READINGS 1000u

struct look {
    uint64_t smis, aperf, mperf, tsc;
    bool has_smis, has_clocks;
};

/* Counts SMIs on a CPU without MSR_SMI_COUNT. */
struct smi_counter {
    struct pmu_found found;
    struct programmed programmed;
};

/* Sets programmed.smi_msr if the CPU has a counter of SMIs. */
static void start_counter(struct noise_task *task, struct smi_counter *counter)
{
    const struct cpu_caps *caps = &task->cpu->caps;
    struct programmed *programmed = &counter->programmed;

    if (pmu_take(&CPU_MSRS, caps, &counter->found).status != STATUS_OK)
        return;
    programmed->open_msr = pmu_layout(caps)->global_ctrl;
    pmu_count_smis(&CPU_MSRS, caps, 0, programmed);
    if (programmed->open_value)
        msr_write(programmed->open_msr, programmed->open_value);
}

/* Returns whether the counter was still programmed and enabled. */
static bool stop_counter(struct noise_task *task, const struct smi_counter *counter)
{
    const struct cpu_caps *caps = &task->cpu->caps;
    const struct programmed *programmed = &counter->programmed;
    uint64_t enabled = programmed->open_value;
    const bool was_on = programmed->smi_msr && pmu_keep_smis(&CPU_MSRS, caps, programmed) &&
                        (!enabled || msr_read(programmed->open_msr, &enabled)) &&
                        (enabled & programmed->open_value) == programmed->open_value;

    task->error = pmu_give_back(&CPU_MSRS, caps, &counter->found);
    return was_on;
}

/* Returns 0 if SMIs are not counted. */
static uint64_t smi_count(uint32_t smi_msr)
{
    uint64_t count = 0;

    if (smi_msr)
        msr_read(smi_msr, &count);
    return count;
}

static struct look look(const struct cpu_record *cpu, uint32_t smi_msr)
{
    struct look look = {0};

    look.has_smis = smi_msr && msr_read(smi_msr, &look.smis);
    look.has_clocks = cpu->flags & CPU_HAS_APERF && msr_read(MSR_IA32_APERF, &look.aperf) &&
                      msr_read(MSR_IA32_MPERF, &look.mperf);
    look.tsc = cpu_tsc();
    return look;
}

/* Returns the shortest of many times between two readings. Disturbances make other times longer. */
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

/*
 * Records gaps between readings of the time stamp. False if readings_max readings do not cover the
 * runtime. The NMI count is read in every step, so that a short NMI is not taken to be the cause of
 * a later gap. The SMI count is slow to read, so it is read only at the start and after each gap.
 */
static bool spin(const struct noise_task *task, uint32_t smi_msr)
{
    struct noise *noise = task->noise;
    const struct cpu_context *context = task->context;
    const uint64_t threshold = noise->threshold_ticks;
    uint64_t readings = task->readings_max;

    while (noise->runtime_ticks < task->runtime_ticks && readings > 0) {
        const uint64_t left = task->runtime_ticks - noise->runtime_ticks;
        const uint64_t smis = smi_count(smi_msr);
        uint32_t nmis = context->nmis, nmis_before;
        const uint64_t first = cpu_tsc();
        uint64_t before, now = first;
        unsigned causes = 0;

        for (;;) {
            nmis_before = nmis; /* read before the time stamp `before` */
            nmis = context->nmis;
            before = now;
            now = cpu_tsc();
            if (--readings == 0 || now - before >= threshold || now - first >= left)
                break;
        }
        if (context->nmis != nmis_before)
            causes |= NOISE_NMI;
        if (smi_count(smi_msr) != smis)
            causes |= NOISE_SMI;
        noise_stretch(noise, first, before, now, causes);
    }
    return noise->runtime_ticks >= task->runtime_ticks;
}

void watch_noise(void *argument)
{
    struct noise_task *task = argument;
    const struct cpu_caps *caps = &task->cpu->caps;
    const bool has_register = task->cpu->flags & CPU_HAS_SMI_COUNT;
    const bool has_event = !has_register && pmu_layout(caps)->smis;
    struct noise *noise = task->noise;
    struct look before, after;
    struct smi_counter counter = {.programmed.smi_msr = has_register ? MSR_SMI_COUNT : 0};
    const uint32_t *smi_msr = &counter.programmed.smi_msr;
    bool arrived, counts_smis = has_register;
    uint64_t elapsed;
    uint32_t nmis;

    cpu_enter(task->context, caps);
    if (has_event)
        start_counter(task, &counter);
    noise_start(noise, noise_threshold(task->threshold_ticks, least_step()));
    nmis = task->context->nmis;
    before = look(task->cpu, *smi_msr);
    arrived = spin(task, *smi_msr);
    after = look(task->cpu, *smi_msr);
    nmis = task->context->nmis - nmis;
    if (has_event)
        counts_smis = stop_counter(task, &counter);
    cpu_leave(task->context, caps);

    noise->status = arrived ? STATUS_OK : STATUS_TSC;
    noise->nmis = nmis;
    noise->smis_known = counts_smis && before.has_smis && after.has_smis;
    noise->smis = noise->smis_known ? (uint32_t)(after.smis - before.smis) : 0;
    elapsed = after.tsc - before.tsc;
    if (before.has_clocks && after.has_clocks && elapsed > 0) {
        noise->aperf = scale(after.aperf - before.aperf, noise->runtime_ticks, elapsed);
        noise->mperf = scale(after.mperf - before.mperf, noise->runtime_ticks, elapsed);
    }
}
