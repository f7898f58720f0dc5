/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A performance monitor behind a struct msr_port, with rules of the Intel SDM. Missing registers
 * and reserved bits raise #GP. Each 1 that is written to MSR 390H clears a status bit. IA32_PMCx
 * takes 32 bits and sign-extends them. Each access increments every enabled counter, so a test
 * finds counters that run at the wrong time.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_MSR_H
#define BARECOUNT_TESTS_UNIT_FAKES_MSR_H

#include <string.h>

#include "tests/unit/fakes/skylake.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/program.h"

#define FAKE_WIDTH     48u
#define FAKE_LOG_MAX   256u
#define FAKE_REGISTERS 64u

struct fake_register {
    uint32_t msr;
    uint64_t value;
    uint64_t writable; /* other bits are reserved */
    uint64_t stuck;    /* bits that silently ignore writes */
    bool read_faults, write_faults;
};

static struct {
    unsigned version, gp, fixed, width;
    bool full_width; /* IA32_A_PMCx exist */
    struct fake_register reg[FAKE_REGISTERS];
    unsigned regs;
    struct {
        uint32_t msr;
        uint64_t value;
    } log[FAKE_LOG_MAX];
    unsigned writes, reads;
    unsigned absent;      /* accesses to missing registers */
    unsigned ill_written; /* writes to enabled counters */
    bool window;
    unsigned early_opened; /* writes that enabled a counter outside a window */
} fake;

static inline bool fake_is_alias(uint32_t msr)
{
    return fake.full_width && msr >= MSR_IA32_A_PMC0 && msr < MSR_IA32_A_PMC0 + fake.gp;
}

static inline struct fake_register *fake_register(uint32_t msr)
{
    if (fake_is_alias(msr))
        msr += MSR_IA32_PMC0 - MSR_IA32_A_PMC0;
    for (unsigned i = 0; i < fake.regs; i++)
        if (fake.reg[i].msr == msr)
            return &fake.reg[i];
    return NULL;
}

static inline uint64_t fake_value(uint32_t msr)
{
    return fake_register(msr) ? fake_register(msr)->value : 0;
}

static inline void fake_set(uint32_t msr, uint64_t value)
{
    fake_register(msr)->value = value;
}

static inline void fake_add(uint32_t msr, uint64_t writable)
{
    fake.reg[fake.regs++] = (struct fake_register){.msr = msr, .writable = writable};
}

static inline uint64_t fake_bits(unsigned count)
{
    return (1ull << count) - 1;
}

static inline void fake_start(unsigned version, unsigned gp, unsigned fixed)
{
    uint64_t counters = fake_bits(gp) | fake_bits(fixed) << 32;

    memset(&fake, 0, sizeof(fake));
    fake.version = version;
    fake.gp = gp;
    fake.fixed = fixed;
    fake.width = FAKE_WIDTH;
    fake_add(MSR_IA32_DEBUGCTL, 0x1800 | 0x4003); /* freeze on PMI; freeze in SMM, BTF, LBR */
    fake_add(MSR_IA32_PEBS_ENABLE, fake_bits(4));
    for (unsigned i = 0; i < gp; i++) {
        fake_add(MSR_IA32_PERFEVTSEL0 + i, 0xffffffff);
        fake_add(MSR_IA32_PMC0 + i, ~0ull);
    }
    if (version < 2)
        return;
    for (unsigned i = 0; i < fixed; i++)
        fake_add(MSR_IA32_FIXED_CTR0 + i, fake_bits(FAKE_WIDTH));
    fake_add(MSR_IA32_FIXED_CTR_CTRL, fake_bits(4 * fixed));
    fake_add(MSR_IA32_PERF_GLOBAL_CTRL, counters);
    fake_add(MSR_IA32_PERF_GLOBAL_STATUS, 0);
    fake_add(MSR_IA32_PERF_GLOBAL_OVF_CTRL, counters | 3ull << 62);
    if (version < 4)
        return;
    fake_add(MSR_IA32_PERF_GLOBAL_STATUS_SET, counters | 1ull << 62);
    fake_add(MSR_IA32_PERF_GLOBAL_INUSE, 0);
}

/*
 * IA32_PERF_GLOBAL_INUSE has a bit for each general counter whose EVENT is not 0, and for each
 * fixed counter with a ring. Bit 63 means that a PMI or PEBS is enabled. A value that was set in
 * the register is ORed in.
 */
static inline uint64_t fake_inuse(void)
{
    uint64_t fixed = fake_value(MSR_IA32_FIXED_CTR_CTRL), bits = 0;
    bool pmi = fake_value(MSR_IA32_PEBS_ENABLE) != 0;

    for (unsigned i = 0; i < fake.gp; i++) {
        bits |= (uint64_t)((fake_value(MSR_IA32_PERFEVTSEL0 + i) & 0xff) != 0) << i;
        pmi |= fake_value(MSR_IA32_PERFEVTSEL0 + i) >> 20 & 1;
    }
    for (unsigned i = 0; i < fake.fixed; i++) {
        bits |= (uint64_t)((fixed >> 4 * i & 3) != 0) << (32 + i);
        pmi |= fixed >> (4 * i + 3) & 1;
    }
    return bits | (uint64_t)pmi << 63 | fake_value(MSR_IA32_PERF_GLOBAL_INUSE);
}

static inline bool fake_gp_on(unsigned i)
{
    uint64_t select = fake_value(MSR_IA32_PERFEVTSEL0 + i);
    bool global = fake.version < 2 || fake_value(MSR_IA32_PERF_GLOBAL_CTRL) >> i & 1;

    return global && select & EVTSEL_EN && select & (EVTSEL_OS | EVTSEL_USR);
}

