/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in names of uncore events, and the events for which they stand on each CPU model. */
#include "pmu/uncore/names.h"
#include "pmu/uncore/models.h"

#define FAMILY 6u

/* Source: Intel SDM vol. 4, "CPUID Signature Values of DisplayFamily_DisplayModel". */
static const uint8_t NEHALEM[] = {0x1a, 0x1e, 0x1f, 0x25, 0x2c, 0};
/* Sandy Bridge, Ivy Bridge, Haswell, Broadwell, Skylake to Comet Lake. */
static const uint8_t CBO_CLIENTS[] = {0x2a, 0x3a, 0x3c, 0x45, 0x46, 0x3d, 0x47,
                                      0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0};
static const uint8_t SKYLAKE_SERVERS[] = {0x55, 0};
static const uint8_t SAPPHIRE_RAPIDS[] = {0x8f, 0xcf, 0};
static const uint8_t GRANITE_RAPIDS[] = {0xad, 0xae, 0xaf, 0}; /* and Sierra Forest */

#define SELECT(event, umask) ((umask) << 8 | (event))
/*
 * From Sapphire Rapids on, a CHA's select has states in bits 15:8, and request types in bits 63:32.
 */
#define SELECT_EXT(event, states, whose) ((uint64_t)(whose) << 32 | SELECT(event, states))

/* Bits 26:17 of CHA filter 0 select lookups by the states of LLC and snoop filter. */
#define CHA_STATE_LLC_I 0x00020000u /* a miss */
#define CHA_STATE_ALL   0x01fe0000u /* LLC I; SF S, E, H; LLC S, E, M, F */

#define ALL_COUNTERS 0xff
#define NO_FILTER    (-1)

#define NEHALEM_SOURCE                                                                             \
    "Intel SDM vol. 3B, \"Performance Monitoring Events for Intel Core i7\", uncore events; "      \
    "libpfm4 nhm_unc, wsm_unc"
#define CBO_SOURCE                                                                                 \
    "Intel SDM vol. 3B, uncore events of 2nd to 6th generation Core; perfmon "                     \
    "sandybridge_uncore.json to skylake_uncore.json; libpfm4 snb_unc, ivb_unc"
#define CHA_SOURCE                                                                                 \
    "Intel Xeon Scalable Memory Family Uncore Performance Monitoring Reference Manual (336274), "  \
    "LLC_LOOKUP; libpfm4 skx_unc_cha"
#define IMC_SOURCE                                                                                 \
    "Intel Xeon Scalable Memory Family Uncore Performance Monitoring Reference Manual (336274), "  \
    "CAS_COUNT; libpfm4 skx_unc_imc; perfmon skylakex_uncore.json"
#define SPR_SOURCE                                                                                 \
    "4th Generation Intel Xeon Scalable Uncore Performance Monitoring Reference Manual, "          \
    "CAS_COUNT; perfmon sapphirerapids_uncore.json"
#define SPR_CHA_SOURCE                                                                             \
    "perfmon sapphirerapids_uncore_experimental.json; Linux pmu-events sapphirerapids and "        \
    "emeraldrapids, uncore-cache.json"
#define GNR_SOURCE                                                                                 \
    "perfmon graniterapids_uncore.json; Linux pmu-events graniterapids and sierraforest, "         \
    "uncore-memory.json, and their metric of bandwidth, (SCH0.RD + SCH1.RD) x 64"
#define CLOCK_SOURCE "the fixed counter of the kind `clock`, see its source"
#define FREE_SOURCE  "the counters of the kind `imc_free_running`, see its source"

