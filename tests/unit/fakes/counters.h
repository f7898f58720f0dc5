/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters behind the registers of fakes/msr.h, some of them faulty. The counters count only in a
 * window, at CPL 0. One WRMSR opens the window, and one closes it.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_COUNTERS_H
#define BARECOUNT_TESTS_UNIT_FAKES_COUNTERS_H

#include "tests/unit/fakes/msr.h"
#include "pmu/counters/check.h"

#define FAKE_COST   5u /* instructions of the empty window, without its WRMSRs */
#define FAKE_CYCLES 40u
#define FAKE_TICKS  7u /* reference cycles of a long window; a short window has 0 */
#define FAKE_SPIN   2048u
#define FAKE_SMM    1000u /* an SMI adds this to every counter */
#define FAKE_NEVER  UINT32_MAX

enum lie {
    LIE_NONE,
    LIE_STUCK,
    LIE_ABSENT,   /* ignores writes, reads as 0 */
    LIE_ONE_MORE, /* counts one too many */
    LIE_LATE,
    LIE_NOISY, /* counts 0 to 3 too many */
    LIE_OTHER_RING,
    LIE_ANY_RING,
    LIE_WRAP,    /* loses carries out of bit lie_bits - 1 */
    LIE_FORGETS, /* loses its top bit when written */
    LIE_NO_STATUS,
    LIE_OTHER_STATUS, /* also sets another counter's status bit */
    LIE_STICKY,       /* its status bit cannot be cleared */
    LIE_UNSET,        /* 391h cannot set its status bit */
    LIE_OTHER_SET,    /* 391h also sets another counter's bit */
    LIE_STICKY_SET,   /* a bit set by 391h cannot be cleared */
    LIE_LATE_BIT,     /* setting its status bit also sets fixed counter 2's bit */
    LIE_UPDATED_LATE, /* written values take effect late, as documented for fixed counter 2 */
};

static enum lie lie_told;
static uint64_t liars; /* bits as in IA32_PERF_GLOBAL_CTRL */
static unsigned lie_bits;
static uint32_t lie_noise;
static uint64_t fake_wrmsr; /* number of the window's WRMSRs that are counted */
static uint32_t fake_windows, fake_disturbances;
static uint32_t fake_smi_from, fake_smi_to; /* windows in [from, to) have an SMI */
static bool fake_was_set;                   /* the faulty counter's bit was written to 391h */
static bool fake_smi_seen;                  /* a register shows SMIs */
static bool fake_is_written;                /* fake_written takes effect at the next fake_wait() */
static uint64_t fake_written;
static bool fake_is_sticky; /* each fake_wait() sets GLOBAL_REFERENCE until the next write */

static inline void fake_counters_start(unsigned version, unsigned gp, unsigned fixed)
{
    fake_start(version, gp, fixed);
    fake.full_width = version >= 2;
    lie_told = LIE_NONE;
    liars = 0;
    lie_bits = 10;
    lie_noise = 0;
    fake_is_written = fake_is_sticky = false;
    fake_wrmsr = 1;
    fake_windows = fake_disturbances = 0;
    fake_smi_from = fake_smi_to = FAKE_NEVER;
    fake_smi_seen = true;
    fake_was_set = false;
}

static inline bool tells(enum lie lie, unsigned bit)
{
    return lie_told == lie && liars >> bit & 1;
}

/* The counter's bit in IA32_PERF_GLOBAL_CTRL; 63: not a counter. */
static inline unsigned fake_bit(uint32_t msr)
{
    if (msr >= MSR_IA32_PMC0 && msr < MSR_IA32_PMC0 + fake.gp)
        return msr - MSR_IA32_PMC0;
    if (fake_is_alias(msr))
        return msr - MSR_IA32_A_PMC0;
    if (msr >= MSR_IA32_FIXED_CTR0 && msr < MSR_IA32_FIXED_CTR0 + fake.fixed)
        return 32 + msr - MSR_IA32_FIXED_CTR0;
    return 63;
}

static inline uint64_t fake_beside(unsigned bit)
{
    return bit % 2 || bit == 34 ? 1ull << (bit - 1) : 1ull << (bit + 1);
}

static inline void fake_wait(void *context)
{
    (void)context;
    if (fake_is_sticky)
        fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value |= GLOBAL_REFERENCE;
    if (fake_is_written) {
        fake_set(MSR_IA32_FIXED_CTR0 + FIXED_REFERENCE, fake_written);
        fake_is_sticky = false;
    }
    fake_is_written = false;
}

