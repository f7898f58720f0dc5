/* SPDX-License-Identifier: BSD-2-Clause */
/* Known errata. */
#include <stddef.h>

#include "pmu/counters/errata.h"
#include "pmu/counters/select.h"

#define EVENT_NUMBER 0x00ffu
#define EVENT_CODE   0xffffu
#define ANY_OF_4     0x00fcu /* four consecutive event numbers */

#define ARCH_BRANCH_MISSES 6u /* CPUID.0AH:EBX */

enum condition {
    ALWAYS,
    WITH_THREADS,     /* two threads share a core */
    NO_BRANCH_MISSES, /* CPUID.0AH:EBX[6] is 1 */
    TSX_FORCE_ABORT,  /* CPUID.7:EDX[13] is 1, and microcode has not disabled TSX */
};

#define ANY_MODEL NULL

/* Models of family 6. The last element of each list is 0. */
static const uint8_t NEHALEM[] = {0x1a, 0x1e, 0x1f, 0x2e, 0};
static const uint8_t SANDY_BRIDGE_TO_HASWELL[] = {0x2a, 0x2d, 0x3a, 0x3e, 0x3c,
                                                  0x3f, 0x45, 0x46, 0};
static const uint8_t HASWELL[] = {0x3c, 0x3f, 0x45, 0x46, 0};
static const uint8_t SKYLAKE[] = {0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0};
static const uint8_t SKYLAKE_CLIENT[] = {0x4e, 0x5e, 0x8e, 0x9e, 0}; /* to Coffee Lake */
static const uint8_t ATOM_SERVERS[] = {0x4d, 0x5f, 0x86, 0xaf, 0};   /* Avoton to Sierra Forest */
static const uint8_t CLEARWATER_FOREST[] = {0xdd, 0};

#define TOO_MANY "too many"
#define WRONG    "wrong"

#define LINUX   "Linux's perf driver"
#define PERFMON "Intel's perfmon"
#define KVM     "KVM's unit tests"

#define OVERCOUNTS(what)                                                                           \
    "too many " what                                                                               \
    " are counted at far calls, jumps and returns, IRET, and some VMX and SGX instructions"

/*
 * A row applies to an event on a general counter if the bits `mask` of the event's select equal
 * `code`. A row also applies to the fixed counters in `fixed`.
 */
static const struct row {
    struct erratum erratum;
    const uint8_t *models;
    uint16_t code, mask; /* mask 0: no event */
    uint8_t fixed;       /* bit i: fixed counter i is affected */
    uint8_t left_out;    /* bit i: general counter i is never used */
    uint8_t condition;   /* enum condition */
} ROWS[] = {
    {{"AAJ80",
      "the event does not count what it should; BR_MISP_EXEC.ANY (event 89H, unit mask "
      "7FH) comes close, but counts too many",
      LINUX, WRONG},
     NEHALEM,
     0x00c5,
     EVENT_CODE,
     0,
     0,
     NO_BRANCH_MISSES},
    {{"BJ122, BV98, HSD29, HSM30",
      "a counter of this event disturbs the same counter of the core's other "
      "thread: keep that thread idle with mode=serial",
      LINUX, WRONG},
     SANDY_BRIDGE_TO_HASWELL,
     0x00d0,
     ANY_OF_4,
     0,
     0,
     WITH_THREADS},
    {{"HSD140, HSD143", "the count of instructions may be wrong, on the fixed counter as well",
      PERFMON, WRONG},
     HASWELL,
     0x00c0,
     EVENT_NUMBER,
     1,
     0,
     ALWAYS},
    {{"SKL091, SKL044",
      "a general counter may count instructions wrongly; the fixed counter of "
      "INST_RETIRED.ANY does not",
      PERFMON, WRONG},
     SKYLAKE,
     0x00c0,
     EVENT_NUMBER,
     0,
     0,
     ALWAYS},
    {{"SKL091",
      "branches may be counted wrongly; kernels that declare theirs show whether they are", PERFMON,
      WRONG},
     SKYLAKE,
     0x00c4,
     EVENT_NUMBER,
     0,
     0,
     ALWAYS},
    {{"unnumbered", "the first Skylakes and Kaby Lakes do not support the event of PAUSE", PERFMON,
      WRONG},
     SKYLAKE_CLIENT,
     0x40cc,
     EVENT_CODE,
     0,
     0,
     ALWAYS},
    {{"SRF7, SRF6 and similar", OVERCOUNTS("instructions"), PERFMON ", " KVM, TOO_MANY},
     ATOM_SERVERS,
     0x00c0,
     EVENT_NUMBER,
     1,
     0,
     ALWAYS},
    {{"SRF7, SRF6 and similar", OVERCOUNTS("branches"), PERFMON ", " KVM, TOO_MANY},
     ATOM_SERVERS,
     0x00c4,
     EVENT_NUMBER,
     0,
     0,
     ALWAYS},
    {{"like SRF7", OVERCOUNTS("instructions"), KVM, TOO_MANY},
     CLEARWATER_FOREST,
     0x00c0,
     EVENT_NUMBER,
     1,
     0,
     ALWAYS},
    {{"TSX force abort", "microcode may use IA32_PMC3, so this counter is left out", LINUX, WRONG},
     ANY_MODEL,
     0,
     0,
     0,
     1u << 3,
     TSX_FORCE_ABORT},
};
#define ROWS_COUNT (sizeof(ROWS) / sizeof(ROWS[0]))