const struct uncore_ready_event UNCORE_READY[] = {
    {READY_LLC_LOOKUPS, KIND_UNCORE, ALL_COUNTERS, NO_FILTER, SELECT(0x08, 0x03),
     SELECT(0x09, 0x03), 0, NEHALEM, "UNC_LLC_HITS.ANY + UNC_LLC_MISS.ANY", NEHALEM_SOURCE},
    {READY_LLC_MISSES, KIND_UNCORE, ALL_COUNTERS, NO_FILTER, SELECT(0x09, 0x03), 0, 0, NEHALEM,
     "UNC_LLC_MISS.ANY", NEHALEM_SOURCE},
    {READY_DRAM_READ, KIND_UNCORE, ALL_COUNTERS, NO_FILTER, SELECT(0x2c, 0x07), 0, 0, NEHALEM,
     "UNC_QMC_NORMAL_READS.ANY", NEHALEM_SOURCE},
    {READY_DRAM_WRITE, KIND_UNCORE, ALL_COUNTERS, NO_FILTER, SELECT(0x2f, 0x07), 0, 0, NEHALEM,
     "UNC_QMC_WRITES.FULL.ANY", NEHALEM_SOURCE},
    {READY_LLC_LOOKUPS, KIND_CBO, ALL_COUNTERS, NO_FILTER, SELECT(0x34, 0x8f), 0, 0, CBO_CLIENTS,
     "UNC_CBO_CACHE_LOOKUP.ANY_MESI", CBO_SOURCE},
    {READY_LLC_MISSES, KIND_CBO, ALL_COUNTERS, NO_FILTER, SELECT(0x34, 0x88), 0, 0, CBO_CLIENTS,
     "UNC_CBO_CACHE_LOOKUP.ANY_I", CBO_SOURCE},
    {READY_LLC_LOOKUPS, KIND_CHA, ALL_COUNTERS, 0, SELECT(0x34, 0x11), 0, CHA_STATE_ALL,
     SKYLAKE_SERVERS, "UNC_CHA_LLC_LOOKUP.ANY", CHA_SOURCE},
    {READY_LLC_MISSES, KIND_CHA, ALL_COUNTERS, 0, SELECT(0x34, 0x11), 0, CHA_STATE_LLC_I,
     SKYLAKE_SERVERS, "UNC_CHA_LLC_LOOKUP.ANY", CHA_SOURCE},
    {READY_DRAM_READ, KIND_IMC, ALL_COUNTERS, NO_FILTER, SELECT(0x04, 0x03), 0, 0, SKYLAKE_SERVERS,
     "UNC_M_CAS_COUNT.RD", IMC_SOURCE},
    {READY_DRAM_WRITE, KIND_IMC, ALL_COUNTERS, NO_FILTER, SELECT(0x04, 0x0c), 0, 0, SKYLAKE_SERVERS,
     "UNC_M_CAS_COUNT.WR", IMC_SOURCE},
    {READY_LLC_LOOKUPS, KIND_CHA, ALL_COUNTERS, NO_FILTER, SELECT_EXT(0x34, 0xff, 0x1fff), 0, 0,
     SAPPHIRE_RAPIDS, "UNC_CHA_LLC_LOOKUP.ALL", SPR_CHA_SOURCE},
    {READY_LLC_MISSES, KIND_CHA, ALL_COUNTERS, NO_FILTER, SELECT_EXT(0x34, 0x01, 0x1fe0), 0, 0,
     SAPPHIRE_RAPIDS, "UNC_CHA_LLC_LOOKUP.MISS_ALL", SPR_CHA_SOURCE},
    {READY_DRAM_READ, KIND_IMC, ALL_COUNTERS, NO_FILTER, SELECT(0x05, 0xcf), 0, 0, SAPPHIRE_RAPIDS,
     "UNC_M_CAS_COUNT.RD", SPR_SOURCE},
    {READY_DRAM_WRITE, KIND_IMC, ALL_COUNTERS, NO_FILTER, SELECT(0x05, 0xf0), 0, 0, SAPPHIRE_RAPIDS,
     "UNC_M_CAS_COUNT.WR", SPR_SOURCE},
    {READY_DRAM_READ, KIND_IMC, ALL_COUNTERS, NO_FILTER, SELECT(0x05, 0xcf), SELECT(0x06, 0xcf), 0,
     GRANITE_RAPIDS, "UNC_M_CAS_COUNT_SCH0.RD + UNC_M_CAS_COUNT_SCH1.RD", GNR_SOURCE},
    {READY_DRAM_WRITE, KIND_IMC, ALL_COUNTERS, NO_FILTER, SELECT(0x05, 0xf0), SELECT(0x06, 0xf0), 0,
     GRANITE_RAPIDS, "UNC_M_CAS_COUNT_SCH0.WR + UNC_M_CAS_COUNT_SCH1.WR", GNR_SOURCE},
    {READY_DRAM_READ, KIND_IMC_FREE, 1u << 0, NO_FILTER, 0, 0, 0, 0, "reads", FREE_SOURCE},
    {READY_DRAM_WRITE, KIND_IMC_FREE, 1u << 1, NO_FILTER, 0, 0, 0, 0, "writes", FREE_SOURCE},
    {READY_CLOCK, KIND_CLOCK, 1u << 0, NO_FILTER, 0, 0, 0, 0, "the fixed counter", CLOCK_SOURCE},
};
const unsigned UNCORE_READY_COUNT = sizeof(UNCORE_READY) / sizeof(UNCORE_READY[0]);

