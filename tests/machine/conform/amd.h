/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AMD's PMU: its registers, and counts of one counter in one window (amd.c). */
#ifndef CONFORM_AMD_H
#define CONFORM_AMD_H

#include "conform.h"

enum {
    MSR_LEGACY_SELECT = 0xc0010000,
    MSR_LEGACY_COUNTER = 0xc0010004,
    MSR_SELECT = 0xc0010200, /* select 0; select i is at + 2i */
    MSR_COUNTER = 0xc0010201,
    MSR_GLOBAL_STATUS = 0xc0000300,
    MSR_GLOBAL_CTL = 0xc0000301,
    MSR_GLOBAL_STATUS_CLEAR = 0xc0000302,
    MSR_GLOBAL_STATUS_SET = 0xc0000303,
    IA32_MCG_CAP = 0x179,
    IA32_MC0_CTL = 0x400,
    MSR_EFER = 0xc0000080,
    MSR_MPERF_READ_ONLY = 0xc00000e7,
    MSR_APERF_READ_ONLY = 0xc00000e8,
    MSR_IRPERF = 0xc00000e9,
    MSR_PREFETCH_CONTROL = 0xc0000108,
    MSR_SMCA = 0xc0002000, /* bank 0; bank i is at + 16i */
    MSR_HWCR = 0xc0010015,
    MSR_PSTATE_LIMIT = 0xc0010061,
    MSR_PSTATE_CONTROL = 0xc0010062,
    MSR_PSTATE_0 = 0xc0010064,
    MSR_POWER_UNIT = 0xc0010299,
    MSR_CORE_ENERGY = 0xc001029a,
    MSR_PACKAGE_ENERGY = 0xc001029b,
    MSR_LS_CFG = 0xc0011020,
    MSR_DE_CFG = 0xc0011029,
};

#define COUNTERS   6u
#define LEGACY     4u
#define TOP        (BIT(48) - 1)
#define GUEST_ONLY BIT(40)
#define HOST_ONLY  BIT(41)
#define SVME       BIT(12)
#define RETIRED    (EN | OS | 0xc0)
#define NOT_HALTED (EN | OS | 0x76)
#define PREC_RET   BIT(43)

/* ZEN means Zen or Zen 2, and ZEN_4 means Zen 4 or Zen 5. */
enum generation { ZEN = 1, ZEN_3 = 2, ZEN_4 = 4, ZENS = 7 };
extern enum generation zen;

void find_generation(void);

static inline uint32_t select_of(unsigned counter)
{
    return MSR_SELECT + 2 * counter;
}

static inline uint32_t counter_of(unsigned counter)
{
    return MSR_COUNTER + 2 * counter;
}

void stop(void); /* zeroes selects, control and status */

/* Returns the counter's value after a window with this kernel; the counter starts from `preset`. */
uint64_t from(uint64_t preset, unsigned counter, uint64_t select, code *kernel);

/* Trains the predictor and the caches as count() in pmu.c does, then returns from(0, ...). */
uint64_t trained(unsigned counter, uint64_t select, code *kernel);

#endif
