/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding a Skylake server's uncore, with numbers from the manuals: one and two sockets, hidden
 * devices, devices with other IDs, and channels without memory.
 */
#include "tests/unit/test.h"
#include "tests/unit/fakes/pci.h"

#define SKYLAKE  0x55u
#define ICE_LAKE 0x6au

/* UBOX 08.0, PCU 1E.3 and the IMC devices are on three buses. Each 1 in CAPID6 is a CHA. */
static void add_skylake(unsigned bus, uint32_t node, uint32_t map, uint32_t capid6)
{
    fake_ubox(bus, 8, 0x2014, node, map);
    fake_set(SPACE_PCI, fake_device(bus + 0x17, 0x1e, 3, 0x2083) + 0x9c, capid6);
    fake_device(bus + 0x3a, 0x0a, 2, 0x2042);
    fake_device(bus + 0x3a, 0x0a, 6, 0x2046);
    fake_device(bus + 0x3a, 0x0b, 2, 0x204a);
    fake_device(bus + 0x3a, 0x0c, 2, 0x2042);
    fake_device(bus + 0x3a, 0x0c, 6, 0x2046);
    fake_device(bus + 0x3a, 0x0d, 2, 0x204a);
}

static void start_skylake(void)
{
    fake_start();
    fake_region(SPACE_MSR, 0xe00, 0xe00 + 28 * 0x10, 0); /* 28 CHAs */
    fake_region(SPACE_MSR, 0x703, 0x705, 0);             /* UCLK: control and counter */
}

BEFORE_EACH(start_skylake);

TEST(one_socket)
{
    const struct uncore_group *group;
    static const uint64_t CHANNELS[] = {0x3a52000, 0x3a56000, 0x3a5a000,
                                        0x3a62000, 0x3a66000, 0x3a6a000};

    add_skylake(0, 0, 0x00fac688, 0x0f00f003); /* 4 + 4 + 2 CHAs */
    fake_find(SKYLAKE, 0);
    group = fake_units(KIND_CHA, 10);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(group->unit[i], 0xe00 + 0x10 * i);
    assert_int_equal(group->type.select, 1);
    assert_int_equal(group->type.counter, 8);
    assert_int_equal(group->type.extra[0], 5);
    assert_int_equal(group->type.extra[1], 6);
    assert_int_equal(group->type.enable, 0x400000);
    assert_int_equal(group->type.box_freeze, 0x30100);
    assert_int_equal(group->type.box_run, 0x30000);
    group = fake_units(KIND_IMC, 6);
    assert_memory_equal(group->unit, CHANNELS, sizeof(CHANNELS));
    assert_int_equal(group->type.space, SPACE_PCI);
    assert_int_equal(group->type.box, 0xf4);
    assert_int_equal(group->type.select + 3 * group->type.select_step, 0xe4);
    assert_int_equal(group->type.counter + 3 * group->type.counter_step, 0xb8);
    group = fake_units(KIND_CLOCK, 1);
    assert_int_equal(group->unit[0] + (uint64_t)group->type.select, 0x703);
    assert_int_equal(group->unit[0] + (uint64_t)group->type.counter, 0x704);
}

/* Package 0 is node 1 (bits 2:0), and package 1 is node 0 (bits 5:3). */
#define SWAPPED 0x00fac681u

TEST(two_sockets)
{
    for (unsigned package = 0; package < 2; package++) {
        start_skylake();
        add_skylake(0x00, 1, SWAPPED, 0x00ffffff);
        add_skylake(0x80, 0, SWAPPED, 0x0fffffff);
        fake_find(SKYLAKE, package);
        fake_units(KIND_CHA, package ? 28 : 24);
        assert_int_equal(fake_units(KIND_IMC, 6)->unit[0], package ? 0xba52000 : 0x3a52000);
    }
}

static void expect(int chas, int channels)
{
    assert_int_equal(fake_status(KIND_CHA), chas);
    assert_int_equal(fake_status(KIND_IMC), channels);
    assert_int_equal(fake_status(KIND_CLOCK), STATUS_OK);
}

