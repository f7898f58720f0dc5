/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units with a control register, with filters, with counters that are read in halves, and with
 * free-running counters.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore_run.h"
#include "pmu/uncore/parts.h"

#define UNITS   3u
#define CHANNEL 0x16650000ull /* the first of the channels, which are 1000H apart */
#define BOX     0xf4u
#define SELECT0 0xd8u
#define COUNT0  0xa0u
#define CHA     0xe00ull
#define FREE    0xfed15000ull
#define RUN     0x30000ull
#define FREEZE  0x30100ull
#define FIELDS  0xff8cffffull
#define MASK48  ((1ull << 48) - 1)

/* In PCI space, a counter of eight bytes is accessed at two addresses, four bytes apart. */
static struct fake_register *whole_of(enum uncore_space space, uint64_t address, unsigned *shift)
{
    bool is_high = space == SPACE_PCI && !fake_find(space, address);

    *shift = is_high ? 32 : 0;
    return fake_at(space, is_high ? address - 4 : address);
}

static bool box_read(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                     uint64_t *value)
{
    unsigned shift;
    struct fake_register *reg = whole_of(space, address, &shift);

    if (!fake_read(context, reg->space, reg->address, bytes, value))
        return false;
    assert_true(bytes == 4 || space != SPACE_PCI);
    if (space == SPACE_PCI)
        *value = *value >> shift & 0xffffffff;
    return true;
}

static bool box_write(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                      uint64_t value)
{
    unsigned shift;
    struct fake_register *reg = whole_of(space, address, &shift);

    assert_true(bytes == 4 || space != SPACE_PCI);
    if (space == SPACE_PCI)
        value = (value & 0xffffffff) << shift | (reg->value & ~(0xffffffffull << shift));
    return fake_write(context, reg->space, reg->address, bytes, value);
}

static const struct uncore_port PORT = {.read = box_read, .write = box_write, .has_pci = true};

static const struct uncore_type CHANNELS = {.kind = KIND_IMC,
                                            .space = SPACE_PCI,
                                            .style = STYLE_SELECT,
                                            .counters = 2,
                                            .width_bits = 48,
                                            .select_bytes = 4,
                                            .counter_bytes = 8,
                                            .has_box = 1,
                                            .select = SELECT0,
                                            .select_step = 4,
                                            .counter = COUNT0,
                                            .counter_step = 8,
                                            .box = BOX,
                                            .enable = EN,
                                            .fields = FIELDS,
                                            .cycles = 1,
                                            .box_run = RUN,
                                            .box_freeze = FREEZE};
static const struct uncore_type SLICES = {.kind = KIND_CHA,
                                          .space = SPACE_MSR,
                                          .style = STYLE_SELECT,
                                          .counters = 2,
                                          .width_bits = 48,
                                          .select_bytes = 8,
                                          .counter_bytes = 8,
                                          .has_box = 1,
                                          .select = 1,
                                          .select_step = 1,
                                          .counter = 8,
                                          .counter_step = 1,
                                          .extra = {5, 6},
                                          .extra_rest = {0, 0x3b},
                                          .enable = EN,
                                          .fields = FIELDS,
                                          .clock_is_0 = 1,
                                          .box_run = RUN,
                                          .box_freeze = FREEZE};
static const struct uncore_type FREE_RUNNING = {.kind = KIND_IMC_FREE,
                                                .space = SPACE_MMIO,
                                                .style = STYLE_FREE,
                                                .counters = 2,
                                                .width_bits = 48,
                                                .counter_bytes = 8,
                                                .counter = 0x50,
                                                .counter_step = 0x48};

static void add_group(const struct uncore_type *type, uint64_t first, uint64_t step)
{
    struct uncore_group *group = &uncore.group[uncore.groups++];

    group->type = *type;
    group->units = UNITS;
    group->status = STATUS_OK;
    for (unsigned i = 0; i < UNITS; i++)
        group->unit[i] = first + step * i;
}

static void add_box(const struct uncore_type *type, uint64_t unit)
{
    enum uncore_space space = (enum uncore_space)type->space;
    unsigned box = fake_add(space, unit + (uint64_t)type->box, 0x30103);

    fake.reg[box].value = 0x30000;
    for (unsigned i = 0; i < 2; i++)
        fake_add_counter((struct fake_counter){
            .counter = fake_add(
                space, unit + (uint64_t)type->counter + (uint64_t)type->counter_step * i, MASK48),
            .select =
                fake_add(space, unit + (uint64_t)type->select + (uint64_t)type->select_step * i,
                         FIELDS | EN),
            .box = box,
            .box_freeze = 1ull << 8,
            .enable = EN,
            .width_mask = MASK48});
}