static const uint8_t BROADWELL[] = {0x3d, 0x47, 0x4f, 0x56, 0};
static const uint8_t ALDER_LAKE[] = {0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xd7, 0};
static const uint8_t METEOR_LAKE[] = {0xaa, 0xac, 0xb5, 0};
static const uint8_t ARROW_LAKE_H[] = {0xc5, 0};
#define CRESTMONT 2u /* the native model ID */

/*
 * Errata that perfmon names in its field "Errata", but that no public source describes. The last
 * element of the list `select` is 0. ROWS is searched before LISTED.
 */
static const struct listed {
    struct erratum erratum;
    const uint8_t *models;
    uint8_t core_type;    /* 0: any */
    uint8_t native_model; /* 0: any */
    const uint16_t *select;
} LISTED[] = {
/* clang-format off */
#define SELECTS(...) (const uint16_t[]){__VA_ARGS__, 0}
#define LISTED(names, ...) {names, \
    "perfmon names this erratum, but not its effect; to check the count, run a kernel that " \
    "declares it", PERFMON, WRONG}, __VA_ARGS__
    {LISTED("HSD135", HASWELL), 0, 0, SELECTS(0x0279, 0x019c, 0x01a2)},
    {LISTED("HSD144, HSD30, HSM31", HASWELL), 0, 0, SELECTS(0x01b1, 0x02b1)},
    {LISTED("HSD25, HSM26", HASWELL), 0, 0,
     SELECTS(0x14bc, 0x18bc, 0x24bc, 0x28bc, 0x01d2, 0x02d2, 0x04d2)},
    {LISTED("HSD74, HSD25", HASWELL), 0, 0, SELECTS(0x04d1, 0x20d1, 0x08d2, 0x01d3)},
    {LISTED("HSD76", HASWELL), 0, 0, SELECTS(0x21d0, 0x02d1, 0x01cd)},
    {LISTED("HSD56, HSM57", HASWELL), 0, 0, SELECTS(0x08c1, 0x10c1)},
    {LISTED("HSD62, HSD61, HSM63", HASWELL), 0, 0, SELECTS(0x0160, 0x0260, 0x0460, 0x0860)},
    {LISTED("HSD65", HASWELL), 0, 0, SELECTS(0x40c8, 0x40c9)},
    {LISTED("HSD78, HSM80", HASWELL), 0, 0,
     SELECTS(0x2124, 0x2724, 0x3f24, 0xc124, 0xe124, 0xe724, 0xff24, 0x01a3, 0x05a3, 0x01b0)},
    {LISTED("BDE70, BDM100", BROADWELL), 0, 0,
     SELECTS(0x04d1, 0x20d1, 0x01d2, 0x02d2, 0x04d2, 0x08d2, 0x01d3, 0x04d3, 0x10d3, 0x20d3)},
    {LISTED("BDM100, BDM35", BROADWELL), 0, 0, SELECTS(0x01cd)},
    {LISTED("BDM35", BROADWELL), 0, 0, SELECTS(0x21d0, 0x02d1)},
    {LISTED("BDM11, BDM55", BROADWELL), 0, 0, SELECTS(0x01c0)},
    {LISTED("BDM61", BROADWELL), 0, 0, SELECTS(0x00c0)},
    {LISTED("BDM30", BROADWELL), 0, 0, SELECTS(0x08c1, 0x10c1)},
    {LISTED("BDM69", BROADWELL), 0, 0,
     SELECTS(0x0108, 0x0208, 0x0408, 0x0808, 0x0e08, 0x1008, 0x0149, 0x0249, 0x0449, 0x0849, 0x0e49,
             0x1049, 0x0185, 0x0285, 0x0485, 0x0885, 0x0e85, 0x1085)},
    {LISTED("BDM69, BDM98", BROADWELL), 0, 0,
     SELECTS(0x11bc, 0x12bc, 0x14bc, 0x18bc, 0x21bc, 0x22bc, 0x24bc)},
    {LISTED("BDM76", BROADWELL), 0, 0, SELECTS(0x0160, 0x0260, 0x0460, 0x0860)},
    {LISTED("BDW98", BROADWELL), 0, 0, SELECTS(0x04c4, 0x40c4)},
    {LISTED("SKL057", SKYLAKE), 0, 0, SELECTS(0x412e, 0x4f2e)},
    {LISTED("SKL089", SKYLAKE), 0, 0, SELECTS(0x02c3)},
    {LISTED("ADL038", ALDER_LAKE), CORE_TYPE_CORE, 0, SELECTS(0x0820)},
    {LISTED("MTL012, MTL013", METEOR_LAKE), CORE_TYPE_ATOM, 0,
     SELECTS(0x00c4, 0x7ec4, 0x80c4, 0xbfc4, 0xc0c4, 0xebc4, 0xf9c4, 0xfbc4)},
    {LISTED("ARL010, ARL011", ARROW_LAKE_H), CORE_TYPE_ATOM, CRESTMONT,
     SELECTS(0x00c4, 0x7ec4, 0x80c4, 0xbfc4, 0xc0c4, 0xebc4, 0xf9c4, 0xfbc4)},
    /* clang-format on */
};
#define LISTED_COUNT (sizeof(LISTED) / sizeof(LISTED[0]))

