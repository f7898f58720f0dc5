/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the output of deflate_bytes() with zlib's inflate, and the size of this output with the
 * tables of RFC 1951. Checks inflate_bytes() with the output of deflate_bytes() and of zlib.
 */
#include <zlib.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/random.h"
#include "pmu/base/deflate.h"

BEFORE_ALL(random_start);

#define LARGEST     (4 * DEFLATE_WINDOW)
#define STREAM_SIZE (LARGEST * 9 / 8 + 3)
#define LONGEST     258u

static struct deflate work;
static uint8_t input[LARGEST], output[LARGEST + 1];
static char stream[STREAM_SIZE];

static void check_inflate(size_t used, size_t count)
{
    memset(output, 0x5a, count + 1);
    assert_true(inflate_bytes(stream, used, output, count));
    assert_memory_equal(output, input, count);
    assert_int_equal(output[count], 0x5a);
    assert_false(inflate_bytes(stream, used, output, count + 1));
    assert_false(count > 0 && inflate_bytes(stream, used, output, count - 1));
    assert_false(inflate_bytes(stream, used - 1, output, count));
}

static size_t goes_through(size_t count)
{
    struct out out = out_buffer(stream, count * 9 / 8 + 3);
    z_stream zlib = {.next_in = (uint8_t *)stream, .next_out = output, .avail_out = LARGEST};

    memset(&work, 0xa5, sizeof(work)); /* deflate_bytes() must initialise the work area */
    deflate_bytes(&work, input, count, &out);
    assert_false(out.failed); /* within the documented bound */
    zlib.avail_in = (unsigned)out.used;
    assert_int_equal(inflateInit2(&zlib, -15), Z_OK);
    assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
    assert_int_equal(zlib.avail_in, 0);
    assert_int_equal(zlib.total_out, count);
    inflateEnd(&zlib);
    assert_memory_equal(output, input, count);
    check_inflate(out.used, count);
    return out.used;
}

static void put_random(size_t at, size_t count, unsigned symbols)
{
    for (size_t i = at; i < at + count; i++)
        input[i] = (uint8_t)random_below(symbols);
}

TEST(bytes_of_any_kind)
{
    static const unsigned SYMBOLS[] = {1, 2, 3, 16, 144, 256};

    for (unsigned i = 0; i < sizeof(SYMBOLS) / sizeof(SYMBOLS[0]); i++) {
        for (size_t count = 0; count < 600; count++) {
            put_random(0, count, SYMBOLS[i]);
            goes_through(count);
        }
        put_random(0, LARGEST, SYMBOLS[i]);
        goes_through(LARGEST);
    }
}

/* Every match length, and both ends of every second group of distances of RFC 1951, 3.2.5. */
TEST(matches_of_each_length_and_distance)
{
    for (size_t length = 3; length <= LONGEST; length++) {
        put_random(0, 400, 256);
        memcpy(input + 400, input, length);
        goes_through(400 + length);
    }
    for (size_t power = 2; power <= DEFLATE_WINDOW; power *= 2)
        for (size_t distance = power / 2; distance <= power + 1; distance += power / 4 + 1) {
            put_random(0, distance, 256);
            for (size_t i = distance; i < distance + 100; i++)
                input[i] = input[i - distance];
            goes_through(distance + 100);
        }
}

TEST(a_match_lies_at_most_a_window_back)
{
    size_t size[2];

    for (size_t more = 0; more < 2; more++) {
        size_t distance = DEFLATE_WINDOW + more;

        put_random(0, distance, 256);
        memcpy(input + distance, input, 2000);
        size[more] = goes_through(distance + 2000);
    }
    assert_true(size[0] + 1900 < size[1]); /* 2,000 literals against eight matches */
}

/*
 * The block's header takes 3 bits, the first byte takes 8 bits, each match of 258 bytes takes 8 + 5
 * bits, and the end code takes 7 bits.
 */