static inline bool lying_write(void *context, uint32_t msr, uint64_t value)
{
    uint64_t status = fake_value(MSR_IA32_PERF_GLOBAL_STATUS);
    uint64_t reference = fake_bit(msr) == 34 ? fake_value(msr) : 0;

    if (!fake_write(context, msr, value))
        return false;
    if (tells(LIE_UPDATED_LATE, fake_bit(msr))) {
        fake_written = fake_value(msr);
        fake_is_written = true;
        fake_set(msr, reference);
    }
    if (tells(LIE_ABSENT, fake_bit(msr)))
        fake_set(msr, 0);
    if (tells(LIE_FORGETS, fake_bit(msr)))
        fake_register(msr)->value &= fake_bits(fake.width - 1);
    if (msr == MSR_IA32_PERF_GLOBAL_OVF_CTRL &&
        (lie_told == LIE_STICKY || (lie_told == LIE_STICKY_SET && fake_was_set)))
        fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value |= status & liars;
    if (msr == MSR_IA32_PERF_GLOBAL_STATUS_SET) {
        fake_was_set |= (value & liars) != 0;
        if (lie_told == LIE_UNSET)
            fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value &= ~(value & liars);
        if (lie_told == LIE_OTHER_SET && value & liars)
            fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value |=
                fake_beside((unsigned)__builtin_ctzll(value));
        if (lie_told == LIE_LATE_BIT && value & liars)
            fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value |= GLOBAL_REFERENCE;
    }
    return true;
}

static const struct msr_port LYING_PORT = {.read = fake_read, .write = lying_write};

/* What a window adds to a counter that is enabled for `rings` (bit 0: OS, bit 1: USR). */
static inline uint64_t fake_share(unsigned bit, unsigned rings, bool spin)
{
    uint64_t counts = FAKE_COST + fake_wrmsr + (spin ? FAKE_SPIN : 0);

    if (bit == 33)
        counts = FAKE_CYCLES + fake_windows % 3;
    if (bit == 34)
        counts = spin ? FAKE_TICKS : 0;
    if (fake_windows >= fake_smi_from && fake_windows < fake_smi_to)
        counts += FAKE_SMM;
    if (tells(LIE_OTHER_RING, bit))
        rings = rings >> 1;
    if (tells(LIE_STUCK, bit) || tells(LIE_ABSENT, bit) || rings == 0)
        return 0;
    counts = rings & 1 || tells(LIE_ANY_RING, bit) ? counts + 3 * tells(LIE_LATE, bit) : 0;
    return counts + tells(LIE_ONE_MORE, bit) + (tells(LIE_NOISY, bit) ? lie_noise++ / 3 % 4 : 0);
}

static inline void fake_advance(uint32_t msr, unsigned bit, uint64_t counts)
{
    uint64_t sum = fake_value(msr) + counts, status = 1ull << bit;

    if (tells(LIE_OTHER_STATUS, bit))
        status |= fake_beside(bit);
    if (tells(LIE_LATE_BIT, bit))
        status |= GLOBAL_REFERENCE;
    if (sum > fake_bits(fake.width) && fake.version >= 2 && !tells(LIE_NO_STATUS, bit))
        fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value |= status;
    fake_is_sticky |= sum > fake_bits(fake.width) && tells(LIE_UPDATED_LATE, bit);
    if (tells(LIE_WRAP, bit) && sum >> lie_bits != fake_value(msr) >> lie_bits)
        sum = (sum & fake_bits(lie_bits)) | (fake_value(msr) & ~fake_bits(lie_bits));
    fake_set(msr, sum & fake_bits(fake.width));
}

static inline bool fake_window(void *context, uint32_t open_msr, uint64_t open_value, bool spin)
{
    uint64_t fixed = fake_value(MSR_IA32_FIXED_CTR_CTRL);
    uint64_t open = fake.version < 2 ? 1ull << (open_msr - MSR_IA32_PERFEVTSEL0) : open_value;

    if (fake_register(open_msr)->write_faults)
        return false;
    fake_set(open_msr, open_value);
    for (unsigned i = 0; i < fake.gp; i++) {
        uint64_t select = fake_value(MSR_IA32_PERFEVTSEL0 + i);

        if (open >> i & 1 && select & EVTSEL_EN && (select & 0xffff) == 0xc0)
            fake_advance(
                MSR_IA32_PMC0 + i, i,
                fake_share(i, (select & EVTSEL_OS ? 1 : 0) | (select & EVTSEL_USR ? 2 : 0), spin));
    }
    for (unsigned i = 0; i < fake.fixed; i++)
        if (fake.version >= 2 && open >> (32 + i) & 1)
            fake_advance(MSR_IA32_FIXED_CTR0 + i, 32 + i,
                         fake_share(32 + i, fixed >> 4 * i & 3, spin));
    fake_disturbances +=
        fake_smi_seen && fake_windows >= fake_smi_from && fake_windows < fake_smi_to;
    fake_windows++;
    fake_set(open_msr, 0);
    fake_wait(context);
    return true;
}

static inline uint32_t fake_disturbed(void *context)
{
    (void)context;
    return fake_disturbances;
}

static const struct counter_port COUNTER_PORT = {.msrs = &LYING_PORT,
                                                 .window = fake_window,
                                                 .wait = fake_wait,
                                                 .disturbances = fake_disturbed,
                                                 .instructions = FAKE_COST};

#endif
