/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the gaps of a noise measurement, and describes them. */
#include "pmu/journal/noise.h"
#include "pmu/base/scale.h"
#include "pmu/base/status.h"

#define NS_PER_S      1000000000ull
#define ALL_AVAILABLE 100000u /* thousandths of a percent */

uint64_t noise_ticks(uint64_t ns, uint64_t tsc_hz)
{
    uint64_t s = ns / NS_PER_S, rest = ns % NS_PER_S;
    uint64_t hz = tsc_hz / NS_PER_S, rest_hz = tsc_hz % NS_PER_S;
    uint64_t ticks = s * tsc_hz + rest * hz + (rest * rest_hz + NS_PER_S - 1) / NS_PER_S;

    return ticks > 0 ? ticks : 1;
}

uint64_t noise_threshold(uint64_t wanted_ticks, uint64_t step_ticks)
{
    uint64_t least =
        step_ticks > UINT64_MAX / NOISE_STEPS_MIN ? UINT64_MAX : step_ticks * NOISE_STEPS_MIN;

    return wanted_ticks > least ? wanted_ticks : least;
}

void noise_start(struct noise *noise, uint64_t threshold_ticks)
{
    *noise =
        (struct noise){.cpu = noise->cpu, .when = noise->when, .threshold_ticks = threshold_ticks};
}

void noise_add(struct noise *noise, uint64_t gap_ticks, unsigned causes)
{
    uint64_t times = gap_ticks / noise->threshold_ticks;
    unsigned bucket = 0;

    if (times == 0)
        return;
    while (bucket + 1 < NOISE_BUCKETS && times >> (bucket + 1))
        bucket++;
    noise->bucket[bucket] += noise->bucket[bucket] < UINT32_MAX;
    noise->gaps++;
    noise->nmi_gaps += (causes & NOISE_NMI) != 0;
    noise->smi_gaps += (causes & NOISE_SMI) != 0;
    noise->unexplained += (causes & (NOISE_NMI | NOISE_SMI)) == 0;
    noise->noise_ticks += gap_ticks;
    if (gap_ticks > noise->longest_ticks)
        noise->longest_ticks = gap_ticks;
}

void noise_stretch(struct noise *noise, uint64_t first, uint64_t before, uint64_t last,
                   unsigned causes)
{
    uint64_t step = last - before;

    noise->runtime_ticks += before - first;
    if (step > INT64_MAX)
        return;
    noise->runtime_ticks += step;
    noise_add(noise, step, causes);
}

static bool causes_are_right(const struct noise *noise)
{
    uint64_t explained;

    if (noise->unexplained > noise->gaps)
        return false;
    explained = noise->gaps - noise->unexplained;
    return noise->nmi_gaps <= explained && noise->smi_gaps <= explained &&
           noise->smi_gaps >= explained - noise->nmi_gaps;
}

/* If a bucket is saturated, the sum of the buckets is smaller than the number of gaps. */
static bool buckets_are_right(const struct noise *noise)
{
    uint64_t sum = 0;
    bool full = false;

    for (unsigned b = 0; b < NOISE_BUCKETS; b++) {
        sum += noise->bucket[b];
        full |= noise->bucket[b] == UINT32_MAX;
    }
    return full ? sum <= noise->gaps : sum == noise->gaps;
}

static bool ticks_are_right(const struct noise *noise)
{
    return noise->threshold_ticks > 0 && noise->threshold_ticks < NOISE_THRESHOLD_TICKS_MAX &&
           (noise->gaps == 0) == (noise->noise_ticks == 0) &&
           (noise->gaps == 0 || noise->longest_ticks >= noise->threshold_ticks) &&
           noise->longest_ticks <= noise->noise_ticks && noise->noise_ticks <= noise->runtime_ticks;
}

bool noise_is_right(const struct noise *noise)
{
    if (noise->when > NOISE_AFTER || noise->smis_known > 1 || noise->status >= STATUS_COUNT)
        return false;
    return noise->status != STATUS_OK ||
           (ticks_are_right(noise) && buckets_are_right(noise) && causes_are_right(noise));
}

uint32_t noise_available(const struct noise *noise)
{
    uint64_t runtime = noise->runtime_ticks, quiet = runtime - noise->noise_ticks;

    while (runtime > UINT64_MAX / ALL_AVAILABLE) {
        runtime >>= 1;
        quiet >>= 1;
    }
    return runtime > 0 ? (uint32_t)(quiet * ALL_AVAILABLE / runtime) : 0;
}

uint64_t noise_hw(const struct noise *noise)
{
    return noise->gaps - noise->nmi_gaps;
}

bool noise_is_quiet(const struct noise *noise)
{
    return noise->status == STATUS_OK && noise->gaps == 0 && noise->smis == 0 && noise->nmis == 0;
}

uint64_t noise_ns(uint64_t ticks, uint64_t tsc_hz)
{
    uint64_t milli = scale_ns_milli(ticks, scale_khz(1, 1, tsc_hz));

    return milli / 1000 + (milli % 1000 >= 500);
}

static void put_time(struct out *out, uint64_t ticks, uint64_t tsc_hz)
{
    static const struct {
        const char *unit;
        uint64_t tenth_ns;
    } UNITS_OF_TIME[] = {{"us", 100}, {"ms", 100000}, {"s", 100000000}};
    uint64_t ns = noise_ns(ticks, tsc_hz), tenths;
    unsigned i = 0;

    if (tsc_hz == 0) {
        out_printf(out, "%llu ticks", (unsigned long long)ticks);
        return;
    }
    while (i < 2 && ns >= 10000 * UNITS_OF_TIME[i].tenth_ns)
        i++;
    tenths = ns / UNITS_OF_TIME[i].tenth_ns +
             (ns % UNITS_OF_TIME[i].tenth_ns >= UNITS_OF_TIME[i].tenth_ns / 2);
    out_printf(out, "%llu.%llu %s", (unsigned long long)(tenths / 10),
               (unsigned long long)(tenths % 10), UNITS_OF_TIME[i].unit);
}

static void put_cause(struct out *out, uint64_t count, const char *cause)
{
    char text[COUNTED_BYTES];

    if (count > 0)
        out_printf(out, ", %s", counted(count, cause, text));
}

void noise_words(const struct noise *noise, uint64_t tsc_hz, struct out *out)
{
    char gaps[COUNTED_BYTES];

    if (noise->status != STATUS_OK) {
        out_printf(out, "not known (%s)", status_text(noise->status));
        return;
    }
    if (noise->gaps == 0) {
        out_text(out, "none");
    } else {
        out_printf(out, "%s, max ", counted(noise->gaps, "gap", gaps));
        put_time(out, noise->longest_ticks, tsc_hz);
    }
    put_cause(out, noise->smis, "SMI");
    put_cause(out, noise->nmis, "NMI");
    if (!noise->smis_known)
        out_text(out, ", SMIs not counted");
}

void noise_raised_words(const struct noise *noise, uint64_t wanted_ns, uint64_t wanted_ticks,
                        uint64_t tsc_hz, struct out *out)
{
    const bool known = tsc_hz > 0;
    const uint64_t from = noise->threshold_ticks, step = from / NOISE_STEPS_MIN;
    const char *unit = known ? "ns" : "ticks";

    out_printf(
        out,
        "only gaps from %llu %s on are seen, not from %llu %s: one step of the watching loop takes "
        "%llu %s",
        (unsigned long long)(known ? noise_ns(from, tsc_hz) : from), unit,
        (unsigned long long)(known ? wanted_ns : wanted_ticks), unit,
        (unsigned long long)(known ? noise_ns(step, tsc_hz) : step), unit);
}
