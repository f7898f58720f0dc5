/* SPDX-License-Identifier: BSD-2-Clause */
/* The ACPI table of NUMA nodes (SRAT), and where buffers are placed. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/firmware_table.h"
#include "tests/unit/fakes/random.h"
#include "pmu/journal/record.h"
#include "pmu/cpu/srat.h"

BEFORE_ALL(random_start);

#define MIB(n) ((uint64_t)(n) << 20)

static struct srat srat;

static void begin(unsigned revision)
{
    put_head("SRAT", 48);
    table[8] = (uint8_t)revision;
}

/* Offsets: ACPI specification, affinity structures of processors and memory. */
static void apic(unsigned id, uint32_t node, uint32_t flags)
{
    put(0x1000, 2); /* type 0, 16 bytes */
    put(node & 0xff, 1);
    put(id, 1);
    put(flags, 4);
    put(0xee, 1); /* local SAPIC EID */
    put(node >> 8, 3);
    put(0, 4);
}

static void x2apic(uint32_t id, uint32_t node, uint32_t flags)
{
    put(0x1802, 2);
    put(0, 2);
    put(node, 4);
    put(id, 4);
    put(flags, 4);
    put(0, 8);
}

static void memory(uint64_t base, uint64_t length, uint32_t node, uint32_t flags)
{
    put(0x2801, 2);
    put(node, 4);
    put(0, 2);
    put(base, 8);
    put(length, 8);
    put(0, 4);
    put(flags, 4);
    put(0, 8);
}

/* Only `bytes` bytes can be read, so overruns are caught. */
static bool read_cut(size_t bytes)
{
    uint8_t *copy = copy_of(table, bytes);
    bool right;

    memset(&srat, 0xa5, sizeof(srat));
    right = srat_read(copy, bytes, &srat);
    free(copy);
    return right;
}

static bool read_all(void)
{
    seal(table, used);
    return read_cut(used);
}

static uint32_t node_of(uint64_t start, uint64_t end)
{
    return srat_memory_node(&srat, (struct span){start, end});
}

static void two_nodes(void)
{
    begin(3);
    apic(0, 0, 1);
    apic(1, 0x123456, 1);
    apic(2, 9, 0); /* not enabled */
    x2apic(0x1ff, 0x123456, 1);
    x2apic(0x200, 9, 0);
    memory(0, 0xa0000, 0, 1);
    memory(MIB(1), MIB(511), 0, 1);
    memory(MIB(512), MIB(512), 0x123456, 3); /* also hot-pluggable */
    memory(MIB(2048), MIB(512), 0, 0);       /* not enabled */
    memory(MIB(4096), MIB(512), 0, 5);       /* persistent */
    memory(MIB(6144), 0, 0, 1);
    memory(UINT64_MAX, 2, 0, 1);
}

TEST(nodes)
{
    two_nodes();
    assert_true(read_all());
    assert_int_equal(srat.cpus, 3);
    assert_int_equal(srat.ranges, 3);
    assert_int_equal(srat_cpu_node(&srat, 0), 0);
    assert_int_equal(srat_cpu_node(&srat, 1), 0x123456);
    assert_int_equal(srat_cpu_node(&srat, 2), NODE_UNKNOWN);
    assert_int_equal(srat_cpu_node(&srat, 0x1ff), 0x123456);
    assert_int_equal(srat_cpu_node(&srat, 0x200), NODE_UNKNOWN);
    assert_int_equal(srat_cpu_node(&srat, 0x100000001), NODE_UNKNOWN);
    assert_int_equal(node_of(MIB(1), MIB(512)), 0);
    assert_int_equal(node_of(MIB(511), MIB(513)), NODE_UNKNOWN);
    assert_int_equal(node_of(MIB(512), MIB(1024)), 0x123456);
    assert_int_equal(node_of(MIB(1023), MIB(1024) + 1), NODE_UNKNOWN);
    assert_int_equal(node_of(MIB(2048), MIB(2049)), NODE_UNKNOWN);
    assert_int_equal(node_of(MIB(4096), MIB(4097)), NODE_UNKNOWN);
}

