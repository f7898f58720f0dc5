/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The uncore of clients, Sandy Bridge to Raptor Lake: the last-level cache slices (CBo), the
 * arbiter towards memory (ARB), the clock, and the memory counters in mchbar.c. Except on Ice Lake,
 * one global bit enables all counters of CBos, ARB and clock. From Alder Lake on, CMASK of a CBo is
 * one bit wider.
 *
 * MSR_UNC_CBO_n_PERFEVTSELx and MSR_UNC_ARB_PERFEVTSELx:
 *   31 29 28   24  23  22  21  20  19  18  17  16  15     8 7      0
 *  |  -  | CMASK |INV|EN | - |PMI| - | E |  -    | UMASK    | EVENT  |
 */
#include "pmu/uncore/parts.h"

#define MSR_UNC_PERF_GLOBAL_CTRL      0x391u
#define MSR_UNC_PERF_GLOBAL_CTRL_SKL  0xe01u
#define MSR_UNC_PERF_GLOBAL_CTRL_ADL  0x2ff0u
#define MSR_UNC_PERF_FIXED_CTRL       0x394 /* on Nehalem: 0x394 counter, 0x395 control */
#define MSR_UNC_PERF_FIXED_CTR        0x395
#define MSR_UNC_PERF_FIXED_CTRL_ADL   0x2fde
#define MSR_UNC_PERF_FIXED_CTR_ADL    0x2fdf
#define MSR_UNC_CBO_CONFIG            0x396u
#define MSR_UNC_ARB_PERFCTR0          0x3b0
#define MSR_UNC_ARB_PERFEVTSEL0       0x3b2
#define MSR_UNC_ARB_PERFCTR0_ADL      0x2fd2
#define MSR_UNC_ARB_PERFEVTSEL0_ADL   0x2fd0
#define MSR_UNC_CBO_0_PERFEVTSEL0     0x700
#define MSR_UNC_CBO_0_PERFCTR0        0x706
#define MSR_UNC_CBO_0_PERFCTR0_ICL    0x702
#define MSR_UNC_CBO_0_PERFEVTSEL0_ADL 0x2000
#define MSR_UNC_CBO_0_PERFCTR0_ADL    0x2002
#define MSR_UNC_CBO_7_PERFEVTSEL0     0xf70u /* Coffee Lake with eight cores */

#define CBO_CONFIG_CBOS 0xfull
#define CBO_STEP        0x10u
#define CBO_STEP_ICL    8u
#define CBOS_IN_ROW     7u /* on Skylake to Comet Lake, the eighth CBo is at another address */

#define EVENT     0xffull
#define UMASK     0xff00ull
#define EDGE      (1ull << 18)
#define EN        (1ull << 22)
#define INV       (1ull << 23)
#define CMASK     0x1f000000ull
#define CMASK_ADL 0x3f000000ull
#define CMASK_ONE (1ull << 24)
#define FIELDS    (EVENT | UMASK | EDGE | INV | CMASK)

/* Selects that count almost all cycles: those in which the event does not occur. */
#define FEW_LOOKUPS  (0x34ull | 0x8full << 8 | INV | CMASK_ONE) /* UNC_CBO_CACHE_LOOKUP.ANY_MESI */
#define FEW_REQUESTS (0x81ull | 0x01ull << 8 | INV | CMASK_ONE) /* UNC_ARB_TRK_REQUESTS.ALL */

#define GLOBAL_EN (1ull << 29)

#define SDM_UNCORE                                                                                 \
    "Intel SDM vol. 3B, \"Uncore Performance Monitoring Facilities in the Intel Core i7-2xxx, "    \
    "i5-2xxx, i3-2xxx Processor Series\""
#define SDM_SNB                                                                                    \
    SDM_UNCORE "; vol. 4, \"Uncore PMU MSRs Supported by 2nd Generation Intel Core Processors\""
#define SDM_SKL                                                                                    \
    SDM_UNCORE "; vol. 4, \"Uncore PMU MSRs Supported by 6th Generation, 7th Generation, and "     \
               "8th Generation Intel Core Processors\""
#define SDM_ICL                                                                                    \
    SDM_UNCORE "; vol. 4, \"Uncore PMU MSRs Supported by Intel Core Processors Based on Cannon "   \
               "Lake Microarchitecture\""
#define SDM_ADL                                                                                    \
    SDM_UNCORE "; vol. 4, \"Uncore PMU MSRs Supported by 12th and 13th Generation Intel Core "     \
               "Processors\""

