/* SPDX-License-Identifier: BSD-2-Clause */
/* Cutting text into pieces, and parsing pieces as numbers. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/base/piece.h"

TEST(cutting)
{
    struct piece rest;
    struct piece first = piece_cut(piece_of(" a b ,\t, c"), ',', &rest);

    assert_true(piece_is(first, "a b"));
    assert_true(piece_is(piece_cut(rest, ',', &rest), ""));
    assert_non_null(rest.at);
    assert_true(piece_is(piece_cut(rest, ',', &rest), "c"));
    assert_null(rest.at);
    piece_cut(piece_of("a,"), ',', &rest); /* an empty piece follows */
    assert_non_null(rest.at);
    assert_int_equal(rest.size, 0);
    assert_int_equal(piece_trim(piece_of(" \t\r ")).size, 0);
    assert_int_equal(piece_find(piece_of("abc"), 'c'), 2);
    assert_int_equal(piece_find(piece_of("abc"), 'd'), 3);
    assert_int_equal(piece_find_blank(piece_of("ab\tc ")), 2);
    assert_int_equal(piece_find_blank(piece_of("ab")), 2);
}

/*
 * piece_find() compares eight bytes at once. The function must not find bytes that differ from the
 * sought byte in a single bit.
 */
TEST(finding_at_each_place)
{
    static const char SOUGHT[] = {',', '\n', '\x7f', '\x80', '\xff', 0};
    char bytes[25];

    for (size_t s = 0; s < sizeof(SOUGHT); s++)
        for (size_t size = 0; size <= sizeof(bytes); size++)
            for (size_t at = 0; at <= size; at++) {
                memset(bytes, SOUGHT[s] ^ 1, sizeof(bytes));
                for (size_t i = 0; i < at; i += 2)
                    bytes[i] = (char)(SOUGHT[s] ^ 0x80);
                if (at < size)
                    memset(bytes + at, SOUGHT[s], at % 3 ? 1 : size - at);
                if (size < sizeof(bytes))
                    bytes[size] = SOUGHT[s]; /* beyond the piece */
                assert_int_equal(piece_find((struct piece){bytes, size}, SOUGHT[s]), at);
            }
}

TEST(words)
{
    assert_true(piece_is(piece_of("run"), "run"));
    assert_false(piece_is(piece_of("run"), "Run"));
    assert_false(piece_is(piece_of("run"), "ru"));
    assert_false(piece_is(piece_of("ru"), "run"));
    assert_true(piece_is_any_case(piece_of("CMask"), "cmasK"));
    assert_false(piece_is_any_case(piece_of("CMask"), "cmas"));
    assert_false(piece_is_any_case(piece_of("CMas"), "cmask"));
    assert_false(piece_is_any_case(piece_of("@"), "`")); /* 20H apart, as 'a' and 'A' are */
}

/* The parts between '*' must occur in the pattern's order, without overlapping. */
TEST(patterns)
{
    static const struct {
        const char *pattern;
        bool is_held;
    } ROWS[] = {{"", true},        {"*", true},         {"load", true},  {"MEM_LOAD*", true},
                {"*l1*", true},    {"mem*L1_M*", true}, {"s", true},     {"MISS*LOAD", false},
                {"L1*L1", false},  {"MISSS", false},    {"MISS*", true}, {"MEM**MISS", true},
                {"lat_*x", false}, {"D.*D", false}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_int_equal(piece_holds(piece_of("MEM_LOAD_RETIRED.L1_MISS"), ROWS[i].pattern),
                         ROWS[i].is_held);
    assert_false(piece_holds(piece_of(""), "a"));
    assert_true(piece_holds(piece_of(""), "*"));
}

TEST(shown)
{
    static const char BYTES[] = {'a', 0, '\n', (char)0xe4, '~', 0x7f};
    char buffer[PIECE_SHOW_BYTES];

    assert_string_equal(piece_show((struct piece){BYTES, 6}, buffer), "a???~?");
    assert_string_equal(piece_show(piece_of("0123456789012345678901234567890123456789"), buffer),
                        "0123456789012345678901234567890");
    assert_written(piece_put(((struct piece){BYTES, 6}), &out), "a???~?");
}

TEST(numbers)
{
    uint64_t unused;

    assert_false(piece_number(piece_of("0x0x1"), &unused));
    assert_false(piece_number(piece_of("0x"), &unused));
    static const struct {
        const char *text;
        bool (*parse)(struct piece, uint64_t *);
        bool good;
        uint64_t value;
    } ROWS[] = {
        {"0", piece_number, true, 0},
        {"0123", piece_number, true, 123},
        {"18446744073709551615", piece_number, true, UINT64_MAX},
        {"18446744073709551616", piece_number, false, 0},
        {"99999999999999999999", piece_number, false, 0},
        {"0xFfffffffffffffff", piece_number, true, UINT64_MAX},
        {"0x10000000000000000", piece_number, false, 0},
        {"0X1a", piece_number, true, 26},
        {"0x", piece_number, false, 0},
        {"1a", piece_number, false, 0},
        {"", piece_number, false, 0},
        {"-1", piece_number, false, 0},
        {"1 2", piece_number, false, 0},
        {"4K", piece_number, false, 0},
        {"81d0", piece_hex, true, 0x81d0},
        {"0x81D0", piece_hex, true, 0x81d0},
        {"", piece_hex, false, 0},
        {"g", piece_hex, false, 0},
        {"@", piece_hex, false, 0},
        {"4K", piece_size, true, 4096},
        {"64m", piece_size, true, 64ull << 20},
        {"0x3G", piece_size, true, 3ull << 30},
        {"17", piece_size, true, 17},
        {"17179869183G", piece_size, true, 17179869183ull << 30},
        {"17179869184G", piece_size, false, 0}, /* 2^34 * 2^30 */
        {"K", piece_size, false, 0},
        {"4KK", piece_size, false, 0},
        {"4T", piece_size, false, 0},
        {"", piece_size, false, 0},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        uint64_t value = 7;
        bool good = ROWS[i].parse(piece_of(ROWS[i].text), &value);

        if (good != ROWS[i].good || (good && value != ROWS[i].value))
            fail_msg("row %zu, '%s': %d, %llu", i, ROWS[i].text, good, (unsigned long long)value);
    }
}