/* In revision 1, a node's number has one byte, and the upper bytes are reserved. */
TEST(first_revision)
{
    begin(1);
    apic(7, 0x123456, 1);
    memory(MIB(1), MIB(1), 0x123457, 1);
    assert_true(read_all());
    assert_int_equal(srat_cpu_node(&srat, 7), 0x56);
    assert_int_equal(node_of(MIB(1), MIB(2)), 0x57);
}

/* An entry of impossible length ends the list, but the entries before it are used. */
TEST(damaged)
{
    two_nodes();
    seal(table, used);
    for (size_t cut = 0; cut < used; cut++) {
        assert_false(read_cut(cut));
        assert_int_equal(srat.cpus + srat.ranges, 0);
        table[cut] ^= 0x40;
        assert_false(read_cut(used));
        table[cut] ^= 0x40;
    }
    assert_true(read_cut(used));
    for (unsigned length = 0; length < 16; length++) {
        begin(3);
        apic(0, 5, 1);
        apic(1, 5, 1);
        table[48 + 16 + 1] = (uint8_t)length;
        assert_true(read_all());
        assert_int_equal(srat_cpu_node(&srat, 0), 5);
        assert_int_equal(srat_cpu_node(&srat, 1), NODE_UNKNOWN);
    }
    begin(3);
    apic(0, 5, 1);
    apic(1, 5, 1);
    table[48 + 16 + 1] = 17;
    assert_true(read_all());
    assert_int_equal(srat.cpus, 1);
    begin(3);
    put(0x0805, 2);
    put(0, 6);
    apic(1, 5, 1);
    put(0, 1);
    assert_true(read_all());
    assert_int_equal(srat_cpu_node(&srat, 1), 5);
    used = 47;
    assert_false(read_all());
}

TEST(random_tables)
{
    for (unsigned i = 0; i < 20000; i++) {
        begin((unsigned)random_below(4));
        while (used < 48 + i % 600)
            put(random_below(8) ? random_below(3) : random_below(256), 1);
        assert_true(read_all());
        assert_true(srat.cpus <= SRAT_CPUS_MAX && srat.ranges <= SRAT_RANGES_MAX);
    }
}

TEST(more_than_there_is_room_for)
{
    static uint8_t large[48 + 16 * (SRAT_CPUS_MAX + 1) + 40 * (SRAT_RANGES_MAX + 1)];
    size_t at = 48;

    begin(3);
    memcpy(large, table, 48);
    for (unsigned i = 0; i <= SRAT_CPUS_MAX; i++, at += 16) {
        used = 0;
        apic(i % 256, i, 1);
        memcpy(large + at, table, 16);
    }
    for (unsigned i = 0; i <= SRAT_RANGES_MAX; i++, at += 40) {
        used = 0;
        memory(MIB(i), MIB(1), i, 1);
        memcpy(large + at, table, 40);
    }
    seal(large, at);
    assert_true(srat_read(large, at, &srat));
    assert_int_equal(srat.cpus, SRAT_CPUS_MAX);
    assert_int_equal(srat.ranges, SRAT_RANGES_MAX);
    assert_int_equal(node_of(MIB(255), MIB(256)), 255);
    assert_int_equal(node_of(MIB(256), MIB(257)), NODE_UNKNOWN);
}

