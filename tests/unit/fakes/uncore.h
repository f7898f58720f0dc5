/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uncore registers behind a struct uncore_port, with numbers from the manuals. Missing registers
 * and reserved bits raise #GP. In each cycle, an enabled counter grows by the number of its event.
 * Fixed counters, and counters with event 0 or with INV and CMASK = 1, grow by 1.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_UNCORE_H
#define BARECOUNT_TESTS_UNIT_FAKES_UNCORE_H

#include <string.h>

#include "pmu/uncore/models.h"

#define FAKE_REGISTERS 700u
#define FAKE_COUNTERS  200u
#define FAKE_LOG_MAX   2048u
#define FAKE_OPEN_BITS (1ull << 29)              /* EN in the clients' global register */
#define FAKE_FEW       (1ull << 23 | 1ull << 24) /* INV, CMASK = 1 */

struct fake_register {
    uint64_t address, value;
    uint64_t writable; /* other bits are reserved */
    uint64_t stuck;    /* bits that silently ignore writes */
    enum uncore_space space;
    bool read_faults, write_faults;
};

/* Registers are indices into fake.reg; 0: the counter needs no such register. */
struct fake_counter {
    unsigned counter, select, global, box;
    uint64_t enable, width_mask, global_bit, box_freeze, status_bit, pmi;
    bool fixed;
};

static struct {
    struct fake_register reg[FAKE_REGISTERS];
    unsigned regs;
    struct fake_counter counter[FAKE_COUNTERS];
    unsigned counters;
    struct {
        uint64_t address, value;
    } log[FAKE_LOG_MAX];            /* successful writes */
    unsigned reads, writes, absent; /* absent: accesses to missing registers */
    unsigned ill_written;           /* writes to running counters */
    bool window;
    unsigned early; /* writes that left a counter running outside a window */
    enum uncore_fault lie;
    unsigned liar;
    bool sticky; /* for UNCORE_NO_CLEAR; true: a clear has no effect; false: it clears all bits */
    unsigned status, clear, debugctl, core_status, core_clear;
    unsigned core; /* the current core; its bit EN_PMI_COREx lets overflows notify it */
} fake;

static inline unsigned fake_find(enum uncore_space space, uint64_t address)
{
    for (unsigned i = 1; i < fake.regs; i++)
        if (fake.reg[i].space == space && fake.reg[i].address == address)
            return i;
    return 0;
}

static inline struct fake_register *fake_at(enum uncore_space space, uint64_t address)
{
    return &fake.reg[fake_find(space, address)];
}

static inline struct fake_register *fake_msr(uint64_t address)
{
    return fake_at(SPACE_MSR, address);
}

static inline unsigned fake_add(enum uncore_space space, uint64_t address, uint64_t writable)
{
    if (fake.regs == 0)
        fake.regs = 1; /* index 0 means none */
    fake.reg[fake.regs] =
        (struct fake_register){.space = space, .address = address, .writable = writable};
    return fake.regs++;
}

static inline bool fake_lies(unsigned index, enum uncore_fault lie)
{
    return fake.lie == lie && fake.liar == index;
}

static inline bool fake_is_let(const struct fake_counter *counter)
{
    return (!counter->global || fake.reg[counter->global].value & counter->global_bit) &&
           (!counter->box || !(fake.reg[counter->box].value & counter->box_freeze));
}

static inline bool fake_is_open(unsigned index)
{
    const struct fake_counter *counter = &fake.counter[index];
    bool enabled = fake.reg[counter->select].value & counter->enable;

    if (fake_lies(index, UNCORE_SILENT))
        return false;
    return (enabled || fake_lies(index, UNCORE_NO_ENABLE)) &&
           (fake_is_let(counter) || fake_lies(index, UNCORE_RUNS));
}

static inline unsigned fake_open(void)
{
    unsigned open = 0;

    for (unsigned i = 0; i < fake.counters; i++)
        open += fake_is_open(i);
    return open;
}

