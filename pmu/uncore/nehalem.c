/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The uncore of Nehalem and Westmere. MSR_UNCORE_PERFEVTSELx:
 *  31    24  23  22  21  20  19  18   17  16  15     8 7      0
 * | CMASK |INV|EN | - |PMI| - | E |RST| - | UMASK    | EVENT  |
 */
#include "pmu/uncore/models.h"

#define MSR_UNCORE_PERF_GLOBAL_CTRL     0x391u
#define MSR_UNCORE_PERF_GLOBAL_STATUS   0x392u
#define MSR_UNCORE_PERF_GLOBAL_OVF_CTRL 0x393u
#define MSR_UNCORE_FIXED_CTR0           0x394
#define MSR_UNCORE_FIXED_CTR_CTRL       0x395
#define MSR_UNCORE_ADDR_OPCODE_MATCH    0x396
#define MSR_UNCORE_PMC0                 0x3b0
#define MSR_UNCORE_PERFEVTSEL0          0x3c0

#define EVENT       0xffull
#define UMASK       0xff00ull
#define OCC_CTR_RST (1ull << 17)
#define EDGE        (1ull << 18)
#define PMI         (1ull << 20)
#define EN          (1ull << 22)
#define INV         (1ull << 23)
#define CMASK       0xff000000ull
#define CMASK_ONE   (1ull << 24)

#define FIXED_EN  (1ull << 0)
#define FIXED_PMI (1ull << 2)

/* With INV, UNC_LLC_HITS.READ counts the cycles without a read hit, which are nearly all cycles. */
#define FEW_HITS (0x08ull | 0x01ull << 8 | INV | CMASK_ONE)

#define SDM_UNCORE "Intel SDM vol. 3B, \"Performance Monitoring Facility in the Uncore\" (Nehalem)"
#define SDM_MSRS                                                                                   \
    "Intel SDM vol. 4, \"Additional MSRs in the Intel Xeon Processor 5500 and 3400 Series\""

static const struct uncore_units GENERAL = {
    .type = {OF_MSR_SELECTS, .kind = KIND_UNCORE, .counters = 8, .width_bits = 48,
             .select = MSR_UNCORE_PERFEVTSEL0, .counter = MSR_UNCORE_PMC0,
             .extra = {MSR_UNCORE_ADDR_OPCODE_MATCH}, .enable = EN,
             .fields = EVENT | UMASK | OCC_CTR_RST | EDGE | INV | CMASK, .forgets = OCC_CTR_RST,
             .cycles = FEW_HITS, .unit = "uncore", .source = SDM_UNCORE "; " SDM_MSRS},
    .units = 1,
};

static const struct uncore_units CLOCK = {
    .type = {OF_CLOCK, .width_bits = 48, .select = MSR_UNCORE_FIXED_CTR_CTRL,
             .counter = MSR_UNCORE_FIXED_CTR0, .enable = FIXED_EN, .unit = "uncore clock",
             .source = SDM_UNCORE "; " SDM_MSRS},
    .units = 1,
};

/*
 * MSR_UNCORE_PERF_GLOBAL_CTRL
 *  63       51        48      32        7       0
 * |PMI_FRZ| |EN_PMI_COREx| |EN_FC0|    | EN_PCx |
 * In MSR_UNCORE_PERF_GLOBAL_STATUS and _OVF_CTRL, each counter's bit is at its EN bit's position.
 * Bit 61 is OVF_PMI, and bit 63 is CHG.
 */
static const struct uncore_model MODELS[] = {
    {OF_INTEL, .name = "Nehalem, Westmere", .model = {0x1a, 0x1e, 0x1f, 0x25, 0x2c},
     .global = {.msr = MSR_UNCORE_PERF_GLOBAL_CTRL,
                .status_msr = MSR_UNCORE_PERF_GLOBAL_STATUS,
                .clear_msr = MSR_UNCORE_PERF_GLOBAL_OVF_CTRL,
                .general = 1ull << 0,
                .fixed = 1ull << 32,
                .pmi_freeze = 1ull << 63,
                .pmi_core = 0xfull << 48,
                .pmi_select = PMI,
                .pmi_control = FIXED_PMI,
                .status_general = 1ull << 0,
                .status_fixed = 1ull << 32,
                .status_also = 1ull << 61 | 1ull << 63,
                .source = SDM_UNCORE},
     .units = {&GENERAL, &CLOCK}},
    /* Not supported: their units differ from those above (Intel's document 323535). */
    {OF_INTEL, .name = "Nehalem-EX, Westmere-EX", .model = {0x2e, 0x2f}},
};

const struct uncore_table UNCORE_NEHALEM = {.model = MODELS,
                                            .count = sizeof(MODELS) / sizeof(MODELS[0])};
