/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects an emulated machine. */
#include "pmu/events/emulation.h"
#include "pmu/base/text.h"
#include "pmu/uncore/uncore.h"

/* Each hypervisor interface has a block of leaves; the first leaf identifies the interface. */
#define BLOCK_FIRST 0x40000000u
#define BLOCK_LAST  0x4000ff00u
#define BLOCK_STEP  0x100u

#define EMULATOR "TCGTCGTCGTCG"

#define RULES 2u /* offset of has_rule()'s leaf in the model machine's block */

/* Bit positions in a select: the lowest bit of UMASK2; on AMD, bit 8 of the event number. */
#define UMASK2_SHIFT     40
#define EVENT_HIGH_SHIFT 32

/* The model machine's numbers for kinds of uncore units; 0: events of this kind need no rule. */
static const uint8_t KINDS[UNCORE_KINDS] = {
    [KIND_UNCORE] = 1, [KIND_CBO] = 2, [KIND_ARB] = 3, [KIND_CHA] = 4, [KIND_IMC] = 5,
};

static void put_bytes(char to[4], uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (char)(value >> (8 * i));
}

void emulation_find(cpuid_read *cpuid, const struct cpu_caps *caps, struct emulation *emulation)
{
    *emulation = (struct emulation){.cpuid = cpuid};
    if (!caps_has(caps, FEATURE_HYPERVISOR))
        return;
    for (uint32_t block = BLOCK_FIRST; block <= BLOCK_LAST; block += BLOCK_STEP) {
        struct cpuid_regs regs;
        char name[13] = {0};

        cpuid(block, 0, &regs);
        put_bytes(name, regs.ebx);
        put_bytes(name + 4, regs.ecx);
        put_bytes(name + 8, regs.edx);
        if (block == BLOCK_FIRST && !text_same(name, EMULATOR))
            text_copy(emulation->hypervisor, sizeof(emulation->hypervisor),
                      name[0] ? name : "unnamed");
        if (text_same(name, EMULATOR)) {
            emulation->emulated = true;
        } else if (text_same(name, "BarecountPMU") && regs.eax >= block + RULES) {
            emulation->emulated = true;
            emulation->rules = block + RULES;
        }
    }
}

/*
 * Asks the model machine for the rule of an event. The leaf is `rules` + UMASK2, or on AMD `rules`
 * + bits 11:8 of the event number. ECX contains the core type (31:24), the kind of unit (23:16; 0:
 * the core), the unit mask and the event (15:0). In the answer, EAX bit 0 says whether there is a
 * rule.
 */
static bool has_rule(const struct emulation *emulation, const struct cpu_caps *caps, unsigned kind,
                     uint64_t select)
{
    const unsigned shift = caps->vendor == VENDOR_AMD ? EVENT_HIGH_SHIFT : UMASK2_SHIFT;
    const uint32_t high = kind == 0 ? (uint32_t)(select >> shift & 0xff) : 0;
    struct cpuid_regs regs;

    emulation->cpuid(emulation->rules + high,
                     (uint32_t)caps->core_type << 24 | kind << 16 | (select & 0xffff), &regs);
    return regs.eax & 1;
}

bool emulation_counts(const struct emulation *emulation, const struct cpu_caps *caps,
                      const struct event *event)
{
    const unsigned kind = event->scope == SCOPE_UNCORE ? KINDS[event->kind] : 0;

    if (emulation->rules == 0 || event->fixed_only)
        return true;
    if (event->scope == SCOPE_UNCORE && kind == 0)
        return true;
    return has_rule(emulation, caps, kind, event->select) &&
           (!event_second(event) || has_rule(emulation, caps, kind, event_second(event)));
}