static inline void fake_overflow(unsigned index)
{
    const struct fake_counter *counter = &fake.counter[index];
    uint64_t global = fake.reg[counter->global].value;

    if (!fake.status)
        return;
    if (!fake_lies(index, UNCORE_NO_STATUS))
        fake.reg[fake.status].value |= counter->status_bit | 1ull << 63;
    if (!(fake.reg[counter->select].value & counter->pmi))
        return;
    fake.reg[fake.status].value |= 1ull << 61;
    if (global >> (48 + fake.core) & 1 && fake.reg[fake.debugctl].value >> 13 & 1 &&
        !fake_lies(index, UNCORE_NO_PMI))
        fake.reg[fake.core_status].value |= 1ull << 61;
    if (global >> 63 && !fake_lies(index, UNCORE_NO_FREEZE))
        fake.reg[counter->global].value = 0;
}

/* An overflow takes effect in the same cycle, and may stop all counters. */
static inline void fake_pass(unsigned cycles)
{
    while (cycles-- > 0)
        for (unsigned i = 0; i < fake.counters; i++) {
            const struct fake_counter *counter = &fake.counter[i];
            uint64_t select = fake.reg[counter->select].value;
            uint64_t *value = &fake.reg[counter->counter].value, was = *value;
            bool is_clock = counter->fixed || (select & FAKE_FEW) == FAKE_FEW || !(select & 0xff);
            uint64_t step = is_clock ? 1 : select & 0xff;

            if (!fake_is_open(i))
                continue;
            *value = (was + step) & counter->width_mask;
            if (*value < was)
                fake_overflow(i);
        }
}

static inline bool fake_read(void *context, enum uncore_space space, uint64_t address,
                             unsigned bytes, uint64_t *value)
{
    struct fake_register *reg = fake_at(space, address);

    (void)context;
    (void)bytes;
    fake.reads++;
    fake.absent += reg == fake.reg;
    if (reg == fake.reg || reg->read_faults)
        return false;
    *value = reg->value;
    return true;
}

static inline void fake_set_counter(struct fake_register *reg, uint64_t value)
{
    for (unsigned i = 0; i < fake.counters; i++)
        if (&fake.reg[fake.counter[i].counter] == reg) {
            fake.ill_written += fake_is_open(i) && fake.lie == UNCORE_RIGHT;
            if (fake_lies(i, UNCORE_STUCK))
                value &= ~1ull;
        }
    reg->value = (value & ~reg->stuck) | (reg->value & reg->stuck);
}

static inline void fake_clear(uint64_t value)
{
    if (fake.lie == UNCORE_NO_CLEAR && value & fake.counter[fake.liar].status_bit)
        value = fake.sticky ? 0 : ~0ull;
    fake.reg[fake.status].value &= ~value;
}

static inline bool fake_write(void *context, enum uncore_space space, uint64_t address,
                              unsigned bytes, uint64_t value)
{
    unsigned index = fake_find(space, address);
    struct fake_register *reg = &fake.reg[index];

    (void)context;
    (void)bytes;
    fake.absent += !index;
    if (!index || reg->write_faults || value & ~reg->writable)
        return false;
    if (fake.writes < FAKE_LOG_MAX) {
        fake.log[fake.writes].address = address;
        fake.log[fake.writes].value = value;
    }
    fake.writes++;
    if (index == fake.clear)
        fake_clear(value);
    else if (index == fake.core_clear)
        fake.reg[fake.core_status].value &= ~value;
    else
        fake_set_counter(reg, value);
    fake.early += !fake.window && fake_open() > 0;
    return true;
}

static const struct uncore_port FAKE_PORT = {.read = fake_read, .write = fake_write};

static inline void fake_delay(void *context, unsigned us)
{
    (void)context;
    fake_pass(us);
}

static inline void fake_start(void)
{
    memset(&fake, 0, sizeof(fake));
    fake_add(SPACE_MSR, 0x1d9, 0x7fff); /* IA32_DEBUGCTL */
    fake.debugctl = fake.regs - 1;
    fake.core_status = fake_add(SPACE_MSR, 0x38e, 0);
    fake.core_clear = fake_add(SPACE_MSR, 0x390, 7ull << 61);
}

static inline void fake_add_counter(struct fake_counter counter)
{
    fake.counter[fake.counters++] = counter;
}

