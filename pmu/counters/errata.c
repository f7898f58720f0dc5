/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists known errata. */
#include <stddef.h>

#include "pmu/counters/errata.h"

/* Masks for the event number and unit mask; only the bits in a mask are compared. */
#define EVENT_NUMBER 0x00ffu
#define EVENT_CODE   0xffffu
#define ANY_OF_4     0x00fcu /* four consecutive event numbers */

#define ARCH_BRANCH_MISSES 6u /* CPUID.0AH:EBX */

enum condition {
    ALWAYS,
    WITH_THREADS,     /* two threads share a core */
    NO_BRANCH_MISSES, /* CPUID.0AH:EBX reports the architectural event absent */
    TSX_FORCE_ABORT,  /* CPUID.7:EDX[13], without the microcode that disables TSX */
};

#define ANY_MODEL NULL

/* Family 6 models, ending with 0. */
static const uint8_t NEHALEM[] = {0x1a, 0x1e, 0x1f, 0x2e, 0};
static const uint8_t SANDY_BRIDGE_TO_HASWELL[] = {0x2a, 0x2d, 0x3a, 0x3e, 0x3c,
                                                  0x3f, 0x45, 0x46, 0};
static const uint8_t HASWELL[] = {0x3c, 0x3f, 0x45, 0x46, 0};
static const uint8_t SKYLAKE[] = {0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0};
static const uint8_t ATOM_SERVERS[] = {0x4d, 0x5f, 0x86, 0xaf, 0}; /* Avoton to Sierra Forest */
static const uint8_t CLEARWATER_FOREST[] = {0xdd, 0};

#define OVERCOUNTS(what)                                                                           \
    "too many " what                                                                               \
    " are counted at far calls, jumps and returns, IRET, and some VMX and SGX instructions"

/*
 * A row applies to an event on a general counter if the event's code equals `code` in the bits of
 * `mask`, and to an event on a fixed counter if the counter is in `fixed`.
 */
static const struct row {
    struct erratum erratum;
    const uint8_t *models;
    uint16_t code, mask; /* mask 0: no event */
    uint8_t fixed;       /* fixed counters, bit i */
    uint8_t left_out;    /* general counters, bit i */
    uint8_t condition;   /* enum condition */
} ROWS[] = {
    {{"AAJ80", "the event does not count what it should; BR_MISP_EXEC.ANY (event 89H, unit mask "
               "7FH) comes close, but counts too many"},
     NEHALEM,
     0x00c5,
     EVENT_CODE,
     0,
     0,
     NO_BRANCH_MISSES},
    {{"BJ122, BV98, HSD29", "a counter of this event disturbs the same counter of the core's other "
                            "thread: keep that thread idle with mode=serial"},
     SANDY_BRIDGE_TO_HASWELL,
     0x00d0,
     ANY_OF_4,
     0,
     0,
     WITH_THREADS},
    {{"HSD140, HSD143", "the count of instructions may be wrong, on the fixed counter as well"},
     HASWELL,
     0x00c0,
     EVENT_NUMBER,
     1,
     0,
     ALWAYS},
    {{"SKL091, SKL044", "a general counter may count instructions wrongly; the fixed counter of "
                        "INST_RETIRED.ANY does not"},
     SKYLAKE,
     0x00c0,
     EVENT_NUMBER,
     0,
     0,
     ALWAYS},
    {{"SKL091",
      "branches may be counted wrongly; kernels that declare theirs show whether they are"},
     SKYLAKE,
     0x00c4,
     EVENT_NUMBER,
     0,
     0,
     ALWAYS},
    {{"SRF7 and similar", OVERCOUNTS("instructions")},
     ATOM_SERVERS,
     0x00c0,
     EVENT_NUMBER,
     1,
     0,
     ALWAYS},
    {{"SRF7 and similar", OVERCOUNTS("branches")},
     ATOM_SERVERS,
     0x00c4,
     EVENT_NUMBER,
     0,
     0,
     ALWAYS},
    {{"like SRF7", OVERCOUNTS("instructions")},
     CLEARWATER_FOREST,
     0x00c0,
     EVENT_NUMBER,
     1,
     0,
     ALWAYS},
    {{"TSX force abort", "microcode may use IA32_PMC3, so this counter is left out"},
     ANY_MODEL,
     0,
     0,
     0,
     1u << 3,
     TSX_FORCE_ABORT},
};
#define ROWS_COUNT (sizeof(ROWS) / sizeof(ROWS[0]))
_Static_assert(ROWS_COUNT <= ERRATA_MAX, "each has a bit");

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

static bool is_of_cpu(const struct row *row, const struct cpu_caps *caps)
{
    if (!is_met(row->condition, caps))
        return false;
    if (row->models == ANY_MODEL)
        return true;
    if (caps->vendor != VENDOR_INTEL || caps->family != 6)
        return false;
    for (const uint8_t *model = row->models; *model; model++)
        if (*model == caps->model)
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
    return NULL;
}
