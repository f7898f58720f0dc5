/* SPDX-License-Identifier: BSD-2-Clause */
/* Energy registers: those of each model, their steps, and their counts in a window. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore.h"

#define UJ        (1ull << 32)
#define J         (1000000 * UJ)
#define UNIT_FAKE (J >> 14) /* fake_rapl() */

static struct uncore uncore;

static const struct uncore_group *find(uint32_t vendor, uint32_t family, uint32_t model)
{
    struct cpu_caps caps = fake_cpu(vendor, family, model);

    memset(&uncore, 0xa5, sizeof(uncore));
    uncore_find(&FAKE_PORT, &caps, &uncore);
    assert_int_equal(fake.writes, 0);
    return uncore_group(&uncore, KIND_ENERGY);
}

/* Steps in 2^-32 uJ with ESU = 14. 0: the model lacks the register, so it must not be read. */
TEST(each_model_has_its_registers)
{
    static const struct {
        uint8_t model;
        uint64_t step[ENERGIES]; /* package, DRAM, cores, graphics */
    } ROWS[] = {{0x2a, {UNIT_FAKE, 0, UNIT_FAKE, UNIT_FAKE}},
                {0x3a, {UNIT_FAKE, 0, UNIT_FAKE, UNIT_FAKE}},
                {0x2d, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, 0}},
                {0x3c, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0x5e, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0x97, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0xb5, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0xc5, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0xc6, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0xbd, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0x96, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0x9c, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, UNIT_FAKE}},
                {0x5f, {UNIT_FAKE, UNIT_FAKE, UNIT_FAKE, 0}},
                {0x86, {UNIT_FAKE, 0, 0, 0}},
                {0x3f, {UNIT_FAKE, J >> 16, 0, 0}},
                {0x4f, {UNIT_FAKE, J >> 16, 0, 0}},
                {0x56, {UNIT_FAKE, J >> 16, 0, 0}},
                {0x55, {UNIT_FAKE, J >> 16, 0, 0}},
                {0x6a, {UNIT_FAKE, J >> 16, 0, 0}},
                {0x57, {UNIT_FAKE, J >> 16, 0, 0}},
                {0x8f, {UNIT_FAKE, UNIT_FAKE, 0, 0}},
                {0x37, {UJ << 14, 0, UJ << 14, 0}},
                {0x4c, {UJ << 14, 0, UJ << 14, 0}}};
    static const uint32_t MSRS[ENERGIES] = {0x611, 0x619, 0x639, 0x641};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct uncore_group *group;

        fake_start();
        fake_rapl();
        for (unsigned k = 0; k < ENERGIES; k++)
            if (ROWS[i].step[k] == 0)
                fake_msr(MSRS[k])->address = 0xffff0000 + k;
        group = find(VENDOR_INTEL, 6, ROWS[i].model);
        for (unsigned k = 0; k < ENERGIES; k++)
            assert_int_equal(fake_msr(0xffff0000 + k)->value, 0);
        assert_int_equal(group->status, STATUS_OK);
        assert_int_equal(group->units, 1);
        assert_int_equal(group->type.width_bits, 32);
        for (unsigned k = 0; k < ENERGIES; k++) {
            assert_int_equal(uncore.energy_step[k], ROWS[i].step[k]);
            assert_int_equal(uncore.energy_msr[k], ROWS[i].step[k] ? MSRS[k] : 0);
        }
    }
}

TEST(no_model_stands_in_two_rows)
{
    static uint8_t rows[256];

    for (unsigned i = 0; i < UNCORE_ENERGY_ROWS; i++) {
        const uint8_t *model = UNCORE_ENERGY[i].model;

        assert_int_equal(model[UNCORE_ENERGY_MODELS - 1], 0);
        for (unsigned k = 0; model[k]; k++) {
            assert_int_equal(UNCORE_ENERGY[i].vendor, VENDOR_INTEL);
            assert_int_equal(UNCORE_ENERGY[i].family, 6);
            assert_int_equal(rows[model[k]]++, 0);
        }
    }
}

