/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding an Ice Lake server's uncore, with numbers from the manuals. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/pci.h"

#define ICE_LAKE 0x6au

/*
 * On the package's last bus, 00.0 is UBOX. 00.1 is device 3451H, with MMIO_BASE at D0H and the
 * MEM_BARs at D8H.
 */
static void add_ice_lake(unsigned bus, uint32_t node, uint32_t base, const uint32_t bar[4])
{
    uint64_t memory = fake_device(bus, 0, 1, 0x3451);

    fake_ubox(bus, 0, 0x3450, node, 0x00fac688);
    fake_set(SPACE_PCI, memory + 0xd0, base);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t at = (uint64_t)(base & 0x1fffffff) << 23 | (uint64_t)(bar[i] & 0x7ff) << 12;

        fake_set(SPACE_PCI, memory + 0xd8 + 4 * i, bar[i]);
        if (bar[i] & 0x7ff)
            fake_region(SPACE_MMIO, at + 0x2290, at + 0x22b8, 0);
    }
}

TEST(ice_lake)
{
    static const uint32_t BAR[4] = {0x800, 0x480, 0x500, 0x580}, OTHER[4] = {0x401, 0x481, 0x501};
    const struct uncore_group *group;

    for (unsigned package = 0; package < 2; package++) {
        fake_start();
        fake_region(SPACE_MSR, 0x703, 0x705, 0);
        add_ice_lake(0x7e, 0, 0x60000192, BAR);
        add_ice_lake(0xfe, 1, 0x00000201, OTHER);
        fake_find(ICE_LAKE, package);
        group = fake_units(KIND_IMC_FREE, 3);
        /*
         * 192h << 23 | 480h << 12, or 201h << 23 | 401h << 12. A MEM_BAR with address 0 is unused.
         */
        assert_int_equal(group->unit[0], package ? 0x100c01000 : 0xc9480000);
        assert_int_equal(group->type.counter, 0x2290);
        assert_int_equal(group->type.counter + 4 * group->type.counter_step, 0x22b0);
        fake_units(KIND_CLOCK, 1);
    }
    fake_find(0x6c, 0);
    fake_units(KIND_IMC_FREE, 3);
    fake_find(ICE_LAKE, 2);
    assert_int_equal(fake_status(KIND_IMC_FREE), STATUS_UNCORE_SOCKET);
    assert_int_equal(fake.mmio_reads, 0);
}

TEST(ice_lake_without_memory)
{
    static const uint32_t BAR[4] = {0x400, 0x480, 0x500, 0x580}, NONE[4];

    fake_start();
    add_ice_lake(0x7e, 0, 0x192, BAR);
    fake_set(SPACE_MMIO, 0xc94022b0, UINT64_MAX); /* (192h << 23 | 400h << 12) + 22b0h */
    fake_set(SPACE_MMIO, 0xc94822b0, UINT64_MAX);
    fake_find(ICE_LAKE, 0);
    assert_int_equal(fake_units(KIND_IMC_FREE, 2)->unit[1], 0xc9580000);
    fake_set(SPACE_MMIO, 0xc95022b0, UINT64_MAX);
    fake_set(SPACE_MMIO, 0xc95822b0, UINT64_MAX);
    fake_find(ICE_LAKE, 0);
    assert_int_equal(fake_status(KIND_IMC_FREE), STATUS_UNCORE_OFF);

    fake_other(0x7e, 0, 1, 0x34528086);
    fake_find(ICE_LAKE, 0);
    assert_int_equal(fake_status(KIND_IMC_FREE), STATUS_UNCORE_DEVICE);
    assert_int_equal(fake.mmio_reads, 0);

    fake_start();
    add_ice_lake(0x7e, 0, 0, BAR);
    fake_find(ICE_LAKE, 0);
    assert_int_equal(fake_status(KIND_IMC_FREE), STATUS_UNCORE_OFF);
    fake_start();
    add_ice_lake(0x7e, 0, 0x192, NONE);
    fake_find(ICE_LAKE, 0);
    assert_int_equal(fake_status(KIND_IMC_FREE), STATUS_UNCORE_OFF);
    assert_int_equal(fake.mmio_reads, 0);
}