/*
 * From AMD's revision guides 55449, 56323 and 56683. Only the erratum of Zen 3 (family 19H) lists
 * the events. Errata that list no events are assumed to affect the same events. Hygon's cores
 * (family 18H) are Zen 1 and have no public guide.
 */
static const struct of_amd {
    struct erratum erratum;
    uint8_t family, first_model, last_model;
    bool avoided; /* by PREC_RET */
} OF_AMD[] = {
#define GUIDE "AMD's revision guide "
#define AT_RETIREMENT                                                                              \
    "retired instructions and branches may be counted too often; the smallest count is the best"
    {{"990", AT_RETIREMENT, GUIDE "55449", TOO_MANY}, 0x17, 0x00, 0x0f, false},
    {{"990", AT_RETIREMENT, GUIDE "55449", TOO_MANY}, 0x18, 0x00, 0xff, false},
    {{"1291", AT_RETIREMENT, GUIDE "56323", TOO_MANY}, 0x17, 0x30, 0x3f, false},
    {{"1292", AT_RETIREMENT "; on bare metal, :prec_ret avoids this", GUIDE "56683", TOO_MANY},
     0x19,
     0x00,
     0x0f,
     true},
};
#define OF_AMD_COUNT (sizeof(OF_AMD) / sizeof(OF_AMD[0]))
static const uint16_t AMD_EVENTS[] = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4,  0xc5, 0xc8,
                                      0xc9, 0xca, 0xcc, 0xd1, 0x1c7, 0x1d0};
_Static_assert(ROWS_COUNT + LISTED_COUNT + OF_AMD_COUNT <= ERRATA_MAX, "each has a bit");