/* SDM vol. 3B, "Uncore Performance Monitoring Facility": eight counters and a clock. */
static inline void fake_nehalem(void)
{
    uint64_t mask = (1ull << 48) - 1, counters = 0xffull | 1ull << 32;
    unsigned global;

    fake_start();
    global = fake_add(SPACE_MSR, 0x391, counters | 0xfull << 48 | 1ull << 63);
    fake.status = fake_add(SPACE_MSR, 0x392, 0);
    fake.clear = fake_add(SPACE_MSR, 0x393, counters | 5ull << 61);
    fake_add(SPACE_MSR, 0x396, ~0ull);
    for (unsigned i = 0; i < 8; i++)
        fake_add_counter((struct fake_counter){.counter = fake_add(SPACE_MSR, 0x3b0 + i, mask),
                                               .select = fake_add(SPACE_MSR, 0x3c0 + i, 0xffd6ffff),
                                               .global = global,
                                               .global_bit = 1ull << i,
                                               .enable = 1ull << 22,
                                               .width_mask = mask,
                                               .status_bit = 1ull << i,
                                               .pmi = 1ull << 20});
    fake_add_counter((struct fake_counter){.counter = fake_add(SPACE_MSR, 0x394, mask),
                                           .select = fake_add(SPACE_MSR, 0x395, 5),
                                           .global = global,
                                           .global_bit = 1ull << 32,
                                           .enable = 1,
                                           .width_mask = mask,
                                           .status_bit = 1ull << 32,
                                           .pmi = 1ull << 2,
                                           .fixed = true});
}

static inline void fake_client_unit(unsigned global, uint64_t select, uint64_t counter,
                                    unsigned counters, uint64_t cmask)
{
    uint64_t mask = (1ull << 44) - 1;

    for (unsigned i = 0; i < counters; i++)
        fake_add_counter(
            (struct fake_counter){.counter = fake_add(SPACE_MSR, counter + i, mask),
                                  .select = fake_add(SPACE_MSR, select + i, 0xd4ffff | cmask),
                                  .global = global,
                                  .global_bit = FAKE_OPEN_BITS,
                                  .enable = 1ull << 22,
                                  .width_mask = mask});
}

/* The RAPL registers: units, then the energy of package, DRAM, cores and graphics in 2^-14 J. */
static inline void fake_rapl(void)
{
    fake_add(SPACE_MSR, 0x606, 0);
    fake_msr(0x606)->value = 0xa0e03;
    fake_add(SPACE_MSR, 0x611, 0);
    fake_add(SPACE_MSR, 0x619, 0);
    fake_add(SPACE_MSR, 0x639, 0);
    fake_add(SPACE_MSR, 0x641, 0);
}

/* Returns the index of the global register. From Skylake on, the clock has 44 bits (SDM). */
static inline unsigned fake_client(uint64_t global_msr, uint64_t control, uint64_t counter,
                                   uint64_t cbo_config)
{
    const uint64_t mask = (1ull << (global_msr == 0x391 ? 48 : 44)) - 1;
    unsigned global;

    fake_start();
    global = fake_add(SPACE_MSR, global_msr, 7ull << 29 | 0x1f);
    fake_add(SPACE_MSR, 0x396, 0);
    fake_msr(0x396)->value = cbo_config;
    fake_rapl();
    fake_add_counter((struct fake_counter){.counter = fake_add(SPACE_MSR, counter, mask),
                                           .select = fake_add(SPACE_MSR, control, 5ull << 20),
                                           .global = global,
                                           .global_bit = FAKE_OPEN_BITS,
                                           .enable = 1ull << 22,
                                           .width_mask = mask,
                                           .fixed = true});
    return global;
}

static inline void fake_sandy_bridge(unsigned slices)
{
    unsigned global = fake_client(0x391, 0x394, 0x395, slices + 1);

    for (unsigned i = 0; i < slices; i++)
        fake_client_unit(global, 0x700 + 0x10 * i, 0x706 + 0x10 * i, 2, 0x1f000000);
    fake_client_unit(global, 0x3b2, 0x3b0, 2, 0x1f000000);
}

static inline struct cpu_caps fake_cpu(uint32_t vendor, uint32_t family, uint32_t model)
{
    return (struct cpu_caps){.vendor = vendor, .family = family, .model = model};
}

#endif
