/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes noise measurements and the disturbances of samples into run.json. */
#include "pmu/files/render_parts.h"

static void put_times(struct json *json, const struct noise *noise, uint64_t tsc_hz)
{
    json_number(json, "threshold_ns", noise_ns(noise->threshold_ticks, tsc_hz));
    json_milli(json, "runtime_us", (int64_t)noise_ns(noise->runtime_ticks, tsc_hz));
    json_milli(json, "noise_us", (int64_t)noise_ns(noise->noise_ticks, tsc_hz));
    json_milli(json, "max_single_us", (int64_t)noise_ns(noise->longest_ticks, tsc_hz));
}

static void put_gaps(struct json *json, const struct noise *noise)
{
    json_milli(json, "available_percent", noise_available(noise));
    json_number(json, "gaps", noise->gaps);
    json_number(json, "hw", noise_hw(noise));
    json_number(json, "nmis", noise->nmis);
    if (noise->smis_known) {
        json_number(json, "smis", noise->smis);
        json_number(json, "smi_gaps", noise->smi_gaps);
        json_number(json, "unexplained", noise->unexplained);
    }
}

static void put_ticks(struct json *json, const struct noise *noise)
{
    json_number(json, "threshold_ticks", noise->threshold_ticks);
    json_number(json, "runtime_ticks", noise->runtime_ticks);
    json_number(json, "noise_ticks", noise->noise_ticks);
    json_number(json, "longest_ticks", noise->longest_ticks);
    if (noise->mperf > 0) {
        json_number(json, "aperf", noise->aperf);
        json_number(json, "mperf", noise->mperf);
    }
}

static void put_histogram(struct json *json, const struct noise *noise, uint64_t tsc_hz)
{
    json_array(json, "histogram");
    for (unsigned b = 0; b < NOISE_BUCKETS; b++) {
        uint64_t from_ticks = noise->threshold_ticks << b;

        if (noise->bucket[b] == 0)
            continue;
        json_flat_object(json, 0);
        if (tsc_hz > 0)
            json_number(json, "from_ns", noise_ns(from_ticks, tsc_hz));
        json_number(json, "from_ticks", from_ticks);
        json_number(json, "gaps", noise->bucket[b]);
        json_end(json, '}');
    }
    json_end(json, ']');
}

void render_json_noise(struct json *json, const struct noise *noise, const struct run_record *run)
{
    uint64_t tsc_hz = run->tsc_source == TSC_UNKNOWN ? 0 : run->tsc_hz;

    json_object(json, 0);
    json_number(json, "cpu", noise->cpu);
    json_text(json, "when", noise->when == NOISE_BEFORE ? "before" : "after");
    json_text(json, "status", status_text(noise->status));
    if (noise->status == STATUS_OK) {
        if (tsc_hz > 0)
            put_times(json, noise, tsc_hz);
        put_gaps(json, noise);
        put_ticks(json, noise);
        put_histogram(json, noise, tsc_hz);
    }
    json_end(json, '}');
}

void render_json_disturbed(const struct render *render, struct json *json)
{
    static const struct {
        const char *key;
        uint16_t evidence;
    } COUNTED[] = {
        {"overflows", EVIDENCE_OVERFLOW},     {"thermal", EVIDENCE_THERMAL},
        {"clock_changes", EVIDENCE_CLOCK},    {"limited", EVIDENCE_LIMIT},
        {"machine_checks", EVIDENCE_MACHINE}, {"gaps", EVIDENCE_GAP},
        {"register", EVIDENCE_REGISTER},      {"multiplexed", EVIDENCE_SHARED},
        {"switched", EVIDENCE_SWITCHED},
    };
    enum { COUNTS = sizeof(COUNTED) / sizeof(COUNTED[0]) };
    struct reading reading = reading_start(render);
    const struct result *result;
    uint64_t samples = 0, rejected = 0, smis = 0, nmis = 0, count[COUNTS] = {0};

    while ((result = reading_next_result(&reading)))
        for (uint32_t i = 0; i < result->samples; i++) {
            const struct sample *sample = result_sample(result, i);

            samples++;
            rejected += !sample_is_clean(sample, true);
            smis += sample->smis == SMIS_UNKNOWN ? 0 : sample->smis;
            nmis += sample->nmis;
            for (unsigned c = 0; c < COUNTS; c++)
                count[c] += (sample->evidence & COUNTED[c].evidence) != 0;
        }
    json_flat_object(json, "noise");
    json_number(json, "samples", samples);
    json_number(json, "rejected", rejected);
    json_number(json, "smis", smis);
    json_number(json, "nmis", nmis);
    for (unsigned c = 0; c < COUNTS; c++)
        json_number(json, COUNTED[c].key, count[c]);
    json_end(json, '}');
}