static bool is_met(enum condition condition, const struct cpu_caps *caps)
{
    switch (condition) {
    case WITH_THREADS:
        return caps->smt_shift != 0;
    case NO_BRANCH_MISSES:
        return (caps->arch_events_absent >> ARCH_BRANCH_MISSES & 1) != 0;
    case TSX_FORCE_ABORT:
        return caps_has(caps, FEATURE_TSX_ABORT);
    default:
        return true;
    }
}

static bool has_model(const uint8_t *models, const struct cpu_caps *caps)
{
    if (caps->vendor != VENDOR_INTEL || caps->family != 6)
        return false;
    for (const uint8_t *model = models; *model; model++)
        if (*model == caps->model)
            return true;
    return false;
}

static bool is_of_cpu(const struct row *row, const struct cpu_caps *caps)
{
    return is_met(row->condition, caps) &&
           (row->models == ANY_MODEL || has_model(row->models, caps));
}

static bool is_listed(const struct listed *listed, const struct event *event,
                      const struct cpu_caps *caps)
{
    if (!has_model(listed->models, caps) ||
        (listed->core_type && caps->core_type && listed->core_type != caps->core_type) ||
        (listed->native_model && listed->native_model != caps->native_model))
        return false;
    for (const uint16_t *select = listed->select; *select; select++)
        if ((event->select & EVENT_CODE) == *select)
            return true;
    return false;
}

static bool is_of_amd(const struct of_amd *row, const struct event *event,
                      const struct cpu_caps *caps)
{
    if (caps->vendor != VENDOR_AMD || caps->family != row->family ||
        caps->model < row->first_model || caps->model > row->last_model ||
        (row->avoided && event->select & AMD_PREC_RET))
        return false;
    for (unsigned i = 0; i < sizeof(AMD_EVENTS) / sizeof(AMD_EVENTS[0]); i++)
        if (select_get(select_layout(VENDOR_AMD), SELECT_EVENT, event->select) == AMD_EVENTS[i])
            return true;
    return false;
}

uint32_t errata_left_out(const struct cpu_caps *caps)
{
    uint32_t map = 0;

    for (unsigned i = 0; i < ROWS_COUNT; i++)
        if (is_of_cpu(&ROWS[i], caps))
            map |= ROWS[i].left_out;
    return map;
}

const struct erratum *errata_why_left_out(const struct cpu_caps *caps, unsigned counter)
{
    for (unsigned i = 0; i < ROWS_COUNT; i++)
        if (ROWS[i].left_out >> counter & 1 && is_of_cpu(&ROWS[i], caps))
            return &ROWS[i].erratum;
    return NULL;
}

unsigned erratum_number(const struct erratum *erratum)
{
    for (unsigned i = 0; i < LISTED_COUNT; i++)
        if (erratum == &LISTED[i].erratum)
            return ROWS_COUNT + i;
    for (unsigned i = 0; i < OF_AMD_COUNT; i++)
        if (erratum == &OF_AMD[i].erratum)
            return ROWS_COUNT + LISTED_COUNT + i;
    return (unsigned)((const struct row *)erratum - ROWS);
}

static bool is_of_event(const struct row *row, const struct event *event, bool fixed)
{
    if (fixed)
        return event->fixed >= 0 && event->fixed < (int)FIXED_COUNTERS_MAX &&
               row->fixed >> event->fixed & 1;
    return row->mask != 0 && (event->select & row->mask) == row->code;
}

const struct erratum *event_erratum(const struct event *event, const struct cpu_caps *caps,
                                    bool fixed)
{
    if (event->scope != SCOPE_CPU)
        return NULL;
    for (unsigned i = 0; i < ROWS_COUNT; i++)
        if (is_of_event(&ROWS[i], event, fixed) && is_of_cpu(&ROWS[i], caps))
            return &ROWS[i].erratum;
    for (unsigned i = 0; i < LISTED_COUNT && !fixed; i++)
        if (is_listed(&LISTED[i], event, caps))
            return &LISTED[i].erratum;
    for (unsigned i = 0; i < OF_AMD_COUNT && !fixed; i++)
        if (is_of_amd(&OF_AMD[i], event, caps))
            return &OF_AMD[i].erratum;
    return NULL;
}
