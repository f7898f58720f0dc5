/* SPDX-License-Identifier: BSD-2-Clause */
/* The discovery table of Sapphire Rapids and later, valid and with each field corrupted. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/discovery.h"

static void expect_slices(unsigned model, unsigned slices)
{
    fake_find(model, 0);
    fake_units(KIND_CHA, slices);
}

TEST(whole)
{
    const struct uncore_group *group;

    start();
    fake_find(SAPPHIRE, 0);
    group = fake_units(KIND_CHA, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(group->unit[i], 0x2000 + 0x10 * i);
    assert_int_equal(group->type.space, SPACE_MSR);
    assert_int_equal(group->type.select + 3 * group->type.select_step, 5);
    assert_int_equal(group->type.counter + 3 * group->type.counter_step, 11);
    assert_int_equal(group->type.box_freeze, 1);
    group = fake_units(KIND_IMC, 4);
    assert_int_equal(group->unit[3], MEMORY + 0x18000);
    assert_int_equal(group->type.space, SPACE_MMIO);
    assert_int_equal(group->type.select_bytes, 4);
    assert_int_equal(group->type.select + 3 * group->type.select_step, 0x4c);
    assert_int_equal(group->type.counter + 3 * group->type.counter_step, 0x20);
    assert_int_equal(fake_units(KIND_IIO, 2)->type.width_bits, 36);
    group = fake_units(KIND_M2M, 1);
    assert_int_equal(group->unit[0], 0x260438);
    assert_int_equal(group->type.space, SPACE_PCI);
    assert_int_equal(group->type.select + 3 * group->type.select_step, 0x48);
    fake_units(KIND_UPI, 1);
    assert_int_equal(fake_status(KIND_IRP), STATUS_UNCORE_ABSENT);
    assert_int_equal(fake_status(KIND_M3UPI), STATUS_UNCORE_ABSENT);
    expect_slices(0xcf, 6);
    fake_find(GRANITE, 0);
    fake_units(KIND_IMC, 4);
    assert_int_equal(fake_status(KIND_M2M), -1);
}

static void expect_of(unsigned package, enum status status)
{
    static const uint8_t KINDS[] = {KIND_CHA, KIND_IMC, KIND_IIO, KIND_M2M, KIND_UPI, KIND_PCU};

    fake_find(SAPPHIRE, package);
    for (unsigned i = 0; i < sizeof(KINDS); i++)
        assert_string_equal(status_text((unsigned)fake_status(KINDS[i])), status_text(status));
}

/* A missing UBOX matters only if there are two tables. */
TEST(sockets)
{
    start();
    add_device(0xf0, MEMORY);
    fake_set(SPACE_MMIO, MEMORY, 0);
    expect_slices(SAPPHIRE, 6);
    expect_of(1, STATUS_UNCORE_TABLE); /* the other package's table */
    fake_set(SPACE_MMIO, MEMORY, QWORDS << 8 | 1u << 16);
    fake_set(SPACE_MMIO, MEMORY + 8, 0x2ff0);
    fake_set(SPACE_MMIO, MEMORY + 16, 0);
    fake_set(SPACE_MMIO, MEMORY + 0x20, UNIT(4u, 0x30u, 48u, 8u, PCI));
    fake_set(SPACE_MMIO, MEMORY + 0x28, 0x260438);
    fake_set(SPACE_MMIO, MEMORY + 0x30, 7);
    fake_find(SAPPHIRE, 1);
    assert_int_equal(fake_status(KIND_M2M), STATUS_UNCORE_TABLE);
    assert_int_equal(fake_status(KIND_CHA), STATUS_UNCORE_ABSENT);
    expect_of(2, STATUS_UNCORE_SOCKET);
    fake_other(BUS, 0, 0, 0x32518086);
    fake_other(0xfe, 0, 0, 0x32518086);
    expect_of(0, STATUS_UNCORE_SOCKET);

    start();
    fake_other(BUS, 0, 0, 0x32518086);
    fake_other(0xfe, 0, 0, 0x32518086);
    expect_slices(SAPPHIRE, 6);
    expect_of(1, STATUS_UNCORE_SOCKET);
}

