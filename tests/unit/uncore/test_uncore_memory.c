/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * If firmware gives an address in RAM for a unit's register, the kind is rejected, and the RAM is
 * not accessed.
 */
#include "tests/unit/test.h"
#include "tests/unit/fakes/discovery.h"

BEFORE_EACH(start);

#define BRIDGE_ID 0x0100u /* Sandy Bridge's */
#define BRIDGE    0x2au
#define MCHBAR    0xfed10000ull

static const uint8_t KINDS[] = {KIND_CHA, KIND_IMC, KIND_IIO, KIND_M2M, KIND_UPI, KIND_PCU};

static void refused(unsigned kind, uint64_t address)
{
    const struct uncore_group *group = uncore_group(&found, kind);

    assert_non_null(group);
    assert_string_equal(status_text(group->status), status_text(STATUS_UNCORE_MEMORY));
    assert_int_equal(group->in_memory, address);
    assert_int_equal(group->units, 0);
}

static void all_refused(uint64_t address)
{
    for (unsigned i = 0; i < sizeof(KINDS); i++)
        refused(KINDS[i], address);
    assert_int_not_equal(fake_status(KIND_ENERGY), STATUS_UNCORE_MEMORY);
}

TEST(the_table)
{
    fake_memory(TABLE, 1);
    fake_find(SAPPHIRE, 0);
    all_refused(TABLE);
    assert_int_equal(fake.mmio_reads, 0);
    fake_memory(TABLE - 0x1000, 1);
    fake_find(SAPPHIRE, 0);
    fake_units(KIND_IMC, 4);
    for (unsigned i = 0; i < sizeof(KINDS); i++)
        assert_int_equal(uncore_group(&found, KINDS[i])->in_memory, 0);
}

TEST(one_unit)
{
    fake_memory(MEMORY + 0x10000, 1);
    fake_find(SAPPHIRE, 0);
    refused(KIND_IMC, MEMORY + 0x10000);
    fake_units(KIND_CHA, 6);
    fake_units(KIND_IIO, 2);
    fake_units(KIND_M2M, 1);
    fake_units(KIND_UPI, 1);
}

TEST(a_part_of_a_unit)
{
    const uint64_t unit = MEMORY + 0x20fc0;

    fake_region(SPACE_MMIO, unit, unit + 0x60, 0);
    fake_set(SPACE_MMIO, entry(8) + 8, unit);
    fake_find(SAPPHIRE, 0);
    fake_units(KIND_IMC, 4);
    fake_memory(MEMORY + 0x21000, 16);
    fake_find(SAPPHIRE, 0);
    refused(KIND_IMC, unit + 0x40);
    fake_units(KIND_CHA, 6);
}

TEST(configuration_space)
{
    fake_memory(FAKE_ECAM, 256u << 8);
    fake_find(SAPPHIRE, 0);
    all_refused(FAKE_ECAM);
    assert_int_equal(fake.pci_reads + fake.mmio_reads, 0);
    fake_memory(FAKE_ECAM + 0x260000, 1);
    fake_find(SAPPHIRE, 0);
    all_refused(FAKE_ECAM + 0x260000);
}

TEST(a_client)
{
    uint64_t bridge;

    fake_start();
    bridge = fake_device(0, 0, 0, BRIDGE_ID);
    fake_set(SPACE_PCI, bridge + 0x48, MCHBAR + 1);
    fake_region(SPACE_MMIO, MCHBAR + 0x5050, MCHBAR + 0x5058, 7);
    fake_find(BRIDGE, 0);
    fake_units(KIND_IMC_FREE, 1);
    fake_memory(MCHBAR + 0x5000, 1);
    fake_find(BRIDGE, 0);
    refused(KIND_IMC_FREE, MCHBAR + 0x5050);
    assert_int_equal(fake.mmio_reads, 0);
    fake_memory(MCHBAR + 0x6000, 1);
    fake_find(BRIDGE, 0);
    fake_units(KIND_IMC_FREE, 1);
}

TEST(the_record)
{
    static struct uncore_record record;

    fake_memory(MEMORY, 1);
    fake_find(SAPPHIRE, 0);
    uncore_describe(&found, &record);
    for (unsigned i = 0; i < record.groups; i++) {
        bool is_imc = record.group[i].kind == KIND_IMC;

        assert_int_equal(record.group[i].status == STATUS_UNCORE_MEMORY, is_imc);
        assert_int_equal(record.error[i].status, is_imc ? STATUS_UNCORE_MEMORY : STATUS_OK);
        assert_int_equal(record.error[i].address, is_imc ? MEMORY : 0);
    }
}
