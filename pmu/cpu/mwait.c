/* SPDX-License-Identifier: BSD-2-Clause */
/* MWAIT's states and errata. */
#include "pmu/cpu/mwait.h"

#define EXTENSIONS_LISTED (1u << 0) /* CPUID.05H:ECX[0]: EDX is valid */
#define DEEPEST_STATE     7u
#define DEEPEST_WITH_TSC  2u
#define SUB_STATES_MAX    0xfu

/*
 * Models on which a store may fail to end MWAIT: Goldmont, Lunar Lake, Ice Lake Xeon (erratum
 * ICX143), Xeon D (erratum ICXD80).
 */
static const uint8_t ENDLESS_MODELS[] = {0x5c, 0xbd, 0x6a, 0x6c};

bool mwait_ends(const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < sizeof(ENDLESS_MODELS); i++)
        if (caps->vendor == VENDOR_INTEL && caps->family == 6 && caps->model == ENDLESS_MODELS[i])
            return false;
    return true;
}

/*
 * 31   28         11    8 7     4 3     0
 * +-------+-- ... --+-------+-------+-------+
 * |  C7   |         |  C2   |  C1   |  C0   |   EDX: the number of sub-states of each state
 * +-------+-- ... --+-------+-------+-------+
 * Bits 7:4 of the hint are the state minus 1. Bits 3:0 are the sub-state, from 0.
 */
uint32_t mwait_deepest_hint(const struct cpuid_regs *leaf_05h, bool has_invariant_tsc)
{
    if (!(leaf_05h->ecx & EXTENSIONS_LISTED))
        return 0;
    for (uint32_t state = has_invariant_tsc ? DEEPEST_STATE : DEEPEST_WITH_TSC; state > 0;
         state--) {
        uint32_t sub_states = leaf_05h->edx >> (4 * state) & SUB_STATES_MAX;

        if (sub_states > 0)
            return (state - 1) << 4 | (sub_states - 1);
    }
    return 0;
}
