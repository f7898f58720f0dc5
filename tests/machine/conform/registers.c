/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which registers exist, and which of their bits may be set. SDM vol. 3B, "Architectural
 * Performance Monitoring Version 1" to "Version 5", "Full-Width Writes to Performance Counter
 * Registers"; vol. 4, table "IA-32 Architectural MSRs" (named below if it is the only source).
 */
#include "conform.h"

/* The manual does not say whether bits in `open` may be written. */
struct bits {
    uint64_t allowed;
    uint64_t open;
};

struct reg {
    const char *name;
    uint32_t msr;
    unsigned span; /* number of MSRs of this kind, from `msr` on; only the first count() exist */
    unsigned (*count)(void);
    struct bits (*bits)(unsigned index); /* null: read-only */
};

static bool global(void)
{
    return cpu.version >= 2;
}

static unsigned gp_count(void)
{
    return cpu.gp;
}

static unsigned alias_count(void)
{
    return cpu.full_width ? cpu.gp : 0;
}

static unsigned fixed_count(void)
{
    return cpu.fixed;
}

static unsigned if_metrics(void)
{
    return cpu.metrics;
}

static unsigned if_pdcm(void)
{
    return cpu.pdcm;
}

static unsigned if_version_2(void)
{
    return global();
}

static unsigned if_version_4(void)
{
    return cpu.version >= 4;
}

static unsigned always(void)
{
    return 1;
}

/*
 * From Sandy Bridge on, PC (bit 19) is "not writeable", which may mean that writing 1 to it raises
 * #GP. With RTM all selects contain IN_TX, and IA32_PERFEVTSEL2 also contains IN_TXCP.
 */
static struct bits select_bits(unsigned index)
{
    uint64_t rtm = cpu.rtm ? BIT(32) | (index == 2 ? BIT(33) : 0) : 0;

    return (struct bits){(low_bits(32) & ~(cpu.any ? 0 : (uint64_t)ANY)) | rtm, BIT(19)};
}

/* A write ignores bits 63:32 of the value. */
static struct bits counter_bits_of(unsigned index)
{
    (void)index;
    return (struct bits){UINT64_MAX, 0};
}

static struct bits alias_bits(unsigned index)
{
    (void)index;
    return (struct bits){low_bits(cpu.gp_width), 0};
}

static struct bits fixed_bits(unsigned index)
{
    (void)index;
    return (struct bits){low_bits(cpu.fixed_width), 0};
}

/* PERF_METRICS has four fields of 8 bits on Ice Lake, and eight on later cores. */
static struct bits metrics_bits(unsigned index)
{
    (void)index;
    return (struct bits){low_bits(32), cpu.family == ICX ? 0 : ~low_bits(32)};
}

static struct bits fixed_ctrl_bits(unsigned index)
{
    uint64_t field = FIXED_OS | FIXED_USR | FIXED_PMI | (cpu.any ? FIXED_ANY : 0);
    uint64_t allowed = 0;

    (void)index;
    for (unsigned i = 0; i < cpu.fixed; i++) {
        allowed |= field << 4 * i;
    }
    return (struct bits){allowed, 0};
}

static uint64_t metrics_bit(void)
{
    return cpu.metrics ? BIT(METRICS_BIT) : 0;
}

static struct bits global_ctrl_bits(unsigned index)
{
    (void)index;
    return (struct bits){counter_bits() | metrics_bit(), 0};
}

/*
 * Bit 62 belongs to the debug store, and bit 63 is CondChgd. Bit 55 exists with processor trace,
 * bit 60 with SGX, bit 61 with an uncore.
 */
static struct bits status_reset_bits(unsigned index)
{
    uint64_t frozen = cpu.version >= 4 ? BIT(LBR_FRZ_BIT) | BIT(CTR_FRZ_BIT) : 0;

    (void)index;
    return (struct bits){counter_bits() | metrics_bit() | frozen | BIT(62) | BIT(63), BIT(61)};
}

/* CondChgd cannot be set. */
static struct bits status_set_bits(unsigned index)
{
    struct bits reset = status_reset_bits(index);

    return (struct bits){reset.allowed & ~BIT(63), reset.open};
}

/*
 * According to vol. 4, bits 0 (LBR), 1 (BTF) and 6 to 12 exist. Bit 14 exists if
 * IA32_PERF_CAPABILITIES[12] is set, and bit 15 exists with RTM. On some models bit 13 enables the
 * uncore's PMI, and bit 2 is bus lock detection.
 */
static struct bits debugctl_bits(unsigned index)
{
    uint64_t freeze = cpu.pdcm && global() ? FREEZE_LBRS | FREEZE_PMCS : 0;

    (void)index;
    return (struct bits){0x7c3 | freeze | (cpu.smm_freeze ? FREEZE_IN_SMM : 0) |
                             (cpu.rtm ? BIT(15) : 0),
                         BIT(2) | BIT(13) | BIT(15) | (freeze ? 0 : FREEZE_LBRS | FREEZE_PMCS)};
}

