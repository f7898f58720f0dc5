/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUID leaves in which the machine describes itself (../README.md, "What it says of itself").
 */
#include "conform.h"

#define LEAF_QEMU    0x40000000u
#define LEAF_BLOCK   0x40000100u
#define LEAF_VERSION 0x40000101u
#define LEAF_RULE    0x40000102u

#define KIND(n)      ((uint32_t)(n) << 16)
#define CORE_TYPE(n) ((uint32_t)(n) << 24)

#define ICE_LAKES    (ICX | CORE)
#define SANDY_TO_SKY (SNB | HSW | SKL | SKX)
#define SANDY_ON     (SANDY_TO_SKY | ICE_LAKES)
#define BIG_CORES    (NHM | SANDY_ON)
#define SKYLAKE_ON   (SKL | SKX | ICE_LAKES)

/* The first table of ../README.md, "Encodings", without events that only fixed counters count. */
static const struct {
    uint16_t encoding;
    uint8_t families;
} rules[] = {
    {0x003c, ALL},
    {0x013c, ALL},
    {0x00c0, ALL},
    {0x4f2e, ALL},
    {0x412e, ALL},
    {0x00c4, ALL},
    {0x00c5, ALL},
    {0x01c0, NHM},
    {0x02c2, BIG_CORES},
    {0x04c4, NHM | SANDY_TO_SKY},
    {0x04c5, SANDY_TO_SKY},
    {0x01a4, ICE_LAKES},
    {0x02a4, ICE_LAKES},
    {0x04a3, SANDY_ON},
    {0x01c4, BIG_CORES},
    {0x11c4, ICE_LAKES},
    {0x7ec4, ATOM},
    {0xfec4, ATOM},
    {0x10c4, SANDY_ON},
    {0x20c4, SANDY_ON},
    {0xc0c4, ATOM},
    {0x02c4, BIG_CORES},
    {0xf9c4, ATOM},
    {0x08c4, SANDY_ON},
    {0xf7c4, ATOM},
    {0x40c4, SANDY_ON},
    {0xbfc4, ATOM},
    {0x80c4, ICE_LAKES},
    {0x01c5, SANDY_TO_SKY},
    {0x11c5, ICE_LAKES},
    {0x7ec5, ATOM},
    {0x20c5, SANDY_ON},
    {0x80c5, ATOM},
    {0x08c5, SKL | SKX | ICE_LAKES},
    {0xf7c5, ATOM},
    {0x010b, NHM},
    {0x020b, NHM},
    {0x81d0, SANDY_ON | ATOM},
    {0x82d0, SANDY_ON | ATOM},
    {0x01cb, NHM},
    {0x01d1, SANDY_ON | ATOM},
    {0x08d1, HSW | SKL | SKX | ICE_LAKES | ATOM},
    {0x0151, BIG_CORES},
    {0xebc4, ATOM},
    {0xfdc4, ATOM},
    {0xfbc4, ATOM},
    {0xdfc4, ATOM},
    {0xefc4, ATOM},
    {0x21d0, SANDY_ON | ATOM},
    {0x41d0, SANDY_ON | ATOM},
    {0x42d0, SANDY_ON | ATOM},
    {0x02c0, NHM | HSW | SKYLAKE_ON},
    {0x04c0, NHM},
    {0x01c7, SKYLAKE_ON},
    {0x02c7, SKYLAKE_ON},
    {0x04c7, SKYLAKE_ON},
    {0x08c7, SKYLAKE_ON},
    {0x10c7, SKYLAKE_ON},
    {0x20c7, SKYLAKE_ON},
    {0x03c7, SKYLAKE_ON},
    {0x18c7, SKYLAKE_ON},
    {0x60c7, SKYLAKE_ON},
    {0xfcc7, SKYLAKE_ON},
    {0x43d0, ATOM},
    {0x0132, SKL | SKX | ICX},
    {0x0232, SKL | SKX | ICX},
    {0x0432, SKL | SKX | ICX},
    {0x0832, SKL | SKX | ICX},
    {0x0f32, SKL | SKX | ICX},
    {0x40cc, SKL | SKX | ICX},
    {0x0140, CORE},
    {0x0240, CORE},
    {0x0440, CORE},
    {0x0840, CORE},
    {0x0f40, CORE},
    {0x20e0, CORE},
    {0x02e0, ATOM},
    {0xffe0, ATOM},
    {0x03e7, CORE},
    {0x13e7, CORE},
    {0x0ce7, CORE},
    {0x80e7, CORE},
    {0xace7, CORE},
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

static uint32_t rules_of(uint32_t asked)
{
    uint32_t count = 0;

    for (uint32_t encoding = 0; encoding <= 0xffff; encoding++) {
        count += cpuid(LEAF_RULE, asked | encoding).eax;
    }
    return count;
}

static uint32_t rules_of_family(unsigned family)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < RULES; i++) {
        count += (rules[i].families & family) != 0;
    }
    return count;
}

