/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of servers' units. A unit's control is write-only, and its reset bits must never be set. In
 * PCI and MMIO space, a control has 32 bits and is next to the status register. On Sapphire Rapids,
 * a select has no enable bit, so a counter counts whenever its select names an event.
 */
#include "tests/unit/test.h"
#include "tests/unit/fakes/discovery.h"

#define UNITS_MAX 16u
#define COUNTERS  4u
#define CHAS      3u

static struct unit {
    uint64_t control, select, counter; /* addresses of the first registers */
    uint64_t step, counter_step;
    uint64_t freeze, always, reset; /* bits of the control: FRZ, bits that are always 1, RST */
    uint64_t enable;                /* bit EN of a select; 0: any event enables the counter */
    enum uncore_space space;
    bool frozen;
    uint64_t only; /* the only event and unit mask that count; 0: all */
} unit[UNITS_MAX];
static unsigned units_known;
static unsigned wrong; /* forbidden writes */

static struct uncore_held held;
static struct event event[2];
static struct pass pass;

static uint64_t peek(enum uncore_space space, uint64_t address)
{
    uint64_t value = 0;

    assert_true(fake_look(space, address, &value));
    return value;
}

static void poke(enum uncore_space space, uint64_t address, uint64_t value)
{
    for (unsigned i = fake.spots; i-- > 0;)
        if (fake.spot[i].space == space && fake.spot[i].address == address) {
            fake.spot[i].value = value;
            return;
        }
    fake_set(space, address, value);
}

static void advance(uint64_t cycles)
{
    for (unsigned i = 0; i < units_known; i++)
        for (unsigned k = 0; k < COUNTERS; k++) {
            uint64_t select = peek(unit[i].space, unit[i].select + k * unit[i].step);
            uint64_t at = unit[i].counter + k * unit[i].counter_step;
            uint64_t enable = unit[i].enable ? unit[i].enable : 0xff;

            if (unit[i].only && unit[i].only != (select & 0xffff))
                continue;
            if (!unit[i].frozen && select & enable)
                poke(unit[i].space, at, peek(unit[i].space, at) + cycles * (select & 0xff));
        }
}

/* Control registers do not store what is written to them. */
static bool use(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                uint64_t value)
{
    (void)context;
    for (unsigned i = 0; i < units_known; i++) {
        if (space != unit[i].space)
            continue;
        if (address == unit[i].control) {
            wrong += value & unit[i].reset || (value != 0 && ~value & unit[i].always);
            wrong += bytes != (space == SPACE_MSR ? 8 : 4);
            unit[i].frozen = (value & unit[i].freeze) != 0;
            return true;
        }
        wrong += space != SPACE_MSR && address == unit[i].control + 4;
    }
    if (space == SPACE_MSR && !fake_look(space, address, &(uint64_t){0}))
        return false;
    poke(space, address, value);
    return true;
}

static void know(struct unit known)
{
    unit[units_known++] = known;
    for (unsigned k = 0; k < COUNTERS; k++) {
        poke(known.space, known.select + k * known.step, 0);
        poke(known.space, known.counter + k * known.counter_step, 0x1000 * k);
    }
}

static void find(unsigned model)
{
    struct cpu_caps caps = {.vendor = VENDOR_INTEL, .family = 6, .model = model};

    fake_port.write = use;
    uncore_find(&fake_port, &caps, &found);
    memset(&pass, 0, sizeof(pass));
    wrong = 0;
}

static void skylake(void)
{
    fake_start();
    units_known = 0;
    fake_ubox(0, 8, 0x2014, 0, 0x00fac688);
    fake_set(SPACE_PCI, fake_device(0x17, 0x1e, 3, 0x2083) + 0x9c, (1u << CHAS) - 1);
    fake_device(0x3a, 0x0a, 2, 0x2042);
    fake_region(SPACE_MSR, 0xe00, 0xe00 + 0x10 * CHAS, 0);
    for (unsigned i = 0; i < CHAS; i++) {
        uint64_t cha = 0xe00 + 0x10 * i;

        know((struct unit){cha, cha + 1, cha + 8, 1, 1, 1u << 8, 3u << 16, 3, 1u << 22, SPACE_MSR,
                           false, 0});
    }
    know((struct unit){0x3a520f4, 0x3a520d8, 0x3a520a0, 4, 8, 1u << 8, 3u << 16, 3, 1u << 22,
                       SPACE_PCI, false, 0});
    find(0x55);
}

static void sapphire(void)
{
    start();
    units_known = 0;
    for (unsigned i = 0; i < 6; i++) {
        uint64_t cha = 0x2000 + 0x10 * i;

        know((struct unit){cha, cha + 2, cha + 8, 1, 1, 1, 0, 3u << 8, 0, SPACE_MSR, false, 0});
    }
    know((struct unit){0x260438, 0x260468, 0x260440, 8, 8, 1, 0, 3u << 8, 0, SPACE_PCI, false, 0});
    find(SAPPHIRE);
}