/* ESU is bits 12:8 of MSR 606H. */
TEST(a_step_is_as_the_unit_register_says)
{
    for (unsigned esu = 0; esu < 32; esu++) {
        fake_start();
        fake_rapl();
        fake_msr(0x606)->value = 0xf0ffffe0ffull | esu << 8;
        find(VENDOR_INTEL, 6, 0x5e);
        assert_int_equal(uncore.energy_step[ENERGY_PACKAGE], 1000000ull << (32 - esu));
        find(VENDOR_INTEL, 6, 0x37);
        assert_int_equal(uncore.energy_step[ENERGY_PACKAGE], 1ull << (32 + esu));
        find(VENDOR_INTEL, 6, 0x3f);
        assert_int_equal(uncore.energy_step[ENERGY_DRAM], 1000000ull << 16);
    }
}

TEST(zen_has_its_own_registers)
{
    static const uint32_t FAMILIES[] = {0x17, 0x18, 0x19, 0x1a};

    for (size_t i = 0; i < sizeof(FAMILIES) / sizeof(FAMILIES[0]); i++) {
        fake_start();
        fake_add(SPACE_MSR, 0xc0010299, 0);
        fake_msr(0xc0010299)->value = 0xa1003; /* 2^-16 J */
        fake_add(SPACE_MSR, 0xc001029a, 0);
        fake_add(SPACE_MSR, 0xc001029b, 0);
        assert_int_equal(find(VENDOR_AMD, FAMILIES[i], 0x31)->status, STATUS_OK);
        assert_int_equal(fake.absent, 0);
        assert_int_equal(uncore.status, STATUS_UNCORE_UNKNOWN);
        assert_int_equal(uncore.energy_msr[ENERGY_PACKAGE], 0xc001029b);
        assert_int_equal(uncore.energy_msr[ENERGY_CORE], 0xc001029a);
        assert_int_equal(uncore.energy_step[ENERGY_PACKAGE], J >> 16);
        assert_int_equal(uncore.energy_step[ENERGY_CORE], J >> 16);
        assert_int_equal(uncore.energy_step[ENERGY_DRAM] + uncore.energy_msr[ENERGY_DRAM], 0);
    }
}

TEST(models_without_have_no_group)
{
    fake_nehalem();
    assert_null(find(VENDOR_INTEL, 6, 0x1a));
    fake_start();
    assert_null(find(VENDOR_INTEL, 6, 0x4d));
    assert_null(find(VENDOR_AMD, 0x15, 2));
    assert_null(find(VENDOR_AMD, 6, 0x5e));
    assert_int_equal(fake.reads, 0);
    for (unsigned k = 0; k < ENERGIES; k++)
        assert_int_equal(uncore.energy_step[k] + uncore.energy_msr[k], 0);
}

TEST(a_register_that_refuses_is_none)
{
    fake_start();
    fake_rapl();
    fake_msr(0x619)->read_faults = true;
    assert_int_equal(find(VENDOR_INTEL, 6, 0x3c)->status, STATUS_OK);
    assert_int_equal(uncore.energy_step[ENERGY_DRAM] + uncore.energy_msr[ENERGY_DRAM], 0);
    assert_int_equal(uncore.energy_step[ENERGY_CORE], UNIT_FAKE);
    fake_msr(0x606)->read_faults = true;
    assert_int_equal(find(VENDOR_INTEL, 6, 0x3c)->status, STATUS_UNCORE_REFUSED);
    assert_int_equal(uncore.energy_step[ENERGY_CORE], 0);
    fake_msr(0x606)->read_faults = false;
    fake_msr(0x606)->value = 0;
    assert_int_equal(find(VENDOR_INTEL, 6, 0x3c)->status, STATUS_UNCORE_ABSENT);
    assert_int_equal(uncore_group(&uncore, KIND_ENERGY)->units, 0);
    fake_msr(0x606)->value = 0xa0e03;
    for (unsigned msr = 0x611; msr <= 0x641; msr += 8)
        fake_msr(msr)->read_faults = true;
    assert_int_equal(find(VENDOR_INTEL, 6, 0x3c)->status, STATUS_UNCORE_ABSENT);
}