TEST(the_size_of_zeros)
{
    memset(input, 0, sizeof(input));
    for (size_t matches = 0; matches < 400; matches++)
        assert_int_equal(goes_through(1 + matches * LONGEST), (3 + 8 + 13 * matches + 7 + 7) / 8);
}

/*
 * zlib begins a new block after some number of symbols; after Z_PARTIAL_FLUSH, the last block is
 * empty.
 */
TEST(what_zlib_writes)
{
    for (unsigned end = 0; end < 2; end++) {
        z_stream zlib = {.next_in = input, .next_out = (uint8_t *)stream};

        put_random(0, LARGEST, 16);
        assert_int_equal(deflateInit2(&zlib, 9, Z_DEFLATED, -15, 1, Z_FIXED), Z_OK);
        zlib.avail_in = LARGEST;
        zlib.avail_out = STREAM_SIZE;
        assert_int_equal(deflate(&zlib, end ? Z_PARTIAL_FLUSH : Z_FINISH),
                         end ? Z_OK : Z_STREAM_END);
        assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
        check_inflate(zlib.total_out, LARGEST);
        deflateEnd(&zlib);
    }
}

TEST(malformed_streams)
{
    const size_t count = 5000;
    size_t used, wrong = 0;

    put_random(0, count, 4);
    used = goes_through(count);
    for (unsigned type = 0; type < 4; type++) { /* BTYPE: stored, fixed, dynamic, reserved */
        stream[0] = (char)((stream[0] & ~6) | (int)type << 1);
        assert_int_equal(inflate_bytes(stream, used, output, count), type == 1);
    }
    stream[0] = (char)((stream[0] & ~6) | 2);
    for (unsigned i = 0; i < 5000; i++) { /* the sanitizer reports accesses outside the buffers */
        const size_t at = random_below((unsigned)used);
        const char flipped = (char)(1u << random_below(8));

        stream[at] ^= flipped;
        wrong += !inflate_bytes(stream, used, output, count) || memcmp(output, input, count) != 0;
        stream[at] ^= flipped;
    }
    assert_true(wrong > 4500);
}

/* Appends the `count` lowest bits of `bits`, the lowest first, at the bit position *at. */
static void put(unsigned *at, unsigned bits, unsigned count)
{
    for (; count-- > 0; bits >>= 1, ++*at)
        stream[*at / 8] |= (char)((bits & 1) << *at % 8);
}

/*
 * RFC 1951, 3.2.6: length symbols 286 and 287 and distance symbols 30 and 31 never occur. There are
 * more bytes before the match than the largest distance, so only the symbol can make the match
 * invalid.
 */
TEST(invalid_symbols)
{
    static const struct {
        unsigned length_code, length_bits, distance_code;
        bool is_valid;
    } ROWS[] = {{0x40, 7, 0, true},      /* 0000001, symbol 257: three bytes */
                {0x63, 8, 0, false},     /* 11000110, symbol 286 */
                {0xe3, 8, 0, false},     /* 11000111, symbol 287 */
                {0x40, 7, 0xf, false},   /* 11110, distance symbol 30 */
                {0x40, 7, 0x1f, false}}; /* 11111, distance symbol 31 */
    const unsigned matches = 3 * DEFLATE_WINDOW / LONGEST;
    const size_t before = 1 + matches * LONGEST;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        unsigned at = 0;

        memset(stream, 0, 1000);
        put(&at, 3, 3);    /* the last block, with fixed codes */
        put(&at, 0x89, 8); /* 10010001: 'a' */
        for (unsigned match = 0; match < matches; match++)
            put(&at, 0xa3, 8 + 5); /* 11000101, 258 bytes; distance 1 */
        put(&at, ROWS[i].length_code, ROWS[i].length_bits);
        put(&at, ROWS[i].distance_code, 5);
        for (size_t more = 0; more < 600; more++)
            assert_int_equal(inflate_bytes(stream, 1000, output, before + more),
                             ROWS[i].is_valid && more == 3);
    }
}
