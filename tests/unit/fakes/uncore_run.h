/* SPDX-License-Identifier: BSD-2-Clause */
/* A package that other software may use. Tests take it over, program it and give it back. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_UNCORE_RUN_H
#define BARECOUNT_TESTS_UNIT_FAKES_UNCORE_RUN_H

#include "tests/unit/fakes/uncore.h"

#define ALL_KINDS ~0u
#define SELECT    0x00840102ull /* INV, edge, unit mask 1, event 2 */
#define EN        (1ull << 22)

/* UBOX's clock is enabled by its own bit EN, without a unit control or a global register. */
static const struct uncore_type UBOX = {.kind = KIND_CLOCK,
                                        .space = SPACE_MSR,
                                        .style = STYLE_FIXED,
                                        .counters = 1,
                                        .width_bits = 48,
                                        .select_bytes = 8,
                                        .counter_bytes = 8,
                                        .select = 0x703,
                                        .counter = 0x704,
                                        .enable = EN};

static struct uncore uncore;
static struct uncore_held held;
static struct uncore_programmed programmed;
static struct uncore_start start;
static struct event event[16];
static struct pass pass;
static uint64_t raw[SLOTS_MAX];
static struct fake_register before[FAKE_REGISTERS];

static inline void find(uint32_t model)
{
    struct cpu_caps caps = fake_cpu(VENDOR_INTEL, 6, model);

    uncore_find(&FAKE_PORT, &caps, &uncore);
}

static inline void no_events(void)
{
    memset(event, 0, sizeof(event));
    memset(&pass, 0, sizeof(pass));
    memset(raw, 0xee, sizeof(raw));
}

static inline struct event *count(enum uncore_kind kind, uint64_t select, unsigned counter)
{
    struct event *next = &event[pass.slots];

    *next = (struct event){.scope = SCOPE_UNCORE, .kind = kind, .select = select};
    pass.slot[pass.slots] = (struct slot){
        .event = (uint16_t)pass.slots, .where = SLOT_UNCORE, .counter = (uint8_t)counter};
    pass.slots++;
    return next;
}

static inline struct uncore_error first_of(const struct uncore_error error[UNCORE_GROUPS_MAX])
{
    unsigned i = 0;

    while (i + 1 < UNCORE_GROUPS_MAX && error[i].status == STATUS_OK)
        i++;
    return error[i];
}

static inline enum status program(void)
{
    uncore_program(&FAKE_PORT, &uncore, event, &pass, 0, &programmed);
    return (enum status)first_of(programmed.error).status;
}

static inline struct uncore_error program_error(void)
{
    program();
    return first_of(programmed.error);
}

static inline bool window_opens(void)
{
    return uncore_open(&FAKE_PORT, &programmed, &start);
}

static inline bool window_closes(void)
{
    return uncore_close(&FAKE_PORT, &programmed, &start, raw);
}

static inline void window(unsigned cycles)
{
    fake.window = true;
    assert_true(window_opens());
    fake_pass(cycles);
    assert_true(window_closes());
}

static inline void run(unsigned cycles)
{
    assert_int_equal(program(), STATUS_OK);
    window(cycles);
    fake.window = false;
    fake_pass(7);
}

static inline void take(uint32_t kinds)
{
    uncore_take(&FAKE_PORT, &uncore, kinds, &held);
    assert_int_equal(held.failed, 0);
}

static inline void add_ubox(void)
{
    const uint64_t mask = (1ull << UBOX.width_bits) - 1;

    fake_add_counter((struct fake_counter){.counter = fake_add(SPACE_MSR, 0x704, mask),
                                           .select = fake_add(SPACE_MSR, 0x703, EN),
                                           .enable = EN,
                                           .width_mask = mask,
                                           .fixed = true});
}

/* The registers as other software might leave them. `running`: the counters are enabled. */
static inline void somebody_was_here(bool running)
{
    for (unsigned i = 0; i < fake.counters; i++) {
        fake.reg[fake.counter[i].counter].value = 0x123456789ab ^ i;
        fake.reg[fake.counter[i].select].value =
            fake.reg[fake.counter[i].select].writable & (running ? ~0ull : ~fake.counter[i].enable);
        fake.reg[fake.counter[i].global].value = running ? fake.counter[i].global_bit : 0;
    }
    fake_msr(0x396)->value = fake_msr(0x396)->writable ? 0x77 : fake_msr(0x396)->value;
}

static inline void nehalem(bool running)
{
    fake_nehalem();
    somebody_was_here(running);
    find(0x1a);
    no_events();
}

static inline void nehalem_taken(void)
{
    nehalem(false);
    take(ALL_KINDS);
}

static inline void sandy_bridge_taken(unsigned slices)
{
    fake_sandy_bridge(slices);
    find(0x2a);
    no_events();
    take(ALL_KINDS);
}

#endif