static const struct event EVENT = {
    .scope = SCOPE_UNCORE, .kind = KIND_ENERGY, .counters = 1u << ENERGY_PACKAGE};
static const struct pass PASS_OF_ONE = {
    .slots = 1, .slot = {{.event = 0, .where = SLOT_UNCORE, .counter = ENERGY_PACKAGE}}};

/* These CPUs have no known uncore units. */
TEST(energy_is_counted_without_an_uncore)
{
    static const struct {
        uint32_t vendor, family, model, unit_msr, msr;
    } ROWS[] = {{VENDOR_AMD, 0x19, 0x21, 0xc0010299, 0xc001029b},
                {VENDOR_INTEL, 6, 0x3f, 0x606, 0x611}};
    static struct uncore_held held;
    struct uncore_programmed programmed;
    struct uncore_start start;
    uint64_t raw[SLOTS_MAX];

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        fake_start();
        fake_add(SPACE_MSR, ROWS[i].unit_msr, 0);
        fake_msr(ROWS[i].unit_msr)->value = 0xa1003;
        fake_add(SPACE_MSR, ROWS[i].msr, 0);
        find(ROWS[i].vendor, ROWS[i].family, ROWS[i].model);
        assert_null(uncore.model);
        uncore_take(&FAKE_PORT, &uncore, ~0u, &held);
        assert_int_equal(held.failed, 0);
        uncore_program(&FAKE_PORT, &uncore, &EVENT, &PASS_OF_ONE, 0, &programmed);
        assert_int_equal(programmed.failed, 0);
        assert_true(uncore_open(&FAKE_PORT, &programmed, &start));
        fake_msr(ROWS[i].msr)->value = 77;
        assert_true(uncore_close(&FAKE_PORT, &programmed, &start, raw));
        assert_int_equal(raw[0], 77);
        assert_int_equal(uncore_give_back(&FAKE_PORT, &held).status, STATUS_OK);
        assert_int_equal(fake.writes + held.count, 0);
    }
}

/* Bits above 31 are ignored. */
TEST(a_window_takes_the_difference_modulo_its_width)
{
    static const struct event EVENTS[] = {
        {.scope = SCOPE_UNCORE, .kind = KIND_ENERGY, .counters = 1u << ENERGY_PACKAGE},
        {.scope = SCOPE_UNCORE, .kind = KIND_ENERGY, .counters = 1u << ENERGY_GRAPHICS}};
    static const struct pass PASS = {
        .slots = 2,
        .slot = {{.event = 0, .where = SLOT_UNCORE, .counter = ENERGY_PACKAGE},
                 {.event = 1, .where = SLOT_UNCORE, .counter = ENERGY_GRAPHICS}}};
    static struct uncore_held held;
    struct uncore_programmed programmed;
    struct uncore_start start;
    uint64_t raw[SLOTS_MAX];

    fake_start();
    fake_rapl();
    fake_msr(0x611)->value = 0x1fffffff0;
    fake_msr(0x641)->value = 100;
    find(VENDOR_INTEL, 6, 0x5e);
    uncore_take(&FAKE_PORT, &uncore, ~0u, &held);
    assert_int_equal(held.failed, 0);
    uncore_program(&FAKE_PORT, &uncore, EVENTS, &PASS, 0, &programmed);
    assert_int_equal(programmed.failed, 0);
    assert_true(uncore_open(&FAKE_PORT, &programmed, &start));
    fake_msr(0x611)->value = 0x300000020;
    fake_msr(0x641)->value = 107;
    assert_true(uncore_close(&FAKE_PORT, &programmed, &start, raw));
    assert_int_equal(raw[0], 0x30);
    assert_int_equal(raw[1], 7);
    assert_int_equal(uncore_give_back(&FAKE_PORT, &held).status, STATUS_OK);
    assert_int_equal(fake.writes + held.count, 0);
    uncore.energy_msr[ENERGY_GRAPHICS] = 0;
    fake.reads = 0;
    assert_false(uncore_open(&FAKE_PORT, &programmed, &start));
    assert_int_equal(fake.reads, 1);
}