/*
 * MSR_UNC_CBO_CONFIG gives the number of all units; `others` of them are not CBos with counters. If
 * the table lists fewer CBos than the CPU has, no CBo is used, because the sum of the listed CBos
 * would be too small.
 */
static enum status count_cbos(const struct uncore_port *port, struct uncore_group *group,
                              unsigned others)
{
    uint64_t config;

    if (!uncore_get(port, SPACE_MSR, MSR_UNC_CBO_CONFIG, 8, &config))
        return STATUS_UNCORE_REFUSED;
    config &= CBO_CONFIG_CBOS;
    if (config <= others)
        return STATUS_UNCORE_ABSENT;
    if (config - others > group->units)
        return STATUS_UNCORE_UNKNOWN;
    group->units = (uint32_t)(config - others);
    return STATUS_OK;
}

static enum status find_cbos(const struct uncore_port *port, const struct cpu_caps *caps,
                             struct uncore_group *group)
{
    (void)caps;
    return count_cbos(port, group, 0);
}

static enum status find_cbos_less_one(const struct uncore_port *port, const struct cpu_caps *caps,
                                      struct uncore_group *group)
{
    (void)caps;
    return count_cbos(port, group, 1);
}

/* Registers have the same offsets in the eighth CBo as in the other CBos. */
static enum status find_cbos_skylake(const struct uncore_port *port, const struct cpu_caps *caps,
                                     struct uncore_group *group)
{
    (void)caps;
    group->unit[CBOS_IN_ROW] = MSR_UNC_CBO_7_PERFEVTSEL0 - MSR_UNC_CBO_0_PERFEVTSEL0;
    return count_cbos(port, group, 1);
}

#define OF_SELECTS OF_MSR_SELECTS, .width_bits = 44, .enable = EN
#define OF_CBO     OF_SELECTS, .kind = KIND_CBO, .counters = 2, .cycles = FEW_LOOKUPS, .unit = "CBo"
#define OF_FIXED   OF_CLOCK, .enable = EN, .unit = "uncore clock"

#define OF_ARB OF_SELECTS, .kind = KIND_ARB, .fields = FIELDS, .cycles = FEW_REQUESTS, .unit = "ARB"

static const struct uncore_units CBO_SNB = {
    .type = {OF_CBO, .select = MSR_UNC_CBO_0_PERFEVTSEL0, .counter = MSR_UNC_CBO_0_PERFCTR0,
             .fields = FIELDS, .source = SDM_SNB},
    .find = find_cbos_less_one,
    .step = CBO_STEP,
    .units = 4,
};
static const struct uncore_units CBO_SKL = {
    .type = {OF_CBO, .select = MSR_UNC_CBO_0_PERFEVTSEL0, .counter = MSR_UNC_CBO_0_PERFCTR0,
             .fields = FIELDS, .source = SDM_SKL "; the eighth, F70H and F76H: Linux alone"},
    .find = find_cbos_skylake,
    .step = CBO_STEP,
    .units = CBOS_IN_ROW + 1,
};
static const struct uncore_units CBO_ICL = {
    .type = {OF_CBO, .select = MSR_UNC_CBO_0_PERFEVTSEL0, .counter = MSR_UNC_CBO_0_PERFCTR0_ICL,
             .fields = FIELDS, .source = SDM_ICL},
    .find = find_cbos,
    .step = CBO_STEP_ICL,
    .units = 15,
};
static const struct uncore_units CBO_ADL = {
    .type = {OF_CBO, .select = MSR_UNC_CBO_0_PERFEVTSEL0_ADL, .counter = MSR_UNC_CBO_0_PERFCTR0_ADL,
             .fields = FIELDS | CMASK_ADL, .source = SDM_ADL},
    .find = find_cbos,
    .step = CBO_STEP_ICL,
    .units = 15,
};
static const struct uncore_units ARB_SNB = {
    .type = {OF_ARB, .counters = 2, .select = MSR_UNC_ARB_PERFEVTSEL0,
             .counter = MSR_UNC_ARB_PERFCTR0, .source = SDM_SNB},
    .units = 1,
};
/* On Ice Lake, only the second counter of the ARB exists. */
static const struct uncore_units ARB_ICL = {
    .type = {OF_ARB, .counters = 1, .select = MSR_UNC_ARB_PERFEVTSEL0 + 1,
             .counter = MSR_UNC_ARB_PERFCTR0 + 1, .source = SDM_ICL},
    .units = 1,
};
static const struct uncore_units ARB_ADL = {
    .type = {OF_ARB, .counters = 2, .select = MSR_UNC_ARB_PERFEVTSEL0_ADL,
             .counter = MSR_UNC_ARB_PERFCTR0_ADL, .source = SDM_ADL},
    .step = CBO_STEP_ICL,
    .units = 2,
};
static const struct uncore_units CLOCK_SNB = {
    .type = {OF_FIXED, .select = MSR_UNC_PERF_FIXED_CTRL, .counter = MSR_UNC_PERF_FIXED_CTR,
             .width_bits = 48, .source = SDM_SNB},
    .units = 1,
};
/*
 * From Skylake on, the clock counter has 44 bits in the SDM, and 48 in Linux. Values of 44 bits can
 * be written in either case.
 */