static void server(void)
{
    static const struct uncore_model MODEL = {.name = "server"};

    fake_start();
    memset(&uncore, 0, sizeof(uncore));
    uncore.model = &MODEL;
    add_group(&CHANNELS, CHANNEL, 0x1000);
    add_group(&SLICES, CHA, 0x10);
    add_group(&FREE_RUNNING, FREE, 0x4000);
    for (unsigned i = 0; i < UNITS; i++) {
        add_box(&CHANNELS, CHANNEL + 0x1000 * i);
        add_box(&SLICES, CHA + 0x10 * i);
        fake_add(SPACE_MSR, CHA + 0x10 * i + 5, ~0ull);
        fake_add(SPACE_MSR, CHA + 0x10 * i + 6, ~0ull);
        fake_add(SPACE_MMIO, FREE + 0x4000 * i + 0x50, 0);
        fake_add(SPACE_MMIO, FREE + 0x4000 * i + 0x98, 0);
    }
    add_group(&UBOX, 0, 0);
    uncore.group[3].units = 1;
    add_ubox();
    for (unsigned i = 0; i < fake.counters; i++)
        fake.reg[fake.counter[i].counter].value = 0x7edcba987654 + i;
    no_events();
}

BEFORE_EACH(server);

static void let_free_counters_run(uint64_t lines)
{
    for (unsigned i = 0; i < UNITS; i++) {
        struct fake_register *reads = fake_at(SPACE_MMIO, FREE + 0x4000 * i + 0x50);

        reads->value = (reads->value + lines * (i + 1)) & MASK48;
    }
}

TEST(all_units_count_and_are_summed)
{
    fake_at(SPACE_PCI, CHANNEL + SELECT0)->value = 0x400304;
    fake_msr(CHA + 1)->value = 0x400011;
    fake_msr(CHA)->value = 0x30100; /* in use, but frozen */
    memcpy(before, fake.reg, sizeof(before));
    uncore_take(&PORT, &uncore, ALL_KINDS, &held);
    assert_int_equal(held.left_running, 1);
    count(KIND_IMC, 0x304, 1);
    count(KIND_CHA, 0x11, 0)->extra_msr = CHA + 5;
    event[1].extra = 0x1e20000;
    count(KIND_IMC_FREE, 0, 0);
    count(KIND_CLOCK, 0, 0);
    fake_at(SPACE_MMIO, FREE + 0x50)->value = MASK48 - 3;
    uncore_program(&PORT, &uncore, event, &pass, 0, &programmed);
    assert_int_equal(fake_open() + fake.early + fake.absent + held.failed + programmed.failed, 0);
    for (unsigned i = 0; i < UNITS; i++) {
        assert_int_equal(fake_msr(CHA + 0x10 * i + 5)->value, 0x1e20000);
        assert_int_equal(fake_msr(CHA + 0x10 * i + 6)->value, 0x3b);
    }
    fake.window = true;
    fake.writes = 0;
    assert_true(uncore_open(&PORT, &programmed, &start));
    assert_int_equal(fake.writes, 2 * UNITS + 1);
    assert_int_equal(fake_open(), 2 * UNITS + 1);
    fake_pass(10);
    let_free_counters_run(100);
    assert_true(uncore_close(&PORT, &programmed, &start, raw));
    fake.window = false;
    assert_int_equal(fake_open(), 0);
    assert_int_equal(raw[0], UNITS * 10 * 4);
    assert_int_equal(raw[1], UNITS * 10 * 0x11);
    assert_int_equal(raw[2], 100 + 200 + 300);
    assert_int_equal(raw[3], 10);
    assert_int_equal(uncore_give_back(&PORT, &held).status, STATUS_OK);
    for (unsigned i = 1; i < fake.regs; i++)
        if (fake.reg[i].space != SPACE_MMIO)
            assert_int_equal(fake.reg[i].value, before[i].value);
    assert_int_equal(fake.absent + fake.ill_written, 0);
}

/*
 * A counter of 64 bits, as on Tiger Lake, wraps in the window. The count of 2^63 needs all 64 bits.
 */