static void expect_found(int chas, int channels)
{
    fake_find(SKYLAKE, 0);
    expect(chas, channels);
}

/*
 * In DIMMMTR (80H and 84H), bit 15 means that a DIMM is present. In MCDDRTCFG (400H), bits 0 and 1
 * mean that a slot contains an NVDIMM.
 */
static void add_slots(unsigned device, unsigned function, unsigned id, const uint32_t modules[3])
{
    uint64_t channel = fake_device(0x3a, device, function, id);

    fake_set(SPACE_PCI, channel + 0x80, modules[0]);
    fake_set(SPACE_PCI, channel + 0x84, modules[1]);
    fake_set(SPACE_PCI, channel + 0x400, modules[2]);
}

/* A channel is used if a slot contains a module, or if the device with the slots is missing. */
TEST(channels_without_memory)
{
    static const uint32_t NONE[3] = {0x7fff, 0x7fff, 0xfffffffc}, FIRST[3] = {0x8000},
                          SECOND[3] = {0, 0x8000}, NVDIMM[3] = {0, 0, 2};
    static const uint64_t CHANNELS[] = {0x3a52000, 0x3a5a000, 0x3a62000, 0x3a6a000};
    const struct uncore_group *group;

    add_skylake(0, 0, 0x00fac688, 0xff);
    add_slots(0x0a, 0, 0x2040, FIRST);
    add_slots(0x0a, 4, 0x2044, NONE);
    add_slots(0x0b, 0, 0x2048, SECOND);
    add_slots(0x0c, 0, 0x2040, NVDIMM);
    add_slots(0x0c, 4, 0x2044, NONE);
    add_slots(0x0d, 0, 0x2044, NONE); /* another device */
    fake_find(SKYLAKE, 0);
    group = fake_units(KIND_IMC, 4);
    assert_memory_equal(group->unit, CHANNELS, sizeof(CHANNELS));

    add_slots(0x0a, 0, 0x2040, NONE);
    add_slots(0x0b, 0, 0x2048, NONE);
    add_slots(0x0c, 0, 0x2040, NONE);
    add_slots(0x0d, 0, 0x2048, NONE);
    expect_found(STATUS_OK, STATUS_UNCORE_EMPTY);
}

/*
 * The packages cannot be told apart if one of them has no UBOX or has two dies, if two UBOXes
 * belong to one package, or if a UBOX belongs to no package.
 */
TEST(sockets_that_cannot_be_told)
{
    static const char BRAND[] = "Intel(R) Xeon(R) Platinum 9242 CPU @ 2.30GHz";
    struct cpu_caps caps = {.vendor = VENDOR_INTEL, .family = 6, .model = SKYLAKE};

    add_skylake(0x00, 1, SWAPPED, 0xff);
    add_skylake(0x80, 0, SWAPPED, 0xff);
    fake_find(SKYLAKE, 2);
    expect(STATUS_UNCORE_SOCKET, STATUS_UNCORE_SOCKET);
    memcpy(caps.brand, BRAND, sizeof(BRAND));
    uncore_find(&fake_port, &caps, &found);
    expect(STATUS_UNCORE_SOCKET, STATUS_UNCORE_SOCKET);

    start_skylake();
    add_skylake(0x00, 1, SWAPPED, 0xff);
    add_skylake(0x80, 1, SWAPPED, 0xff);
    expect_found(STATUS_UNCORE_SOCKET, STATUS_UNCORE_SOCKET);

    start_skylake();
    add_skylake(0x00, 0, 0x00249249, 0xff); /* all packages are node 1 */
    expect_found(STATUS_UNCORE_SOCKET, STATUS_UNCORE_SOCKET);
    add_skylake(0x80, 0, 0x00fac688, 0xff);
    expect_found(STATUS_UNCORE_SOCKET, STATUS_UNCORE_SOCKET);
}