/* With each value, no discovery device is found, or its table is not read. */
TEST(devices)
{
    static const struct {
        unsigned offset;
        uint32_t value;
        enum status status;
    } WRONG[] = {
        {0x00, 0x09a71022, STATUS_UNCORE_DEVICE},
        {0x00, 0x09a88086, STATUS_UNCORE_DEVICE},
        {0x04, 0x0000, STATUS_UNCORE_OFF},
        {0x18, 0x1000000d, STATUS_UNCORE_TABLE},   /* I/O */
        {0x18, 0x1000000e, STATUS_UNCORE_TABLE},   /* an invalid type */
        {0x1c, 0x00100000, STATUS_UNCORE_TABLE},   /* 2^52 */
        {0x100, 0xffffffff, STATUS_UNCORE_DEVICE}, /* no capabilities */
        {0x100, 0x00010023, STATUS_UNCORE_DEVICE}, /* the list ends here */
        {0x100, 0x0fc10023, STATUS_UNCORE_DEVICE}, /* points before the list */
        {0x100, 0x10010023, STATUS_UNCORE_DEVICE}, /* loops */
        {DVSEC, 0x14010023, STATUS_UNCORE_SOCKET}, /* loops: many tables */
        {DVSEC, 0x0001000b, STATUS_UNCORE_DEVICE}, /* another capability */
        {DVSEC + 4, 0x01001e98, STATUS_UNCORE_DEVICE},
        {DVSEC + 8, 3, STATUS_UNCORE_DEVICE},
        {DVSEC + 12, 6, STATUS_UNCORE_TABLE},      /* there are six BARs */
        {DVSEC + 12, 0x1002, STATUS_UNCORE_TABLE}, /* not at the BAR's start */
        {DVSEC + 12, 4, STATUS_UNCORE_TABLE},      /* the BAR is 0 */
    };

    for (unsigned i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        start();
        fake_set(SPACE_PCI, discovery + WRONG[i].offset, WRONG[i].value);
        expect_of(0, WRONG[i].status);
        assert_int_equal(fake.mmio_reads, 0);
    }
    start(); /* a similar structure before the list of extended capabilities */
    fake_set(SPACE_PCI, discovery + 0xc0, 0x00010023);
    fake_set(SPACE_PCI, discovery + 0xc4, 0x01008086);
    fake_set(SPACE_PCI, discovery + 0xc8, 1);
    fake_set(SPACE_PCI, discovery + 0x100, 0x0c010023);
    expect_of(0, STATUS_UNCORE_DEVICE);
    start(); /* on a single-function device, functions other than 0 are not read */
    fake_set(SPACE_PCI, (discovery & ~0x7fffull) + 0x0c, 0);
    expect_of(0, STATUS_UNCORE_DEVICE);
    start();
    fake_port.has_pci = false;
    expect_of(0, STATUS_UNCORE_PCI);
    assert_int_equal(fake.pci_reads + fake.mmio_reads, 0);
}

TEST(tables)
{
    static const struct {
        unsigned word;
        uint64_t value;
    } WRONG[] = {
        {0, 0},
        {0, UINT64_MAX},
        {1, 0},
        {1, UINT64_MAX},
        {2, UINT64_MAX},
        {0, 0u << 8 | UNITS << 16},
        {0, 2u << 8 | UNITS << 16},
        {0, QWORDS << 8 | 0u << 16},
    };

    for (unsigned i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        start();
        fake_set(SPACE_MMIO, TABLE + 8 * WRONG[i].word, WRONG[i].value);
        expect_of(0, STATUS_UNCORE_TABLE);
    }
    start();
    add_device(BUS, (1ull << 52) - 0x20);
    fake_region(SPACE_MMIO, (1ull << 52) - 0x20, 1ull << 52, QWORDS << 8 | UNITS << 16);
    expect_of(0, STATUS_UNCORE_TABLE);
}

