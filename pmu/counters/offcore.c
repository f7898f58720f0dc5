/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/counters/offcore.h"

enum cores { EVERY_CORE, BIG_CORES, SMALL_CORES };

/* Unit mask and event number for each register (Intel perfmon, events OCR and OFFCORE_RESPONSE). */
static const struct {
    uint16_t first, second;
    uint8_t cores; /* enum cores */
} PAIRS[] = {
    {0x01b7, 0x01bb, BIG_CORES},   /* Westmere to Rocket Lake and Ice Lake servers */
    {0x012a, 0x012b, EVERY_CORE},  /* from Golden Cove on */
    {0x01b7, 0x02b7, SMALL_CORES}, /* from Silvermont on, and Xeon Phi */
};

/* Family 6 models of small cores that are not in a hybrid, where CPUID.1AH tells. */
static const uint8_t SMALL_CORE_MODELS[] = {
    0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d, /* Silvermont, Airmont */
    0x5c, 0x5f, 0x7a,                   /* Goldmont, Goldmont Plus */
    0x86, 0x96, 0x9c, 0xbe,             /* Tremont, Gracemont */
    0xaf, 0xb6, 0xdd,                   /* Sierra Forest, Grand Ridge, Clearwater Forest */
    0x57, 0x85,                         /* Xeon Phi */
};

/* Nehalem has the first register alone. */
static const uint8_t ONE_REGISTER_MODELS[] = {0x1a, 0x1e, 0x1f, 0x2e};

static bool is_among(uint32_t model, const uint8_t *models, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (models[i] == model)
            return true;
    return false;
}

static enum cores cores_of(const struct cpu_caps *caps)
{
    if (caps->core_type)
        return caps->core_type == CORE_TYPE_ATOM ? SMALL_CORES : BIG_CORES;
    return is_among(caps->model, SMALL_CORE_MODELS, sizeof(SMALL_CORE_MODELS)) ? SMALL_CORES
                                                                               : BIG_CORES;
}

/* Average latency and outstanding requests: only the first register of small cores has them. */
#define LATENCY_BITS (1ull << 63 | 1ull << 38)

uint16_t offcore_select_xor(const struct event *event, const struct cpu_caps *caps)
{
    uint16_t code = (uint16_t)event->select;

    if (caps->vendor != VENDOR_INTEL || caps->family != 6 ||
        is_among(caps->model, ONE_REGISTER_MODELS, sizeof(ONE_REGISTER_MODELS)))
        return 0;
    if (cores_of(caps) == SMALL_CORES && event->extra & LATENCY_BITS)
        return 0;
    for (unsigned i = 0; i < sizeof(PAIRS) / sizeof(PAIRS[0]); i++) {
        if (PAIRS[i].cores != EVERY_CORE && PAIRS[i].cores != cores_of(caps))
            continue;
        if ((event->extra_msr == MSR_OFFCORE_RSP_0 && code == PAIRS[i].first) ||
            (event->extra_msr == MSR_OFFCORE_RSP_1 && code == PAIRS[i].second))
            return PAIRS[i].first ^ PAIRS[i].second;
    }
    return 0;
}