static const struct reg registers[] = {
    {"IA32_PERFEVTSEL", IA32_PERFEVTSEL0, 8, gp_count, select_bits},
    {"IA32_PMC", IA32_PMC0, 8, gp_count, counter_bits_of},
    {"IA32_A_PMC", IA32_A_PMC0, 8, alias_count, alias_bits},
    {"IA32_FIXED_CTR", IA32_FIXED_CTR0, 4, fixed_count, fixed_bits},
    {"MSR_PERF_METRICS", MSR_PERF_METRICS, 1, if_metrics, metrics_bits},
    {"IA32_PERF_CAPABILITIES", IA32_PERF_CAPABILITIES, 1, if_pdcm, NULL},
    {"IA32_FIXED_CTR_CTRL", IA32_FIXED_CTR_CTRL, 1, if_version_2, fixed_ctrl_bits},
    {"IA32_PERF_GLOBAL_STATUS", IA32_PERF_GLOBAL_STATUS, 1, if_version_2, NULL},
    {"IA32_PERF_GLOBAL_CTRL", IA32_PERF_GLOBAL_CTRL, 1, if_version_2, global_ctrl_bits},
    {"IA32_PERF_GLOBAL_STATUS_RESET", IA32_PERF_GLOBAL_STATUS_RESET, 1, if_version_2,
     status_reset_bits},
    {"IA32_PERF_GLOBAL_STATUS_SET", IA32_PERF_GLOBAL_STATUS_SET, 1, if_version_4, status_set_bits},
    {"IA32_PERF_GLOBAL_INUSE", IA32_PERF_GLOBAL_INUSE, 1, if_version_4, NULL},
    {"IA32_DEBUGCTL", IA32_DEBUGCTL, 1, always, debugctl_bits},
};

static const char *number_of(const struct reg *r, unsigned index)
{
    static const char *const numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7"};

    return r->span > 1 ? numbers[index] : "";
}

static bool writes_stay(uint32_t msr)
{
    return msr != IA32_PERF_GLOBAL_STATUS_RESET && msr != IA32_PERF_GLOBAL_STATUS_SET &&
           msr != MSR_PERF_METRICS && (msr < IA32_PMC0 || msr >= IA32_PMC0 + 8);
}

/* Returns `value`. In a select, clears EN and INT, because these bits have side effects. */
static uint64_t harmless(const struct reg *r, uint64_t value)
{
    return r->msr == IA32_PERFEVTSEL0 ? value & ~(uint64_t)(EN | INT) : value;
}

static void walk_bits(const struct reg *r, unsigned index)
{
    struct bits bits = r->bits(index);
    uint32_t msr = r->msr + index;
    uint64_t faulted = 0;
    uint64_t kept = 0;

    for (unsigned i = 0; i < 64; i++) {
        faulted |= (uint64_t)try_wrmsr(msr, BIT(i)) << i;
        try_wrmsr(msr, 0);
    }
    if (r->msr == IA32_PERF_GLOBAL_STATUS_SET) {
        wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, rdmsr(IA32_PERF_GLOBAL_STATUS));
    }
    expect(faulted & ~bits.open, ~bits.allowed & ~bits.open,
           "%s%s: its reserved bits, and no others, raise #GP", r->name, number_of(r, index));
    if (writes_stay(msr)) {
        uint64_t value = harmless(r, bits.allowed & ~bits.open);

        expect(try_wrmsr(msr, value), 0, "%s%s: all its bits may be set together", r->name,
               number_of(r, index));
        try_rdmsr(msr, &kept);
        expect(kept, value, "%s%s keeps what is written", r->name, number_of(r, index));
        try_wrmsr(msr, 0);
        try_rdmsr(msr, &kept);
        expect(kept, 0, "%s%s keeps 0", r->name, number_of(r, index));
    }
}

/* Before version 4, MSRs 391h and 392h belong to the uncore if there is one. */
static bool is_uncores(uint32_t msr)
{
    return cpu.version < 4 && cpu.family & (NHM | SNB | HSW) &&
           (msr == IA32_PERF_GLOBAL_STATUS_SET || msr == IA32_PERF_GLOBAL_INUSE);
}

void test_registers(void)
{
    for (unsigned k = 0; k < sizeof(registers) / sizeof(registers[0]); k++) {
        const struct reg *r = &registers[k];

        for (unsigned i = 0; i < r->span && !is_uncores(r->msr); i++) {
            bool exists = i < r->count();
            uint64_t value;

            expect(try_rdmsr(r->msr + i, &value), !exists, "%s%s %s", r->name, number_of(r, i),
                   exists ? "exists" : "is not there: RDMSR raises #GP");
            if (!exists || !r->bits) {
                expect(try_wrmsr(r->msr + i, 0), 1, "%s%s %s: WRMSR raises #GP", r->name,
                       number_of(r, i), exists ? "is read-only" : "is not there");
            } else {
                walk_bits(r, i);
            }
        }
    }
    stop_all();
    expect(rdmsr(IA32_MISC_ENABLE) & BIT(7), BIT(7),
           "IA32_MISC_ENABLE[7]: performance monitoring is available");
}
