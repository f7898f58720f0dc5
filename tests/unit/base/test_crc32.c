/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the CRC-32 with published check values and with long division by the polynomial. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/random.h"
#include "pmu/base/bytes.h"

BEFORE_ALL(random_start);

#define POLYNOMIAL_REFLECTED 0xedb88320u /* 04C11DB7h with its bits reversed */

static uint32_t crc_by_bits(const uint8_t *bytes, size_t count)
{
    uint32_t crc = ~0u;

    for (size_t bit = 0; bit < 8 * count; bit++) {
        uint32_t in = bytes[bit / 8] >> bit % 8 & 1u;
        crc = (crc ^ in) & 1 ? crc >> 1 ^ POLYNOMIAL_REFLECTED : crc >> 1;
    }
    return ~crc;
}

/*
 * CRC catalogues list the CRC of "123456789" as the check value. All values but the check value
 * come from zlib's crc32().
 */
TEST(known_vectors)
{
    uint8_t zeros[32] = {0}, ones[32];

    memset(ones, 0xff, sizeof(ones));
    assert_int_equal(crc32_ieee(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(crc32_ieee(0, "a", 1), 0xe8b7be43);
    assert_int_equal(crc32_ieee(0, "", 0), 0);
    assert_int_equal(crc32_ieee(0, zeros, sizeof(zeros)), 0x190a55ad);
    assert_int_equal(crc32_ieee(0, ones, sizeof(ones)), 0xff6cab0b);
}

TEST(every_byte_value_and_length)
{
    uint8_t bytes[256];

    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)i;
    for (size_t count = 0; count <= sizeof(bytes); count++)
        assert_int_equal(crc32_ieee(0, bytes, count), crc_by_bits(bytes, count));
    for (unsigned i = 0; i < sizeof(bytes); i++)
        assert_int_equal(crc32_ieee(0, bytes + i, 1), crc_by_bits(bytes + i, 1));
}

TEST(pieces_give_the_whole)
{
    uint8_t bytes[64];

    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)random_bits();
    for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
        uint32_t first = crc32_ieee(0, bytes, cut);
        assert_int_equal(crc32_ieee(first, bytes + cut, sizeof(bytes) - cut),
                         crc_by_bits(bytes, sizeof(bytes)));
    }
}
