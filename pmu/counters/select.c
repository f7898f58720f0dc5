/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of event selects. */
#include "pmu/cpu/caps.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/select.h"

#define PSEUDO_UMASK_MAX 16u /* in perf, event 0 with unit mask 1 to 16 means a fixed counter */

static const struct select_layout INTEL = {{
    [SELECT_EVENT] = 0xffull,
    [SELECT_UMASK] = 0xffull << 8 | 0xffull << 40,
    [SELECT_E] = 1ull << 18,
    [SELECT_ANY] = 1ull << 21,
    [SELECT_INV] = 1ull << 23,
    [SELECT_CMASK] = 0xffull << 24,
    [SELECT_IN_TX] = 1ull << 32,
    [SELECT_IN_TXCP] = 1ull << 33,
    [SELECT_EQ] = 1ull << 36,
}};

static const struct select_layout AMD = {{
    [SELECT_EVENT] = 0xffull | 0xfull << 32,
    [SELECT_UMASK] = 0xffull << 8,
    [SELECT_E] = 1ull << 18,
    [SELECT_INV] = 1ull << 23,
    [SELECT_CMASK] = 0xffull << 24,
    [SELECT_PREC_RET] = AMD_PREC_RET,
}};

const struct select_layout *select_layout(uint32_t vendor)
{
    return vendor == VENDOR_AMD ? &AMD : &INTEL;
}

uint64_t select_bits(const struct select_layout *layout)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < SELECT_FIELDS; i++)
        bits |= layout->field[i];
    return bits;
}

uint64_t select_get(const struct select_layout *layout, enum select_field field, uint64_t select)
{
    uint64_t value = 0;
    unsigned to = 0;

    for (unsigned bit = 0; bit < 64; bit++)
        if (layout->field[field] >> bit & 1)
            value |= (select >> bit & 1) << to++;
    return value;
}

bool select_set(const struct select_layout *layout, enum select_field field, uint64_t value,
                uint64_t *select)
{
    uint64_t bits = 0;

    if (value > select_max(layout, field))
        return false;
    for (unsigned bit = 0; bit < 64; bit++)
        if (layout->field[field] >> bit & 1) {
            bits |= (value & 1) << bit;
            value >>= 1;
        }
    *select = (*select & ~layout->field[field]) | bits;
    return true;
}

uint64_t select_max(const struct select_layout *layout, enum select_field field)
{
    return select_get(layout, field, UINT64_MAX);
}

uint64_t select_of_fixed(int8_t counter)
{
    return (uint64_t)(counter + 1) << 8;
}

int8_t select_fixed(uint64_t select)
{
    uint64_t umask = select >> 8;

    if ((select & 0xff) != 0 || umask == 0 || umask > PSEUDO_UMASK_MAX)
        return EVENT_NOT_FIXED;
    return (int8_t)(umask - 1);
}

uint64_t select_extra_max(uint32_t msr)
{
    return msr == MSR_PEBS_LD_LAT_THRESHOLD ? 0xffff : msr == MSR_PEBS_FRONTEND ? 0xffffff : ~0ull;
}

