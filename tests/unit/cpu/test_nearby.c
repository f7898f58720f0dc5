/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the area of a kernel (buffer, stack, code) that contains an address or is near it. */
#include "tests/unit/test.h"
#include "pmu/cpu/nearby.h"

#define NEAR 0x100000 /* 1 MiB, as in pmu/cpu/nearby.h */

/* The stack is directly below the buffer. The code is far above. */
static const struct nearby_place PLACES[] = {
    {NEARBY_BUFFER, 0x7f8100004000, 4096},
    {NEARBY_FIRST_BUFFER, 0, 0},
    {NEARBY_STACK, 0x7f8100000000, 16384},
    {NEARBY_CODE, 0x7f8200000000, 512},
};

static void expect(uint64_t address, uint32_t area, int64_t from, uint64_t bytes)
{
    struct nearby found = nearby_find(address, PLACES, 4);

    assert_int_equal(found.area, area);
    assert_true(found.from == from);
    assert_true(found.bytes == bytes);
}

TEST(inside)
{
    expect(0x7f8100004000, NEARBY_BUFFER, 0, 4096);
    expect(0x7f8100004fff, NEARBY_BUFFER, 4095, 4096);
    expect(0x7f8100003fff, NEARBY_STACK, 16383, 16384);
    expect(0x7f82000001c4, NEARBY_CODE, 0x1c4, 512);
}

TEST(outside)
{
    expect(0x7f8100005000, NEARBY_BUFFER, 4096, 4096);
    expect(0x7f80fffffff8, NEARBY_STACK, -8, 16384);
    expect(0x7f8100005000 + NEAR - 1, NEARBY_BUFFER, 4096 + NEAR - 1, 4096);
    expect(0x7f8100000000 - NEAR, NEARBY_STACK, -NEAR, 16384);
    expect(0x7f8200000200, NEARBY_CODE, 512, 512);
}

TEST(far_away)
{
    expect(0x7f8100005000 + NEAR, NEARBY_NOTHING, 0, 0);
    expect(0x7f8100000000 - NEAR - 1, NEARBY_NOTHING, 0, 0);
    expect(0, NEARBY_NOTHING, 0, 0);
    expect(UINT64_MAX - 7, NEARBY_NOTHING, 0, 0);
}

TEST(the_same_place)
{
    const struct nearby_place both[] = {{NEARBY_BUFFER, 0x1000, 16},
                                        {NEARBY_FIRST_BUFFER, 0x1000, 16}};

    assert_int_equal(nearby_find(0x1008, both, 2).area, NEARBY_BUFFER);
}