static inline bool fake_fixed_on(unsigned i)
{
    return fake.version >= 2 && fake_value(MSR_IA32_PERF_GLOBAL_CTRL) >> (32 + i) & 1 &&
           fake_value(MSR_IA32_FIXED_CTR_CTRL) >> 4 * i & 3;
}

static inline unsigned fake_on(void)
{
    unsigned on = 0;

    for (unsigned i = 0; i < fake.gp; i++)
        on += fake_gp_on(i);
    for (unsigned i = 0; i < fake.fixed; i++)
        on += fake_fixed_on(i);
    return on;
}

static inline void fake_count(uint32_t msr, unsigned status_bit)
{
    uint64_t next = (fake_value(msr) + 1) & fake_bits(fake.width);

    fake_set(msr, next);
    if (next == 0 && fake.version >= 2)
        fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value |= 1ull << status_bit;
}

static inline void fake_tick(void)
{
    for (unsigned i = 0; i < fake.gp; i++)
        if (fake_gp_on(i))
            fake_count(MSR_IA32_PMC0 + i, i);
    for (unsigned i = 0; i < fake.fixed; i++)
        if (fake_fixed_on(i))
            fake_count(MSR_IA32_FIXED_CTR0 + i, 32 + i);
}

static inline bool fake_read(void *context, uint32_t msr, uint64_t *value)
{
    const struct fake_register *reg = fake_register(msr);

    (void)context;
    fake.reads++;
    fake_tick();
    fake.absent += !reg;
    if (!reg || reg->read_faults)
        return false;
    *value = msr == MSR_IA32_PERF_GLOBAL_INUSE ? fake_inuse() : reg->value;
    return true;
}

/*
 * Counts writes to an IA32_PMCx that runs or whose select has EN set, and writes to a fixed counter
 * that IA32_FIXED_CTR_CTRL enables.
 */
static inline void fake_watch(uint32_t msr)
{
    for (unsigned i = 0; i < fake.gp; i++)
        fake.ill_written += msr == MSR_IA32_PMC0 + i &&
                            (fake_value(MSR_IA32_PERFEVTSEL0 + i) & EVTSEL_EN || fake_gp_on(i));
    for (unsigned i = 0; i < fake.fixed; i++)
        fake.ill_written +=
            msr == MSR_IA32_FIXED_CTR0 + i && fake_value(MSR_IA32_FIXED_CTR_CTRL) >> 4 * i & 3;
}

static inline bool fake_write(void *context, uint32_t msr, uint64_t value)
{
    struct fake_register *reg = fake_register(msr);
    unsigned on = fake_on();

    (void)context;
    fake_tick();
    fake.absent += !reg;
    if (!reg || reg->write_faults || value & ~reg->writable ||
        (fake_is_alias(msr) && value & ~fake_bits(fake.width)))
        return false;
    fake_watch(reg->msr);
    if (fake.writes < FAKE_LOG_MAX) {
        fake.log[fake.writes].msr = msr;
        fake.log[fake.writes].value = value;
    }
    fake.writes++;
    if (msr == MSR_IA32_PERF_GLOBAL_OVF_CTRL)
        fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value &= ~value;
    else if (msr == MSR_IA32_PERF_GLOBAL_STATUS_SET)
        fake_register(MSR_IA32_PERF_GLOBAL_STATUS)->value |= value;
    else if (msr >= MSR_IA32_PMC0 && msr < MSR_IA32_PMC0 + fake.gp)
        reg->value = (uint64_t)(int64_t)(int32_t)value & fake_bits(fake.width);
    else
        reg->value = (value & ~reg->stuck) | (reg->value & reg->stuck);
    fake.early_opened += !fake.window && fake_on() > on;
    return true;
}

static inline bool fake_read_all(void *context, const uint32_t *msr, uint64_t count,
                                 uint64_t *values)
{
    bool ok = true;

    for (uint64_t i = 0; i < count; i++) {
        values[i] = 0;
        ok &= fake_read(context, msr[i], &values[i]);
    }
    return ok;
}

static inline bool fake_write_all(void *context, const struct msr_value *to, uint64_t count)
{
    bool ok = true;

    for (uint64_t i = 0; i < count; i++)
        ok &= fake_write(context, to[i].msr, to[i].value);
    return ok;
}

static inline uint64_t fake_look(void *context, struct msr_look *looks, uint64_t count)
{
    uint64_t told = 0;

    for (uint64_t i = 0; i < count; i++) {
        looks[i].value = 0;
        told |= !fake_read(context, (uint32_t)looks[i].msr, &looks[i].value);
        told |= (looks[i].value ^ looks[i].calm) & looks[i].cares;
    }
    return told;
}

static const struct msr_port FAKE_PORT = {.read = fake_read,
                                          .write = fake_write,
                                          .read_all = fake_read_all,
                                          .write_all = fake_write_all,
                                          .look = fake_look};

static inline bool fake_preset(const struct cpu_caps *caps, struct programmed *programmed,
                               uint64_t events)
{
    return pmu_start_from(caps, events, programmed) && pmu_preset(&FAKE_PORT, programmed);
}

static inline struct cpu_caps fake_caps(unsigned version, unsigned gp, unsigned fixed)
{
    struct cpu_caps caps = SKYLAKE;

    caps.pmu_version = version;
    caps.gp_count = gp;
    caps.fixed_map = version < 2 ? 0 : (uint32_t)fake_bits(fixed);
    return caps;
}

#endif