TEST(units)
{
    static const struct {
        unsigned unit, word;
        uint64_t value;
        enum uncore_kind kind;
        enum status status;
    } WRONG[] = {
        {15, 0, UNIT(0u, 0x30u, 48u, 8u, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(9u, 0x60u, 48u, 8u, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(4u, 0u, 48u, 0x40u, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(4u, 0x34u, 48u, 8u, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(4u, 0x30u, 0u, 8u, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(4u, 0x30u, 65u, 8u, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(4u, 0x30u, 48u, 0u, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(4u, 0x30u, 48u, 0xcu, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(4u, 0x30u, 48u, 0x18u, PCI), KIND_M2M, STATUS_UNCORE_TABLE}, /* overlap */
        {15, 0, UNIT(4u, 8u, 48u, 0x18u, PCI), KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 0, UNIT(4u, 0x30u, 48u, 8u, 3), KIND_M2M, STATUS_UNCORE_TABLE},
        {2, 0, UNIT(4u, 3u, 48u, 8u, MSR), KIND_CHA, STATUS_UNCORE_TABLE}, /* unlike the others */
        {2, 0, UNIT(4u, 2u, 44u, 8u, MSR), KIND_CHA, STATUS_UNCORE_TABLE},
        {2, 0, UNIT(3u, 2u, 48u, 8u, MSR), KIND_CHA, STATUS_UNCORE_TABLE},
        {2, 0, UNIT(4u, 2u, 48u, 9u, MSR), KIND_CHA, STATUS_UNCORE_TABLE},
        {2, 1, 0x1ff0, KIND_CHA, STATUS_UNCORE_TABLE},
        {2, 1, 0x79, KIND_CHA, STATUS_UNCORE_TABLE}, /* IA32_BIOS_UPDT_TRIG */
        {2, 1, 0x3ff8, KIND_CHA, STATUS_UNCORE_TABLE},
        {2, 1, 0x100002000, KIND_CHA, STATUS_UNCORE_TABLE},
        {2, 1, 0xfffffffffffffff8, KIND_CHA, STATUS_UNCORE_TABLE},
        {2, 1, 0x2800, KIND_CHA, STATUS_UNCORE_REFUSED}, /* raises #GP */
        {7, 0, UNIT(4u, 0x42u, 48u, 8u, MMIO), KIND_IMC, STATUS_UNCORE_TABLE},
        {7, 0, UNIT(4u, 0x40u, 48u, 4u, MMIO), KIND_IMC, STATUS_UNCORE_TABLE},
        {7, 1, MEMORY + 4, KIND_IMC, STATUS_UNCORE_TABLE},
        {7, 1, (1ull << 52) - 0x48, KIND_IMC, STATUS_UNCORE_TABLE},
        {7, 1, 1ull << 60, KIND_IMC, STATUS_UNCORE_TABLE},
        {15, 1, 0x10260438, KIND_M2M, STATUS_UNCORE_TABLE}, /* segment 1 */
        {15, 1, 0x360438, KIND_M2M, STATUS_UNCORE_TABLE},   /* the other package's bus */
        {15, 1, 0x260436, KIND_M2M, STATUS_UNCORE_TABLE},
        {15, 1, 0x260fd0, KIND_M2M, STATUS_UNCORE_TABLE},  /* beyond the function's end */
        {15, 1, 0x270438, KIND_M2M, STATUS_UNCORE_DEVICE}, /* no device */
        {15, 1, 0x208438, KIND_M2M, STATUS_UNCORE_DEVICE}, /* UPI's device */
        {15, 1, 0x2a0438, KIND_M2M, STATUS_UNCORE_DEVICE}, /* no unit's device */
    };

    for (unsigned i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        start();
        fake_other(BUS, 20, 0, 0x324b8086);
        fake_set(SPACE_MMIO, entry(WRONG[i].unit) + 8 * WRONG[i].word, WRONG[i].value);
        fake_find(SAPPHIRE, 0);
        assert_int_equal(fake_status(WRONG[i].kind), WRONG[i].status);
        fake_units(KIND_IIO, 2);
        fake_units(KIND_UPI, 1);
    }
}

/*
 * These units are left out: duplicates, units at address 0, units that read as all ones, units of a
 * wrong device, and CHAs beyond the number in an MSR.
 */
TEST(units_left_out)
{
    start();
    add_unit(19, UNIT(4u, 2u, 48u, 8u, MSR), 0x2010, 0, 1);
    fake_set(SPACE_MMIO, entry(0) + 8, 0);
    fake_set(SPACE_MMIO, MEMORY + 0x8000, UINT32_MAX);
    fake_other(BUS, 12, 0, 0x324a1022);
    add_unit(18, UNIT(4u, 0x30u, 48u, 8u, PCI), 0x260438, 4, 0); /* a PCU there */
    expect_slices(SAPPHIRE, 5);
    assert_int_equal(fake_units(KIND_IMC, 3)->unit[1], MEMORY + 0x10000);
    assert_int_equal(fake_status(KIND_M2M), STATUS_UNCORE_DEVICE);
    assert_int_equal(fake_status(KIND_PCU), STATUS_UNCORE_DEVICE);
    for (unsigned i = 0; i < 4; i++)
        fake_set(SPACE_MMIO, MEMORY + 0x8000 * i, UINT32_MAX);
    fake_find(SAPPHIRE, 0);
    assert_int_equal(fake_status(KIND_IMC), STATUS_UNCORE_OFF);

    start();
    fake_set(SPACE_MSR, 0x2ffe, 3); /* MSR_UNC_CBO_CONFIG */
    expect_slices(SAPPHIRE, 3);
    fake_units(KIND_IMC, 4);
    expect_slices(0xcf, 6);
    fake_set(SPACE_MSR, 0x2ffe, 0);
    expect_slices(SAPPHIRE, 6);
    fake_set(SPACE_MSR, 0x2ffe, 60);
    expect_slices(SAPPHIRE, 6);
}

TEST(too_many)
{
    for (unsigned more = 0; more < 2; more++) {
        start();
        fake_set(SPACE_MMIO, TABLE, QWORDS << 8 | (100u + UNCORE_UNITS_MAX + more) << 16);
        fake_region(SPACE_MMIO, TABLE, entry(100 + UNCORE_UNITS_MAX + more), 0);
        fake_region(SPACE_MSR, 0x2000, 0x2ff0, 0);
        for (unsigned i = 0; i < UNCORE_UNITS_MAX + more; i++)
            add_unit(100 + i, UNIT(4u, 2u, 48u, 8u, MSR), 0x2000 + 0xc * i, 2, i);
        fake_find(SAPPHIRE, 0);
        if (more)
            assert_int_equal(fake_status(KIND_IRP), STATUS_UNCORE_TABLE);
        else
            fake_units(KIND_IRP, UNCORE_UNITS_MAX);
    }
}