TEST(places)
{
    static const struct {
        uint32_t node;
        struct span free;
        uint64_t bytes, align;
        uint64_t lowest, highest; /* 0: none */
    } ROWS[] = {
        {0, {MIB(1), MIB(900)}, MIB(4), 4096, MIB(1), MIB(508)},
        {0x123456, {MIB(1), MIB(900)}, MIB(4), 4096, MIB(512), MIB(896)},
        {0x123456, {MIB(1), MIB(900)}, MIB(388), 4096, MIB(512), MIB(512)},
        {0x123456, {MIB(1), MIB(900)}, MIB(388) + 1, 4096, 0, 0},
        {0x123456, {MIB(1), MIB(900)}, MIB(100), MIB(256), MIB(512), MIB(768)},
        {0x123456, {MIB(512) + 4096, MIB(900)}, MIB(100), MIB(256), MIB(768), MIB(768)},
        {0x123456, {MIB(513), MIB(900)}, MIB(200), MIB(512), 0, 0},
        {0x123456, {MIB(1), MIB(512)}, 4096, 4096, 0, 0},
        {0, {MIB(600), MIB(900)}, 4096, 4096, 0, 0},
        {7, {MIB(1), MIB(900)}, 4096, 4096, 0, 0},
        {NODE_UNKNOWN, {MIB(500), MIB(600)}, MIB(100), 4096, MIB(500), MIB(500)},
        {NODE_UNKNOWN, {MIB(2048), MIB(2050)}, 4096, 4096, MIB(2048), MIB(2050) - 4096},
        {NODE_UNKNOWN, {UINT64_MAX - 4094, UINT64_MAX}, 1, 4096, 0, 0},
        {NODE_UNKNOWN, {MIB(2), MIB(1)}, 4096, 4096, 0, 0},
        {NODE_UNKNOWN, {MIB(1), MIB(2)}, UINT64_MAX - 4095, 4096, 0, 0},
        {0, {0, UINT64_MAX}, MIB(511), 4096, MIB(1), MIB(1)},
    };

    two_nodes();
    assert_true(read_all());
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (enum srat_end end = SRAT_LOWEST; end <= SRAT_HIGHEST; end++) {
            uint64_t place = 0, right = end == SRAT_LOWEST ? ROWS[i].lowest : ROWS[i].highest;
            bool found = srat_place(&srat, ROWS[i].node, ROWS[i].free, ROWS[i].bytes, ROWS[i].align,
                                    end, &place);

            if (found != (right != 0) || (found && place != right))
                fail_msg("row %zu: %d, 0x%llx", i, found, (unsigned long long)place);
        }
}

/* Adjacent ranges of a node are merged, in whichever order they are listed. */
TEST(ranges_that_meet)
{
    static const uint64_t STARTS[] = {MIB(0), MIB(64), MIB(128)};

    for (size_t first = 0; first < 3; first++) {
        uint64_t place;

        begin(3);
        memory(MIB(192), MIB(64), 2, 1);
        for (size_t i = 0; i < 3; i++)
            memory(STARTS[(first + i) % 3], MIB(64), 1, 1);
        memory(MIB(100), MIB(60), 1, 1);
        memory(MIB(512), MIB(64), 1, 1);
        assert_true(read_all());
        assert_int_equal(srat.ranges, 3);
        assert_int_equal(node_of(0, MIB(192)), 1);
        assert_int_equal(node_of(MIB(128), MIB(256)), NODE_UNKNOWN);
        assert_int_equal(node_of(MIB(192), MIB(256)), 2);
        assert_true(
            srat_place(&srat, 1, (struct span){0, MIB(512)}, MIB(192), 4096, SRAT_LOWEST, &place));
        assert_int_equal(place, 0);
    }
}

TEST(order_of_ranges)
{
    static const uint64_t STARTS[] = {MIB(64), MIB(512), MIB(256)};

    for (size_t first = 0; first < 3; first++) {
        uint64_t place;

        begin(3);
        for (size_t i = 0; i < 3; i++)
            memory(STARTS[(first + i) % 3], MIB(64), 1, 1);
        assert_true(read_all());
        assert_true(
            srat_place(&srat, 1, (struct span){0, MIB(1024)}, MIB(64), 4096, SRAT_LOWEST, &place));
        assert_int_equal(place, MIB(64));
        assert_true(
            srat_place(&srat, 1, (struct span){0, MIB(1024)}, MIB(64), 4096, SRAT_HIGHEST, &place));
        assert_int_equal(place, MIB(512));
    }
}