TEST(free_counters_of_64_bits)
{
    struct fake_register *reads = fake_at(SPACE_MMIO, FREE + 0x50);

    uncore.group[2].type.width_bits = 64;
    count(KIND_IMC_FREE, 0, 0);
    uncore_program(&PORT, &uncore, event, &pass, 0, &programmed);
    reads->value = UINT64_MAX - 3;
    assert_true(uncore_open(&PORT, &programmed, &start));
    reads->value += 1ull << 63;
    assert_true(uncore_close(&PORT, &programmed, &start, raw));
    assert_true(raw[0] == 1ull << 63);
}

TEST(the_global_register_is_not_theirs)
{
    static const struct uncore_model MODEL = {.global = {.msr = 0x700, .all = 1}};
    static const struct uncore_type FREE_MSR = {
        .space = SPACE_MSR, .style = STYLE_FREE, .counters = 1};

    uncore.model = &MODEL;
    uncore.groups = 3;
    uncore_take(&PORT, &uncore, ALL_KINDS, &held);
    count(KIND_CHA, 0x11, 0);
    uncore_program(&PORT, &uncore, event, &pass, 0, &programmed);
    assert_int_equal(programmed.global | programmed.failed, 0);
    assert_int_equal(uncore_global_bits(&MODEL, &FREE_MSR, ~0u), 0);
    assert_int_equal(fake.absent, 0);
}

TEST(lies_of_units_are_told)
{
    static struct uncore_record record;
    static const unsigned LIES[] = {UNCORE_RIGHT, UNCORE_STUCK, UNCORE_SILENT, UNCORE_RUNS,
                                    UNCORE_NO_ENABLE};

    for (size_t l = 0; l < sizeof(LIES) / sizeof(LIES[0]); l++)
        for (unsigned liar = 0; liar < 4 * UNITS; liar++) {
            bool is_channel = liar % 4 < 2;

            server();
            fake.lie = (enum uncore_fault)LIES[l];
            fake.liar = liar;
            fake.window = true;
            uncore_describe(&uncore, &record);
            uncore_take(&PORT, &uncore, ALL_KINDS, &held);
            uncore_check(&PORT, &uncore, ALL_KINDS, fake_delay, NULL, &record);
            assert_int_equal(record.group[0].fault, is_channel ? LIES[l] : UNCORE_RIGHT);
            assert_int_equal(record.group[1].fault, is_channel ? UNCORE_RIGHT : LIES[l]);
            assert_int_equal(record.group[2].fault, UNCORE_UNTESTED);
            assert_int_equal(record.group[3].fault, UNCORE_RIGHT);
            if (LIES[l] == UNCORE_RIGHT)
                continue;
            assert_int_equal(record.group[!is_channel].fault_unit, liar / 4);
            assert_int_equal(record.group[!is_channel].fault_counter, liar % 2);
        }
}

TEST(a_counter_that_opens_itself_is_tested)
{
    static struct uncore_record record;
    /*
     * Each row: the counter's defect, and the defect that is reported. Only the enable bit stops
     * this counter, so a counter that ignores the bit is reported as running.
     */
    static const unsigned LIES[][2] = {{UNCORE_RIGHT, UNCORE_RIGHT},
                                       {UNCORE_STUCK, UNCORE_STUCK},
                                       {UNCORE_SILENT, UNCORE_SILENT},
                                       {UNCORE_NO_ENABLE, UNCORE_RUNS}};

    for (size_t l = 0; l < sizeof(LIES) / sizeof(LIES[0]); l++) {
        server();
        fake.lie = (enum uncore_fault)LIES[l][0];
        fake.liar = 4 * UNITS;
        uncore_describe(&uncore, &record);
        uncore_take(&PORT, &uncore, ALL_KINDS, &held);
        fake.window = true;
        uncore_check(&PORT, &uncore, ALL_KINDS, fake_delay, NULL, &record);
        assert_int_equal(record.group[3].fault, LIES[l][1]);
        assert_int_equal(fake.ill_written, 0);
        assert_int_equal(record.group[0].fault, UNCORE_RIGHT);
    }
}

TEST(a_filter_that_is_not_kept_is_told)
{
    const struct uncore_error *error = &programmed.error[1];

    uncore_take(&PORT, &uncore, ALL_KINDS, &held);
    count(KIND_CHA, 0x11, 0)->extra_msr = CHA + 5;
    event[0].extra = 7;
    fake_msr(CHA + 0x25)->stuck = 4;
    uncore_program(&PORT, &uncore, event, &pass, 0, &programmed);
    assert_int_equal(error->status, STATUS_UNCORE_KEPT);
    assert_int_equal(error->address, CHA + 0x25);
    assert_int_equal(error->read, 3);
}