static const struct uncore_units CLOCK_SKL = {
    .type = {OF_FIXED, .select = MSR_UNC_PERF_FIXED_CTRL, .counter = MSR_UNC_PERF_FIXED_CTR,
             .width_bits = 44, .source = SDM_SKL},
    .units = 1,
};
static const struct uncore_units CLOCK_ADL = {
    .type = {OF_FIXED, .select = MSR_UNC_PERF_FIXED_CTRL_ADL, .counter = MSR_UNC_PERF_FIXED_CTR_ADL,
             .width_bits = 44, .source = SDM_ADL},
    .units = 1,
};

static const struct uncore_model MODELS[] = {
    {OF_INTEL, .name = "Sandy Bridge to Broadwell clients",
     .model = {0x2a, 0x3a, 0x3c, 0x45, 0x46, 0x3d, 0x47},
     .global = {.msr = MSR_UNC_PERF_GLOBAL_CTRL, .all = GLOBAL_EN, .source = SDM_SNB},
     .units = {&CBO_SNB, &ARB_SNB, &CLOCK_SNB, &UNCORE_MCHBAR_SANDY_BRIDGE}},
    {OF_INTEL, .name = "Skylake to Comet Lake clients",
     .model = {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6},
     .global = {.msr = MSR_UNC_PERF_GLOBAL_CTRL_SKL, .all = GLOBAL_EN, .source = SDM_SKL},
     .units = {&CBO_SKL, &ARB_SNB, &CLOCK_SKL, &UNCORE_MCHBAR_SANDY_BRIDGE}},
    /*
     * On Ice Lake, bits 29 and 31 of MSR_UNC_PERF_GLOBAL_CTRL do nothing, and EN in a select starts
     * its counter: Intel, "10th Generation Core Processor Families Specification Update", ICL068;
     * Linux, arch/x86/events/intel/uncore_snb.c.
     */
    {OF_INTEL, .name = "Ice Lake clients", .model = {0x7d, 0x7e},
     .units = {&CBO_ICL, &ARB_ICL, &CLOCK_SKL, &UNCORE_MCHBAR_SANDY_BRIDGE}},
    {OF_INTEL, .name = "Rocket Lake", .model = {0xa7},
     .global = {.msr = MSR_UNC_PERF_GLOBAL_CTRL_SKL, .all = GLOBAL_EN, .source = SDM_ICL},
     .units = {&CBO_ICL, &ARB_SNB, &CLOCK_SKL, &UNCORE_MCHBAR_SANDY_BRIDGE}},
    {OF_INTEL, .name = "Tiger Lake U", .model = {0x8c},
     .global = {.msr = MSR_UNC_PERF_GLOBAL_CTRL_SKL, .all = GLOBAL_EN, .source = SDM_ICL},
     .units = {&CBO_ICL, &ARB_SNB, &CLOCK_SKL, &UNCORE_MCHBAR_TIGER_LAKE_U}},
    {OF_INTEL, .name = "Tiger Lake H", .model = {0x8d},
     .global = {.msr = MSR_UNC_PERF_GLOBAL_CTRL_SKL, .all = GLOBAL_EN, .source = SDM_ICL},
     .units = {&CBO_ICL, &ARB_SNB, &CLOCK_SKL, &UNCORE_MCHBAR_TIGER_LAKE_H}},
    {OF_INTEL, .name = "Alder Lake, Raptor Lake", .model = {0x97, 0x9a, 0xbe, 0xb7, 0xba, 0xbf},
     .global = {.msr = MSR_UNC_PERF_GLOBAL_CTRL_ADL, .all = GLOBAL_EN, .source = SDM_ADL},
     .units = {&CBO_ADL, &ARB_ADL, &CLOCK_ADL, &UNCORE_MCHBAR_TIGER_LAKE_H}},
};

const struct uncore_table UNCORE_CLIENTS = {.model = MODELS,
                                            .count = sizeof(MODELS) / sizeof(MODELS[0])};