static void count(unsigned slot, enum uncore_kind kind, uint64_t select, unsigned counter)
{
    event[slot] = (struct event){.select = select, .kind = kind, .scope = SCOPE_UNCORE};
    pass.slot[pass.slots++] =
        (struct slot){.event = (uint16_t)slot, .where = SLOT_UNCORE, .counter = (uint8_t)counter};
}

static void run(uint64_t *raw)
{
    static struct uncore_programmed programmed;
    static struct uncore_start begun;

    uncore_program(&fake_port, &found, event, &pass, 0, &programmed);
    assert_int_equal(programmed.failed, 0);
    advance(7);
    assert_true(uncore_open(&fake_port, &programmed, &begun));
    advance(100);
    assert_true(uncore_close(&fake_port, &programmed, &begun, raw));
    advance(7);
}

static void take(uint32_t kinds, unsigned left_running)
{
    uncore_take(&fake_port, &found, kinds, &held);
    assert_int_equal(held.failed, 0);
    assert_int_equal(held.left_running, left_running);
    for (unsigned i = 0; i < units_known; i++)
        assert_true(unit[i].frozen);
}

TEST(skylake_counts)
{
    uint64_t raw[2];

    skylake();
    poke(SPACE_MSR, 0xe12, 0x400035); /* in use */
    take(1u << KIND_CHA | 1u << KIND_IMC, 1);
    count(0, KIND_CHA, 0x1134, 0);
    count(1, KIND_IMC, 0x0304, 3);
    run(raw);
    assert_int_equal(raw[0], CHAS * 100 * 0x34);
    assert_int_equal(raw[1], 100 * 0x04);
    assert_int_equal(uncore_give_back(&fake_port, &held).status, STATUS_OK);
    assert_int_equal(wrong, 0);
    assert_int_equal(peek(SPACE_MSR, 0xe12), 0x400035);
    assert_int_equal(peek(SPACE_PCI, 0x3a520b8), 0x3000);
    for (unsigned i = 0; i < units_known; i++)
        assert_false(unit[i].frozen);
}

TEST(sapphire_counts)
{
    uint64_t raw[2];

    sapphire();
    poke(SPACE_MSR, 0x2023, 0x35);
    poke(SPACE_PCI, 0x26043c, 0xf); /* the status register; writing ones clears it */
    take(1u << KIND_CHA | 1u << KIND_M2M, 1);
    count(0, KIND_CHA, 0x100000134ull, 1);
    count(1, KIND_M2M, 0x300000037ull, 2);
    run(raw);
    assert_int_equal(raw[0], 6 * 100 * 0x34);
    assert_int_equal(raw[1], 100 * 0x37);
    assert_int_equal(uncore_give_back(&fake_port, &held).status, STATUS_OK);
    assert_int_equal(wrong, 0);
    assert_int_equal(peek(SPACE_MSR, 0x2023), 0x35);
    assert_int_equal(peek(SPACE_PCI, 0x26043c), 0xf);
}

static void wait(void *context, unsigned us)
{
    (void)context;
    advance(us);
}

/* M2M gets a cycle event, so that the test counts cycles in a unit on PCI. */
TEST(sapphire_is_right)
{
    static struct uncore_record record;

    sapphire();
    for (unsigned i = 0; i < found.groups; i++)
        if (found.group[i].type.kind == KIND_M2M)
            found.group[i].type.cycles = 1;
    take(1u << KIND_CHA | 1u << KIND_M2M, 0);
    uncore_describe(&found, &record);
    uncore_check(&fake_port, &found, 1u << KIND_CHA | 1u << KIND_M2M, wait, NULL, &record);
    for (unsigned i = 0; i < record.groups; i++)
        if (record.group[i].kind == KIND_CHA || record.group[i].kind == KIND_M2M)
            assert_string_equal(uncore_fault_text(record.group[i].fault),
                                uncore_fault_text(UNCORE_RIGHT));
    assert_int_equal(wrong, 0);
}

/*
 * Channel `silent` does not count UNC_M_CLOCKTICKS (event 01H, unit mask 01H in
 * sapphirerapids_uncore.json and the files of later models). There is no channel 4, so with
 * `silent` = 4 all channels count this event.
 */
TEST(channels_are_tested)
{
    static struct uncore_record record;

    for (unsigned silent = 0; silent <= 4; silent++) {
        sapphire();
        for (unsigned i = 0; i < 4; i++) {
            uint64_t imc = MEMORY + 0x8000 * i;

            know((struct unit){imc, imc + 0x40, imc + 8, 4, 8, 1, 0, 3u << 8, 0, SPACE_MMIO, false,
                               i == silent ? 0x304 : 0x101});
        }
        take(1u << KIND_CHA | 1u << KIND_M2M | 1u << KIND_IMC, 0);
        uncore_describe(&found, &record);
        uncore_check(&fake_port, &found, 1u << KIND_IMC, wait, NULL, &record);
        assert_int_equal(record.group[1].kind, KIND_IMC);
        assert_string_equal(uncore_fault_text(record.group[1].fault),
                            uncore_fault_text(silent < 4 ? UNCORE_SILENT : UNCORE_RIGHT));
        assert_int_equal(record.group[1].fault_unit, silent < 4 ? silent : 0);
        assert_int_equal(wrong, 0);
    }
}
