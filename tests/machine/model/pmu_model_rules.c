/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUID leaves that tell software for which events the model has a counting rule (README.md). These
 * leaves are a second hypervisor interface after QEMU's own.
 */
#include "qemu/osdep.h"
#include "pmu_model_uncore.h"

#define LEAF_BLOCK 0x40000100u
#define LEAF_VERSION (LEAF_BLOCK + 1)
#define LEAF_RULE (LEAF_BLOCK + 2) /* plus UMASK2 (up to FDH) or AMD's bits 11:8 of the event */
#define LEAF_LAST (LEAF_BLOCK + 0xff)
#define VERSION 1

#define KIND_CORE 0 /* a kind above 0 is a PMUUnitKind + 1 */

/* Assumes that the unit's filters let everything pass. */
static bool unit_has_rule(PMUUnitKind kind, uint16_t encoding)
{
    const PMUUnit unit = { .kind = kind, .filter = { UINT32_MAX, UINT32_MAX } };

    return pmu_unit_types[kind].counters && pmu_uncore_sum(&unit, encoding).parts;
}

/*
 * In `asked` (ECX), bits 31:24 are the core type (0: this CPU's), bits 23:16 the kind, and bits
 * 15:0 the unit mask and the event.
 */
static bool has_rule(const CPUX86State *env, uint32_t umask2, uint32_t asked)
{
    uint8_t core_type = asked >> 24, kind = asked >> 16;

    if (kind == KIND_CORE) {
        return pmu_event_source_on(env, core_type ? core_type : env->pmu.core_type,
                                   umask2 << 16 | (asked & 0xffff)) != PMU_NOTHING;
    }
    return kind <= PMU_UNIT_KINDS && unit_has_rule(kind - 1, asked);
}

bool pmu_model_rules(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                     uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
    uint32_t signature[3];

    if (!env->pmu.on || !env->pmu.rules || leaf < LEAF_BLOCK || leaf > LEAF_LAST) {
        return false;
    }
    *eax = *ebx = *ecx = *edx = 0;
    switch (leaf) {
    case LEAF_BLOCK:
        memcpy(signature, "BarecountPMU", sizeof(signature));
        *eax = LEAF_LAST;
        *ebx = signature[0];
        *ecx = signature[1];
        *edx = signature[2];
        break;
    case LEAF_VERSION:
        *eax = VERSION;
        break;
    default:
        *eax = has_rule(env, leaf - LEAF_RULE, subleaf);
        break;
    }
    return true;
}
