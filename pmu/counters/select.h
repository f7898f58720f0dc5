/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of the registers that select a general counter's event, and their names.
 *
 * IA32_PERFEVTSELx (Intel SDM vol. 3B, "Architectural Performance Monitoring"). IN_TX and IN_TXCP
 * exist from Haswell on. EQ and UMASK2 exist if CPUID.23H reports them.
 *  47    40  36   33     32   31   24  23  22  21  20  19  18  17  16  15   8 7     0
 * | UMASK2 | EQ |IN_TXCP|IN_TX| CMASK |INV|EN |ANY|INT|PC | E |OS |USR| UMASK | EVENT |
 *
 * PERF_CTL (AMD APM vol. 2, "Performance Event-Select Registers")
 *     43    35        32 31   24  23  22  20  18  17  16  15   8 7         0
 * |PREC_RET| EVENT 11:8 | CMASK |INV|EN |INT| E |OS |USR| UMASK | EVENT 7:0 |
 *
 * In event.select, USR, OS, PC, INT and EN are 0.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SELECT_H
#define BARECOUNT_PMU_COUNTERS_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/counters/event.h"
#include "pmu/base/out.h"
#include "pmu/cpu/caps.h"
#include "pmu/cpu/msr.h"

enum select_field {
    SELECT_EVENT,
    SELECT_UMASK, /* bits 15:8 are UMASK, bits 47:40 UMASK2 (Intel) */
    SELECT_E,
    SELECT_ANY,
    SELECT_INV,
    SELECT_CMASK,
    SELECT_IN_TX,
    SELECT_IN_TXCP,
    SELECT_EQ,
    SELECT_PREC_RET, /* AMD, counter 2 only */
    SELECT_FIELDS
};

/*
 * For each field, the mask of its bits in the select register, or 0 if the vendor has no such
 * field. The lowest bit of a field's value goes to the lowest bit of its mask, the next bit to the
 * next bit of the mask, and so on.
 */
struct select_layout {
    uint64_t field[SELECT_FIELDS];
};

/* All vendors (enum cpu_vendor) except AMD get Intel's layout. */
const struct select_layout *select_layout(uint32_t vendor);

/* The union of all fields' masks. */
uint64_t select_bits(const struct select_layout *layout);

uint64_t select_get(const struct select_layout *layout, enum select_field field, uint64_t select);

/* False if the value does not fit; *select is then unchanged. */
bool select_set(const struct select_layout *layout, enum select_field field, uint64_t value,
                uint64_t *select);

/* The largest value that fits into a field. */
uint64_t select_max(const struct select_layout *layout, enum select_field field);

/*
 * In perf and perfmon, event 0 with unit mask i + 1 stands for fixed counter i. select_fixed()
 * returns EVENT_NOT_FIXED for other selects.
 */
uint64_t select_of_fixed(int8_t counter);
int8_t select_fixed(uint64_t select);

/* Writes, for example, "event 2EH, unit mask 41H, CPL 0; threshold (CMASK) 1, inverted (INV)". */
void select_words(uint32_t vendor, const struct event *event, struct out *out);

/* The largest value that may be written to an extra register. */
uint64_t select_extra_max(uint32_t msr);

/*
 * The name of an extra register, such as "offcore response 0"; null if the MSR is no extra
 * register.
 */
const char *select_extra_name(uint32_t msr);

/* Intel SDM vol. 3B "Off-core Response Performance Monitoring". */
static inline bool offcore_has(uint32_t msr)
{
    return msr == MSR_OFFCORE_RSP_0 || msr == MSR_OFFCORE_RSP_1;
}

/*
 * Whether a CPU has MSR_OMR_0 to 3 instead of MSR_OFFCORE_RSP_0 and _1. According to Linux,
 * families 18 (Nova Lake) and 19 (Diamond Rapids) have them.
 */
bool offcore_has_four(const struct cpu_caps *caps);

/*
 * The bits of a select that must be flipped if the event moves to the register extra_msr ^
 * OFFCORE_OTHER; 0: it cannot move.
 */
#define OFFCORE_OTHER (MSR_OFFCORE_RSP_0 ^ MSR_OFFCORE_RSP_1)
uint16_t offcore_select_xor(const struct event *event, const struct cpu_caps *caps);

#endif
