/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client's memory counters, with numbers from the datasheets. The host bridge must be of the
 * right generation, MCHBAR must be valid, and the controllers must respond.
 */
#include "tests/unit/test.h"
#include "tests/unit/fakes/pci.h"

#define BASE    0xfedc0000ull /* aligned to 128 KiB, the largest MCHBAR */
#define ENABLED 1u

/* `id` is the device ID of one of the model's host bridges. */
static const struct client {
    const struct uncore_units *units;
    uint8_t model;
    uint16_t id;
    uint8_t controllers, bytes;
    uint16_t reads, writes;
} CLIENTS[] = {
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0x2a, 0x0100, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0x3a, 0x0154, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0x3c, 0x0c00, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0x45, 0x0a04, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0x3d, 0x1604, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0x5e, 0x191f, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0x9e, 0x3ec2, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0xa5, 0x9b53, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0x7e, 0x8a12, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_SANDY_BRIDGE, 0xa7, 0x4c43, 1, 4, 0x5050, 0x5054},
    {&UNCORE_MCHBAR_TIGER_LAKE_U, 0x8c, 0x9a14, 2, 8, 0x5058, 0x50a0},
    {&UNCORE_MCHBAR_TIGER_LAKE_H, 0x8d, 0x9a36, 2, 8, 0xd858, 0xd8a0},
    {&UNCORE_MCHBAR_TIGER_LAKE_H, 0x97, 0x4660, 2, 8, 0xd858, 0xd8a0},
    {&UNCORE_MCHBAR_TIGER_LAKE_H, 0xb7, 0xa700, 2, 8, 0xd858, 0xd8a0},
};
#define CLIENTS_COUNT (sizeof(CLIENTS) / sizeof(CLIENTS[0]))

static struct uncore_group group;

static enum status find(const struct client *client)
{
    struct cpu_caps caps = {.vendor = VENDOR_INTEL, .family = 6, .model = client->model};
    const struct uncore_units *units = client->units;
    enum status status;

    group.type = units->type;
    group.units = units->units;
    for (unsigned i = 0; i < units->units; i++)
        group.unit[i] = units->first + units->step * i;
    status = units->find(&fake_port, &caps, &group);
    assert_int_equal(fake.writes, 0);
    assert_int_equal(fake.strayed, 0);
    return status;
}

/* The bridge has MCHBAR at 48h. */
static void start(const struct client *client, uint64_t bar)
{
    uint64_t bridge = fake_device(0, 0, 0, client->id);

    fake_set(SPACE_PCI, bridge + 0x48, bar & UINT32_MAX);
    fake_set(SPACE_PCI, bridge + 0x4c, bar >> 32);
    for (unsigned i = 0; i < client->controllers; i++) {
        uint64_t at = (bar & ~1ull) + 0x10000 * i;

        fake_region(SPACE_MMIO, at + client->reads, at + client->reads + client->bytes, 7);
        fake_region(SPACE_MMIO, at + client->writes, at + client->writes + client->bytes, 7);
    }
}

TEST(each_generation)
{
    for (unsigned i = 0; i < CLIENTS_COUNT; i++) {
        const struct client *client = &CLIENTS[i];

        fake_start();
        start(client, 0x300000000ull + BASE + ENABLED);
        assert_int_equal(find(client), STATUS_OK);
        assert_int_equal(group.units, client->controllers);
        for (unsigned unit = 0; unit < group.units; unit++)
            assert_int_equal(group.unit[unit], 0x300000000ull + BASE + 0x10000 * unit);
        assert_int_equal(group.type.counters, 2);
        assert_int_equal(group.type.counter, client->reads);
        assert_int_equal(group.type.counter + group.type.counter_step, client->writes);
        assert_int_equal(group.type.width_bits, 8 * client->bytes);
        assert_int_equal(group.type.counter_bytes, client->bytes);
        assert_int_equal(group.type.space, SPACE_MMIO);
        assert_int_equal(group.type.style, STYLE_FREE);
    }
}

TEST(other_bridges)
{
    for (unsigned i = 0; i < CLIENTS_COUNT; i++) {
        const struct client *client = &CLIENTS[i], *next = &CLIENTS[(i + 2) % CLIENTS_COUNT];

        fake_start();
        fake_other(0, 0, 0, 0x8086u | (uint32_t)next->id << 16);
        assert_int_equal(find(client), STATUS_UNCORE_DEVICE);
        fake_other(0, 0, 0, 0x1022u | (uint32_t)client->id << 16);
        assert_int_equal(find(client), STATUS_UNCORE_DEVICE);
        fake_other(0, 0, 0, UINT32_MAX);
        assert_int_equal(find(client), STATUS_UNCORE_DEVICE);
        fake_other(0, 0, 0, 0x00008086u); /* 0 ends the lists of IDs, and is not an ID */
        assert_int_equal(find(client), STATUS_UNCORE_DEVICE);
        assert_int_equal(fake.mmio_reads, 0);
    }
}

TEST(bases_that_cannot_be)
{
    static const struct {
        uint64_t bar;
        enum status status;
    } BARS[] = {
        {BASE, STATUS_UNCORE_OFF},
        {0, STATUS_UNCORE_OFF},
        {ENABLED, STATUS_UNCORE_TABLE},
        {BASE + 2 + ENABLED, STATUS_UNCORE_TABLE},
        {BASE + 0x4000 + ENABLED, STATUS_UNCORE_TABLE},
        {(1ull << 42) + BASE + ENABLED, STATUS_UNCORE_TABLE},
        {UINT64_MAX, STATUS_UNCORE_TABLE},
    };

    for (unsigned i = 0; i < sizeof(BARS) / sizeof(BARS[0]); i++) {
        fake_start();
        start(&CLIENTS[10], BARS[i].bar);
        assert_int_equal(find(&CLIENTS[10]), BARS[i].status);
        assert_int_equal(fake.mmio_reads, 0);
    }
}

TEST(no_mcfg)
{
    fake_start();
    start(&CLIENTS[0], BASE + ENABLED);
    fake_port.has_pci = false;
    assert_int_equal(find(&CLIENTS[0]), STATUS_UNCORE_PCI);
    assert_int_equal(fake.pci_reads + fake.mmio_reads, 0);
}

/* A controller is absent if it reads as all ones. A single counter may read as all ones. */
TEST(silent_controllers)
{
    const struct client *client = &CLIENTS[11];

    fake_start();
    start(client, BASE + ENABLED);
    fake_set(SPACE_MMIO, BASE + client->reads, UINT64_MAX);
    assert_int_equal(find(client), STATUS_OK);
    assert_int_equal(group.units, 2);
    fake_set(SPACE_MMIO, BASE + client->writes, UINT64_MAX);
    assert_int_equal(find(client), STATUS_OK);
    assert_int_equal(group.units, 1);
    assert_int_equal(group.unit[0], BASE + 0x10000);
    fake_set(SPACE_MMIO, BASE + 0x10000 + client->reads, UINT64_MAX);
    fake_set(SPACE_MMIO, BASE + 0x10000 + client->writes, UINT64_MAX);
    assert_int_equal(find(client), STATUS_UNCORE_OFF);

    fake_start();
    start(&CLIENTS[0], BASE + ENABLED);
    fake_set(SPACE_MMIO, BASE + 0x5050, UINT32_MAX);
    fake_set(SPACE_MMIO, BASE + 0x5054, UINT32_MAX);
    assert_int_equal(find(&CLIENTS[0]), STATUS_UNCORE_OFF);
}