#define GRANITE_LOOKUPS                                                                            \
    "; perfmon has no event of all lookups for this CPU: UNC_CHA_LLC_LOOKUP.DATA_READ_ALL and "    \
    ".DATA_READ_MISS count data reads and snoops"

/* If a model lacks a name, the text says what can be counted instead. */
static const struct {
    uint8_t ready;
    const uint8_t *models;
    const char *text;
} INSTEAD[] = {
    {READY_LLC_LOOKUPS, GRANITE_RAPIDS, GRANITE_LOOKUPS},
    {READY_LLC_MISSES, GRANITE_RAPIDS, GRANITE_LOOKUPS},
};

static const struct {
    const char *name;
    uint8_t unit;
} NAMES[] = {UNCORE_READY_LIST(LIST_ROW)};

const char *uncore_ready_name(unsigned ready)
{
    return ready < UNCORE_READIES ? NAMES[ready].name : "";
}

enum uncore_ready uncore_ready_of(struct piece name)
{
    unsigned i = 0;

    while (i < UNCORE_READIES && !piece_is_any_case(name, NAMES[i].name))
        i++;
    return (enum uncore_ready)i;
}

uint8_t uncore_ready_unit(enum uncore_ready ready)
{
    return NAMES[ready].unit;
}

enum uncore_energy uncore_ready_energy(enum uncore_ready ready)
{
    static const uint8_t OF[UNCORE_READIES] = {
        [READY_PACKAGE_ENERGY] = 1 + ENERGY_PACKAGE,
        [READY_DRAM_ENERGY] = 1 + ENERGY_DRAM,
        [READY_CORE_ENERGY] = 1 + ENERGY_CORE,
    };

    return OF[ready] ? (enum uncore_energy)(OF[ready] - 1) : ENERGIES;
}

static bool is_of(const struct uncore_model *model, const uint8_t *models)
{
    if (!models)
        return true;
    if (model->family != FAMILY)
        return false;
    for (; *models; models++)
        if (uncore_lists(model->model, UNCORE_MODELS_OF_ONE, *models))
            return true;
    return false;
}

const struct uncore_ready_event *uncore_ready_event(const struct uncore *uncore,
                                                    enum uncore_ready ready, const char **instead)
{
    *instead = "";
    for (unsigned i = 0; uncore->model && i < UNCORE_READY_COUNT; i++)
        if (UNCORE_READY[i].ready == ready && is_of(uncore->model, UNCORE_READY[i].models) &&
            (UNCORE_READY[i].models || uncore_group(uncore, UNCORE_READY[i].kind)))
            return &UNCORE_READY[i];
    for (unsigned i = 0; uncore->model && i < sizeof(INSTEAD) / sizeof(INSTEAD[0]); i++)
        if (INSTEAD[i].ready == ready && is_of(uncore->model, INSTEAD[i].models))
            *instead = INSTEAD[i].text;
    return 0;
}
