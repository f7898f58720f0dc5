/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes a core's frequency from its counts. */
#include "pmu/verdicts/clock.h"
#include "pmu/base/scale.h"
#include "pmu/cpu/msr.h"
#include "pmu/cpu/tsc.h"
#include "pmu/events/built_in.h"

#define KHZ_PER_MHZ    1000u
#define PPM            1000000u
#define NS_PER_MS      1000000ull
#define SLOWEST_BUS_HZ 80000000u

int64_t clock_median_ns_milli(int64_t cycles_milli, uint64_t khz)
{
    uint64_t away = cycles_milli < 0 ? 0 - (uint64_t)cycles_milli : (uint64_t)cycles_milli;
    uint64_t ns_milli = scale_rounded(away, NS_PER_MS, khz);

    if (ns_milli > INT64_MAX)
        ns_milli = INT64_MAX;
    return cycles_milli < 0 ? -(int64_t)ns_milli : (int64_t)ns_milli;
}

static uint64_t by_tsc(uint64_t counted, uint64_t base, const struct run_record *run)
{
    return run->tsc_source == TSC_UNKNOWN ? 0 : scale_khz(counted, base, run->tsc_hz);
}

uint64_t clock_tsc_khz(const struct run_record *run)
{
    return by_tsc(1, 1, run);
}

uint64_t clock_run_khz(const struct clock *clock, const struct run_record *run)
{
    return by_tsc(clock->core, clock->reference, run);
}

uint64_t clock_reference_khz(const struct clock *clock, const struct run_record *run)
{
    return by_tsc(clock->mperf, clock->watched_ticks, run);
}

uint64_t clock_watched_khz(const struct clock *clock, const struct run_record *run)
{
    return by_tsc(clock->aperf, clock->watched_ticks, run);
}

uint32_t clock_run_error_ppm(const struct clock *clock, const struct run_record *run)
{
    uint32_t root = 1;
    uint64_t ppm;

    if (clock->reference == 0)
        return 0;
    while ((uint64_t)root * root < clock->samples)
        root++;
    ppm = scale((uint64_t)root * clock_step_ticks(run), PPM, clock->reference) +
          tsc_error_ppm(run->tsc_source, run->tsc_hz, run->tsc_measured_hz);
    return ppm < UINT32_MAX ? (uint32_t)ppm : UINT32_MAX;
}

uint64_t clock_nominal_khz(const struct cpu_record *cpu)
{
    if (cpu->caps.base_mhz > 0)
        return (uint64_t)cpu->caps.base_mhz * KHZ_PER_MHZ;
    return scale_khz(1, 1, tsc_nominal_hz(&cpu->caps, cpu->tsc_ratio));
}

uint32_t clock_step_ticks(const struct run_record *run)
{
    uint64_t ticks = run->tsc_hz / SLOWEST_BUS_HZ + (run->tsc_hz % SLOWEST_BUS_HZ > 0);

    return ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

bool clock_tells(uint64_t reference, uint32_t samples, const struct run_record *run)
{
    const uint64_t step_ticks = clock_step_ticks(run);
    uint64_t times = reference / (CLOCK_STEPS_MIN * (step_ticks > 0 ? step_ticks : 1));

    if (times > UINT32_MAX)
        times = UINT32_MAX;
    return samples > 0 && times * times >= samples;
}

bool clock_is_reference(const struct slot *slot)
{
    return slot->where == SLOT_FIXED && slot->counter == FIXED_REFERENCE;
}

/*
 * On AMD, general counters count core cycles and reference cycles. The reference clock is MPERF's,
 * which must run at the time stamp's rate.
 */
static bool is_of_clock(const struct view *view, const struct slot *slot, unsigned counter)
{
    if (slot->where == SLOT_FIXED)
        return slot->counter == counter;
    return slot->where == SLOT_GENERAL && view->cpu->caps.vendor == VENDOR_AMD &&
           !(view->cpu->flags & CPU_MPERF_DIFFERS) &&
           view->event[slot->event].select ==
               (counter == FIXED_CORE ? EVENT_AMD_CYCLES : EVENT_AMD_REFERENCE);
}

static unsigned slot_of(const struct view *view, const struct pass *pass, unsigned counter)
{
    for (unsigned s = 0; s < pass->slots; s++)
        if (is_of_clock(view, &pass->slot[s], counter))
            return counter_check_failed(view->tests, &pass->slot[s]) ? SLOTS_MAX : s;
    return SLOTS_MAX;
}

bool clock_slots(const struct view *view, const struct pass *pass, unsigned *core,
                 unsigned *reference)
{
    *core = slot_of(view, pass, FIXED_CORE);
    *reference = slot_of(view, pass, FIXED_REFERENCE);
    return *core != SLOTS_MAX && *reference != SLOTS_MAX &&
           view->event[pass->slot[*core].event].rings ==
               view->event[pass->slot[*reference].event].rings;
}

static uint64_t sum_of(const struct view *view, const struct result *result, unsigned pass,
                       unsigned slot, uint32_t *samples)
{
    size_t count = view_values(view, result, pass, slot, SAMPLE_N, 0);
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        if (view->scratch[i] < 0 || sum > CLOCK_CYCLES_MAX)
            return 0;
        sum += (uint64_t)view->scratch[i];
    }
    *samples = (uint32_t)count;
    return sum;
}

void clock_add(struct clock *clock, const struct view *view, const struct result *result)
{
    const struct schedule *schedule = view->schedule;
    unsigned core_slot, reference_slot, p = 0;
    uint64_t core, reference;
    uint32_t samples = 0;

    while (p < schedule->passes &&
           !clock_slots(view, &schedule->pass[p], &core_slot, &reference_slot))
        p++;
    if (p == schedule->passes)
        return;
    core = sum_of(view, result, p, core_slot, &samples);
    reference = sum_of(view, result, p, reference_slot, &samples);
    if (core == 0 || reference == 0 || core > CLOCK_CYCLES_MAX - clock->core ||
        reference > CLOCK_CYCLES_MAX - clock->reference || samples > UINT32_MAX - clock->samples)
        return;
    clock->core += core;
    clock->reference += reference;
    clock->kernels++;
    clock->samples += samples;
}

void clock_watch(struct clock *clock, const struct noise *noise)
{
    if (noise->status != STATUS_OK || noise->mperf == 0 ||
        noise->aperf > CLOCK_CYCLES_MAX - clock->aperf ||
        noise->mperf > CLOCK_CYCLES_MAX - clock->mperf ||
        noise->runtime_ticks > CLOCK_CYCLES_MAX - clock->watched_ticks)
        return;
    clock->aperf += noise->aperf;
    clock->mperf += noise->mperf;
    clock->watched_ticks += noise->runtime_ticks;
}