/*
 * One of the UBOX's two registers reads as all ones. If all ones were a valid value, the UBOX would
 * be of node 7, and node 7 would be package 0.
 */
TEST(a_ubox_that_answers_in_part)
{
    static const uint32_t NODE_AND_MAP[][2] = {{7, UINT32_MAX}, {UINT32_MAX, 7}};

    for (unsigned i = 0; i < 2; i++) {
        start_skylake();
        add_skylake(0x00, NODE_AND_MAP[i][0], NODE_AND_MAP[i][1], 0xff);
        expect_found(STATUS_UNCORE_SOCKET, STATUS_UNCORE_SOCKET);
    }
}

TEST(no_mcfg)
{
    add_skylake(0, 0, 0x00fac688, 0xff);
    fake_port.has_pci = false;
    expect_found(STATUS_UNCORE_PCI, STATUS_UNCORE_PCI);
    assert_int_equal(fake.pci_reads, 0);

    fake_find(ICE_LAKE, 0);
    assert_int_equal(fake_status(KIND_IMC_FREE), STATUS_UNCORE_PCI);
    assert_int_equal(fake.pci_reads + fake.mmio_reads, 0);
}

TEST(hidden_devices)
{
    expect_found(STATUS_UNCORE_DEVICE, STATUS_UNCORE_DEVICE);

    add_skylake(0, 0, 0x00fac688, 0xff);
    fake_other(0, 8, 0, 0x20148087); /* another vendor's 2014h */
    expect_found(STATUS_UNCORE_DEVICE, STATUS_UNCORE_DEVICE);

    start_skylake();
    fake_ubox(0, 8, 0x2014, 0, 0x00fac688);
    fake_other(0x17, 0x1e, 3, 0x20828086);
    fake_other(0x3a, 0x0a, 2, 0x20468086);
    fake_other(0x3a, 0x0a, 6, 0x20461af4);
    fake_device(0x3a, 0x0b, 1, 0x204a);
    expect_found(STATUS_UNCORE_DEVICE, STATUS_UNCORE_DEVICE);

    fake_device(0x3a, 0x0c, 6, 0x2046);
    fake_device(0x3a, 0x0d, 2, 0x204a);
    fake_find(SKYLAKE, 0);
    assert_int_equal(fake_units(KIND_IMC, 2)->unit[1], 0x3a6a000);
}

TEST(numbers_that_cannot_be)
{
    add_skylake(0, 0, 0x00fac688, 0xf0000000); /* only reserved bits */
    fake_device(0x3b, 0x0a, 2, 0x2042);        /* a seventh channel */
    expect_found(STATUS_UNCORE_TABLE, STATUS_UNCORE_TABLE);

    start_skylake();
    add_skylake(0, 0, 0x00fac688, 0xffffffff);
    expect_found(STATUS_UNCORE_TABLE, STATUS_OK);

    start_skylake();
    add_skylake(0, 0, 0x00fac688, 0xff);
    fake_set(SPACE_PCI, fake_device(0x18, 0x1e, 3, 0x2083) + 0x9c, 0xff);
    expect_found(STATUS_UNCORE_TABLE, STATUS_OK);
}

TEST(registers_that_refuse)
{
    fake_start();
    fake_region(SPACE_MSR, 0xe00, 0xe70, 0);
    fake_region(SPACE_MSR, 0x703, 0x705, 0);
    add_skylake(0, 0, 0x00fac688, 0xff);
    expect_found(STATUS_UNCORE_REFUSED, STATUS_OK);
    for (uint64_t refused = 0xe00; refused < 0xe0c; refused++) {
        fake_start();
        fake_region(SPACE_MSR, 0xe00, refused, 0);
        fake_region(SPACE_MSR, refused + 1, 0xe10, 0);
        fake_region(SPACE_MSR, 0x703, 0x705, 0);
        add_skylake(0, 0, 0x00fac688, 1);
        expect_found(refused == 0xe07 ? STATUS_OK : STATUS_UNCORE_REFUSED,
                     STATUS_OK); /* E07H: no counter */
    }
}
