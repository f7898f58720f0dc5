/* SPDX-License-Identifier: BSD-2-Clause */
/* Who uses the counters: IA32_PERF_GLOBAL_INUSE beside the control registers. */
#include "pmu/counters/check.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/program_parts.h"

#define FIXED_FIELDS (64u / FIXED_CTRL_BITS)

/* What the register must be, by the control registers as found. */
static uint64_t use_shown(const struct pmu_found *found)
{
    uint64_t bits = found->pebs_enable ? GLOBAL_INUSE_PMI : 0;

    for (unsigned i = 0; i < GP_COUNTERS_MAX; i++) {
        if (found->select[i] & EVTSEL_EVENT)
            bits |= 1ull << i;
        if (found->select[i] & EVTSEL_INT)
            bits |= GLOBAL_INUSE_PMI;
    }
    for (unsigned i = 0; i < FIXED_FIELDS; i++) {
        uint64_t field = found->fixed_ctrl >> (FIXED_CTRL_BITS * i);

        if (field & (FIXED_CTRL_OS | FIXED_CTRL_USR))
            bits |= 1ull << (GLOBAL_FIXED_SHIFT + i);
        if (field & FIXED_CTRL_PMI)
            bits |= GLOBAL_INUSE_PMI;
    }
    return bits;
}

uint64_t pmu_hidden_use(const struct pmu_found *found)
{
    return found->inuse & ~use_shown(found);
}

static void name_use(unsigned bit, struct out *out)
{
    if (bit < GLOBAL_FIXED_SHIFT)
        counter_name(false, bit, out);
    else if (bit < GLOBAL_FIXED_SHIFT + FIXED_FIELDS)
        counter_name(true, bit - GLOBAL_FIXED_SHIFT, out);
    else if (1ull << bit == GLOBAL_INUSE_PMI)
        out_text(out, "a PMI");
    else
        out_printf(out, "bit %u", bit);
}

void pmu_use_words(uint64_t bits, struct out *out)
{
    for (unsigned i = 0; i < 64; i++) {
        if (!(bits >> i & 1))
            continue;
        name_use(i, out);
        bits &= ~(1ull << i);
        out_text(out, bits ? ", " : "");
    }
}