const char *select_extra_name(uint32_t msr)
{
    static const struct {
        uint32_t msr;
        const char *name;
    } NAMES[] = {
        {0x1a6, "offcore response 0"},    {0x1a7, "offcore response 1"},
        {0x3f6, "load latency"},          {0x3f7, "frontend"},
        {0x3e0, "off-module response 0"}, {0x3e1, "off-module response 1"},
        {0x3e2, "off-module response 2"}, {0x3e3, "off-module response 3"},
    };

    for (unsigned i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (NAMES[i].msr == msr)
            return NAMES[i].name;
    return 0;
}

static const char *rings_in_words(uint8_t rings)
{
    static const char *const WORDS[] = {
        [0] = "no CPL",
        [RING_OS] = "CPL 0",
        [RING_USR] = "CPL 1 to 3",
        [RING_OS | RING_USR] = "every CPL",
    };
    return WORDS[rings & (RING_OS | RING_USR)];
}

static void put_flags(const struct select_layout *layout, uint64_t select, struct out *out)
{
    static const struct {
        enum select_field field;
        const char *words;
    } FLAGS[] = {
        {SELECT_INV, "inverted (INV)"},
        {SELECT_EQ, "equal to the threshold only (EQ)"},
        {SELECT_E, "edges (E)"},
        {SELECT_ANY, "any thread of the core (ANY)"},
        {SELECT_IN_TX, "in transactions (IN_TX)"},
        {SELECT_IN_TXCP, "without aborted transactions (IN_TXCP)"},
        {SELECT_PREC_RET, "precise retirement (PREC_RET)"},
    };
    uint64_t cmask = select_get(layout, SELECT_CMASK, select);
    uint64_t rest = select & ~select_bits(layout);
    const char *before = "; ";

    if (cmask) {
        out_printf(out, "%sthreshold (CMASK) %llu", before, (unsigned long long)cmask);
        before = ", ";
    }
    for (unsigned i = 0; i < sizeof(FLAGS) / sizeof(FLAGS[0]); i++)
        if (select & layout->field[FLAGS[i].field]) {
            out_printf(out, "%s%s", before, FLAGS[i].words);
            before = ", ";
        }
    if (rest) {
        out_printf(out, "%sother bits ", before);
        out_hex(out, rest);
    }
}

void select_words(uint32_t vendor, const struct event *event, struct out *out)
{
    const struct select_layout *layout = select_layout(vendor);

    if (event->fixed_only) {
        out_printf(out, "fixed counter %d, %s", event->fixed, rings_in_words(event->rings));
        return;
    }
    out_text(out, "event ");
    out_hex(out, select_get(layout, SELECT_EVENT, event->select));
    out_text(out, ", unit mask ");
    out_hex(out, select_get(layout, SELECT_UMASK, event->select));
    out_printf(out, ", %s", rings_in_words(event->rings));
    put_flags(layout, event->select, out);
    if (event->flags & EVENT_MERGED)
        out_text(out, "; merged with the next counter");
    if (event_has_extra(event)) {
        const char *name = select_extra_name(event->extra_msr);

        out_text(out, "; register ");
        out_hex(out, event->extra_msr);
        if (name)
            out_printf(out, " (%s)", name);
        out_text(out, " is ");
        out_hex(out, event->extra);
    }
    if (event->fixed != EVENT_NOT_FIXED)
        out_printf(out, "; or fixed counter %d", event->fixed);
}

bool offcore_has_four(const struct cpu_caps *caps)
{
    return caps->vendor == VENDOR_INTEL && (caps->family == 18 || caps->family == 19);
}

enum cores { EVERY_CORE, BIG_CORES, SMALL_CORES };

/*
 * Event number and unit mask of offcore events (perfmon: OCR or OFFCORE_RESPONSE): `first` is for
 * MSR_OFFCORE_RSP_0, `second` for MSR_OFFCORE_RSP_1.
 */
static const struct {
    uint16_t first, second;
    uint8_t cores; /* enum cores */
} PAIRS[] = {
    {0x01b7, 0x01bb, BIG_CORES},   /* Westmere to Rocket Lake and Ice Lake servers */
    {0x012a, 0x012b, EVERY_CORE},  /* from Golden Cove on */
    {0x01b7, 0x02b7, SMALL_CORES}, /* from Silvermont on, and Xeon Phi */
};

/*
 * Models of family 6 with only small cores. On hybrid CPUs, CPUID.1AH says which type a core has.
 */
static const uint8_t SMALL_CORE_MODELS[] = {
    0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d, /* Silvermont, Airmont */
    0x5c, 0x5f, 0x7a,                   /* Goldmont, Goldmont Plus */
    0x86, 0x96, 0x9c, 0xbe,             /* Tremont, Gracemont */
    0xaf, 0xb6, 0xdd,                   /* Sierra Forest, Grand Ridge, Clearwater Forest */
    0x57, 0x85,                         /* Xeon Phi */
};

/* Nehalem has only MSR_OFFCORE_RSP_0. */
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

/* On small cores, only MSR_OFFCORE_RSP_0 has the bits for latency and outstanding requests. */
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