static bool is_named(struct leaf leaf, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    return leaf.ebx == ebx && leaf.ecx == ecx && leaf.edx == edx;
}

static bool has_rules(void)
{
    return is_named(cpuid(LEAF_BLOCK, 0), 0x65726142, 0x6e756f63, 0x554d5074); /* BarecountPMU */
}

/* Returns how many of the 256 unit masks contain at least one of `bits` given bits. */
static uint32_t masks(unsigned bits)
{
    return 256 - (1u << (8 - bits));
}

/* ../OUTSIDE.md, "Encodings". */
static void test_kinds(void)
{
    expect(rules_of(KIND(1)), 3 * masks(1) + 6 * masks(2) + 2 * masks(3),
           "rules of Nehalem's uncore");
    expect(rules_of(KIND(2)), 7 * 7 * 4, "rules of a CBo: who asks, the state, two other bits");
    expect(rules_of(KIND(3)), masks(1) + masks(4), "rules of the ARB");
    expect(rules_of(KIND(4)), 256 + 7 * 16 + 3 * 32, "rules of a CHA");
    expect(rules_of(KIND(5)), 256 + masks(2), "rules of a memory channel");
    expect(rules_of(KIND(6)), 0, "rules of the UBox, which has only a clock");
    expect(rules_of(KIND(7)), 0, "rules of an unknown kind");
}

void test_rules(void)
{
    expect(is_named(cpuid(LEAF_QEMU, 0), 0x54474354, 0x43544743, 0x47435447), true,
           "40000000H is QEMU's own");
    expect(has_rules(), true, "40000100H names the model");
    expect(cpuid(LEAF_BLOCK, 0).eax, LEAF_BLOCK + 0xff, "40000100H:EAX");
    expect(cpuid(LEAF_VERSION, 0).eax, 1, "40000101H:EAX");
    for (unsigned i = 0; i < RULES; i++) {
        expect(cpuid(LEAF_RULE, rules[i].encoding).eax, (rules[i].families & cpu.family) != 0,
               "rule of %02x/%02x", rules[i].encoding & 0xff, rules[i].encoding >> 8);
    }
    expect(rules_of(0), rules_of_family(cpu.family), "rules of this CPU");
    expect(rules_of(CORE_TYPE(0x40)), rules_of_family(CORE), "rules of core type 40h");
    expect(rules_of(CORE_TYPE(0x20)), rules_of_family(ATOM), "rules of core type 20h");
    test_kinds();
}

void test_hypervisor(void)
{
    expect(is_named(cpuid(LEAF_QEMU, 0), 0x4b4d564b, 0x564b4d56, 0x4d), true, "40000000H is KVM's");
    expect(has_rules(), true, "40000100H names the model even so");
}

void test_no_rules(void)
{
    expect(has_rules(), false, "40000100H names nobody");
}
