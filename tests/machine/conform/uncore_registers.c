/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The uncore's MSRs: which of them exist, and which of their bits are writable. SDM vol. 3B,
 * "Performance Monitoring Facility in the Uncore"; vol. 4, tables of Nehalem, Sandy Bridge, Haswell
 * and Skylake; "Xeon Processor Scalable Memory Family Uncore Performance Monitoring", "CHA".
 */
#include "uncore.h"

struct reg {
    uint8_t families;
    uint32_t msr;
    uint32_t count;  /* number of consecutive registers in a group */
    uint32_t groups; /* number of groups, whose first MSRs are 10h apart */
    uint64_t bits;   /* writable bits; 0: read-only */
    uint64_t gone;   /* writable bits that are not stored */
};

#define CLIENTS    (SNB | HSW | SKL)
#define BITS_48    ((1ull << 48) - 1)
#define BITS_44    ((1ull << 44) - 1)
#define SELECT     0xffd6ffffull
#define CBO_SELECT 0x1fd4ffffull
#define CHA_SELECT 0xffdeffffull

static const struct reg registers[] = {
    {NHM, 0x391, 1, 1, 0x800f0001000000ff, 0},
    {NHM, 0x392, 1, 1, 0, 0},
    {NHM, 0x393, 1, 1, 0xa0000001000000ff, ~0ull},
    {NHM, 0x394, 1, 1, BITS_48, 0},
    {NHM, 0x395, 1, 1, 5, 0},
    {NHM, 0x396, 1, 1, 0xe000fffffffffff8, 0},
    {NHM, 0x3b0, 8, 1, BITS_48, 0},
    {NHM, 0x3c0, 8, 1, SELECT, OCC_RESET},
    {SNB | HSW, 0x391, 1, 1, 0xe000001f, 0},
    {SNB | HSW, 0x392, 1, 1, 0xb, 0},
    {SKL, 0xe01, 1, 1, 0xe000001f, 0},
    {SKL, 0xe02, 1, 1, 0xb, 0},
    {CLIENTS, 0x394, 1, 1, BIT(20) | BIT(22), 0},
    {CLIENTS, 0x395, 1, 1, BITS_48, 0},
    {CLIENTS, 0x396, 1, 1, 0, 0},
    {CLIENTS, 0x3b0, 2, 1, BITS_44, 0},
    {CLIENTS, 0x3b2, 2, 1, CBO_SELECT, 0},
    {CLIENTS, 0x700, 2, 4, CBO_SELECT, 0},
    {CLIENTS, 0x706, 2, 4, BITS_44, 0},
    {SKX, 0xe00, 1, 4, 0x30103, 3},
    {SKX, 0xe01, 4, 4, CHA_SELECT, OCC_RESET},
    {SKX, 0xe05, 2, 4, 0xffffffff, 0},
    {SKX, 0xe07, 1, 4, 15, 15},
    {SKX, 0xe08, 4, 4, BITS_48, 0},
};

static void check(const struct reg *r, uint32_t msr)
{
    uint64_t value, was, faulted = 0, kept = r->bits & ~r->gone;

    expect(try_rdmsr(msr, &was), 0, "MSR %xh exists", msr);
    for (unsigned i = 0; i < 64; i++) {
        faulted |= (uint64_t)try_wrmsr(msr, BIT(i)) << i;
    }
    expect(faulted, ~r->bits, "MSR %xh: its reserved bits, and no others, raise #GP", msr);
    if (!r->bits) {
        expect(try_wrmsr(msr, 0), 1, "MSR %xh is read-only", msr);
        return;
    }
    wrmsr(msr, r->bits);
    expect(try_rdmsr(msr, &value) ? ~0ull : value, kept, "MSR %xh keeps what is written", msr);
    wrmsr(msr, 0);
    expect(try_rdmsr(msr, &value) ? ~0ull : value, 0, "MSR %xh keeps 0", msr);
    wrmsr(msr, was & kept);
}

static void check_reset(const struct reg *r, uint32_t msr, uint32_t number)
{
    uint64_t garbage = 0x5a5a5a5a5a5a5a5aull, value = 0;
    bool counter = r->bits == BITS_48 || r->bits == BITS_44;
    uint64_t want = counter                                ? garbage & r->bits
                    : r->msr == 0xe05 && number % 2        ? 0x3b
                    : r->msr == 0x396 && cpu.family != NHM ? 5 /* CBos, including the graphics' */
                                                           : 0;

    try_rdmsr(msr, &value);
    expect(value, want, "MSR %xh at reset", msr);
}

void test_uncore_registers(void)
{
    uint64_t value;

    for (int pass = 0; pass < 2; pass++) {
        for (unsigned k = 0; k < sizeof(registers) / sizeof(registers[0]); k++) {
            const struct reg *r = &registers[k];

            for (uint32_t i = 0; r->families & cpu.family && i < r->count * r->groups; i++) {
                uint32_t msr = r->msr + i / r->count * 16 + i % r->count;

                if (pass) {
                    check(r, msr);
                } else {
                    check_reset(r, msr, i);
                }
            }
        }
    }
    if (cpu.family & CLIENTS) {
        expect(try_rdmsr(0x740, &value), 1, "a fifth CBo has no select");
        expect(try_wrmsr(0x746, 0), 1, "a fifth CBo has no counter");
    }
    if (cpu.family == SKX) {
        expect(try_rdmsr(0xe40, &value), 1, "a fifth CHA has no control");
        expect(try_wrmsr(0xe48, 0), 1, "a fifth CHA has no counter");
    }
    stop_all();
}
