/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounded output. out_printf() must give the same text as snprintf() for the conversions that it
 * supports.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/base/out.h"
#include "pmu/base/status.h"

static char buffer[256];

/* `format` must be a literal, so that the compiler checks the arguments. */
#define SAME(format, ...)                                                                          \
    do {                                                                                           \
        char expected[sizeof(buffer)];                                                             \
        struct out out = out_buffer(buffer, sizeof(buffer));                                       \
        snprintf(expected, sizeof(expected), format, __VA_ARGS__);                                 \
        out_printf(&out, format, __VA_ARGS__);                                                     \
        assert_string_equal(out_end(&out), expected);                                              \
        assert_false(out.failed);                                                                  \
    } while (0)

TEST(conversions_are_those_of_printf)
{
    SAME("%s|%s", "", "text");
    SAME("%c%c", 'a', '%');
    SAME("100%% of %d", 7);
    SAME("%d %d %d", 0, INT_MAX, INT_MIN);
    SAME("%u %u", 0u, UINT_MAX);
    SAME("%x %x %x", 0u, 0x9abcdef0u, UINT_MAX);
    SAME("%ld %ld", LONG_MAX, LONG_MIN);
    SAME("%lld %lld %lld", LLONG_MAX, LLONG_MIN, -1ll);
    SAME("%lu %lx", ULONG_MAX, ULONG_MAX);
    SAME("%llu %llx", ULLONG_MAX, ULLONG_MAX);
    SAME("%llx", 0x0123456789abcdefull);
    SAME("%d%lld%u%s", -1, -2ll, 3u, "4"); /* each conversion takes only its own argument */
}

TEST(widths_and_flags_are_those_of_printf)
{
    SAME("[%5d][%-5d][%05d]", 42, 42, 42);
    SAME("[%5d][%-5d][%05d]", -42, -42, -42);
    SAME("[%2d][%02d][%-2d]", -421, -421, 421);
    SAME("[%3d][%03d][%-3d]", -42, -42, -42);
    SAME("[%1d][%10u]", 0, 10u);
    SAME("[%08x][%8x][%-8x]", 0xabcu, 0xabcu, 0xabcu);
    SAME("[%016llx]", 1ull);
    SAME("[%6s][%-6s][%2s]", "abc", "abc", "abc");
    SAME("[%3c][%-3c]", 'x', 'x');
    SAME("[%12d][%9d][%19d]", 5, 5, 5);
    SAME("[%*d][%*s]", 6, 42, 4, "ab");
    SAME("[%*d][%*s]", -6, 42, -4, "ab");
    SAME("[%-*d][%0*d]", 6, 42, 6, 42);
    SAME("[%*d]", 0, 42);
}

/* The upper half of a 64-bit register that holds an int is undefined. */
TEST(upper_halves_are_not_printed)
{
    const char *volatile format = "%u %x %d %c"; /* volatile, so that gcc cannot check it */

    assert_written(out_printf(&out, format, 0xa5a5a5a500000007ull, 0xa5a5a5a500000008ull,
                              0xa5a5a5a5ffffffffull, 0xa5a5a5a500000041ull),
                   "7 8 -1 A");
}

TEST(null_text_is_nothing)
{
    const char *volatile none = NULL;

    assert_written(out_printf(&out, "<%s|%3s>", none, none), "<|   >");
}

TEST(thousandths_are_decimals)
{
    static const struct {
        int64_t value;
        const char *text;
    } ROWS[] = {
        {0, "0"},
        {1, "0.001"},
        {10, "0.01"},
        {100, "0.1"},
        {999, "0.999"},
        {1000, "1"},
        {1001, "1.001"},
        {1010, "1.01"},
        {1500, "1.5"},
        {-250, "-0.25"},
        {2000, "2"},
        {-1, "-0.001"},
        {-1000, "-1"},
        {-1050, "-1.05"},
        {990909, "990.909"},
        {INT64_MAX, "9223372036854775.807"},
        {INT64_MIN, "-9223372036854775.808"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_written(out_milli(&out, ROWS[i].value), ROWS[i].text);
}

TEST(what_is_counted_is_one_or_many)
{
    char text[COUNTED_BYTES];

    assert_string_equal(counted(0, "row", text), "0 rows");
    assert_string_equal(counted(1, "more row", text), "1 more row");
    assert_string_equal(counted(2, "CPU", text), "2 CPUs");
    assert_string_equal(counted(1, "pass", text), "1 pass");
    assert_string_equal(counted(3, "pass", text), "3 passes");
    assert_string_equal(counted(UINT64_MAX, "general counter", text),
                        "18446744073709551615 general counters");
}

TEST(padding_is_counted_from_the_line)
{
    struct out out = out_buffer(buffer, 24);

    out_text(&out, "first\n");
    out_text(&out, "ab");
    out_pad(&out, 6, 5);
    out_text(&out, "c");
    out_pad(&out, 6, 3); /* already past column 3 */
    out_text(&out, "d");
    assert_string_equal(out_end(&out), "first\nab   cd");
    out_pad(&out, 0, 1000); /* stops when the buffer is full */
    assert_true(out.failed);
    assert_int_equal(out.used, 24);
}

TEST(full_buffer_is_cut_and_said)
{
    char small[9] = "--------!";
    struct out out = out_buffer(small, 8);

    out_text(&out, "1234567");
    assert_string_equal(out_end(&out), "1234567");
    assert_false(out.failed);

    out_char(&out, '8'); /* text fills all 8 bytes; there is no room for the terminator */
    assert_false(out.failed);
    assert_string_equal(out_end(&out), "1234567");
    assert_true(out.failed);

    out = out_buffer(small, 8);
    out_printf(&out, "%s", "123456789");
    assert_true(out.failed);
    assert_int_equal(out.used, 8);
    assert_false(out_flush(&out));
    out_text(&out, "x"); /* discarded */
    assert_string_equal(out_end(&out), "1234567");
    assert_int_equal(small[8], '!');

    out = out_buffer(small, 1);
    assert_string_equal(out_end(&out), "");
    assert_false(out.failed);
}

static struct {
    char text[64];
    size_t used;
    unsigned calls;
    unsigned failing_call; /* from 1; 0: none */
} sink;

static bool take(void *context, const char *bytes, size_t count)
{
    assert_ptr_equal(context, &sink);
    sink.calls++;
    memcpy(sink.text + sink.used, bytes, count);
    sink.used += count;
    return sink.calls != sink.failing_call;
}

/* The longest time that is shown in each unit, and the shortest in the next unit. */
TEST(times_as_people_say_them)
{
    static const struct {
        const char *words;
        uint64_t us;
        bool tenths;
    } ROWS[] = {
        {"5124095576 h 01 min", UINT64_MAX, false}, /* the largest possible value */
        {"0 s", 0, false},
        {"0.0 s", 0, true},
        {"25 s", 25999999, false},
        {"25.9 s", 25999999, true},
        {"119 s", 119999999, false},
        {"119.9 s", 119999999, true},
        {"2 min 00 s", 120000000, false},
        {"2 min 00 s", 120000000, true},
        {"7 min 20 s", 440000000, true},
        {"59 min 59 s", 3599999999, false},
        {"1 h 00 min", 3600000000, false},
        {"2 h 05 min", 7559999999, true},
        {"100 h 00 min", 360000000000, false},
    };
    char text[TIME_WORDS_BYTES];

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_string_equal(time_words(ROWS[i].us, ROWS[i].tenths, text), ROWS[i].words);
}

TEST(stream_drains_when_full_and_at_the_end)
{
    char small[4];
    struct out out = out_stream(small, sizeof(small), take, &sink);

    memset(&sink, 0, sizeof(sink));
    out_text(&out, "abcd");
    assert_int_equal(sink.calls, 0);
    out_text(&out, "efghi");
    assert_int_equal(sink.calls, 2);
    assert_true(out_flush(&out));
    assert_int_equal(sink.calls, 3);
    assert_true(out_flush(&out)); /* nothing left to drain */
    assert_int_equal(sink.calls, 3);
    assert_int_equal(sink.used, 9);
    assert_memory_equal(sink.text, "abcdefghi", 9);
}

TEST(failing_drain_ends_the_output)
{
    char small[4];
    struct out out = out_stream(small, sizeof(small), take, &sink);

    memset(&sink, 0, sizeof(sink));
    sink.failing_call = 2;
    out_text(&out, "abcdefghijklmnop");
    assert_true(out.failed);
    assert_int_equal(sink.calls, 2);
    out_printf(&out, "%d", 1);
    assert_false(out_flush(&out));
    assert_int_equal(sink.calls, 2);
    assert_memory_equal(sink.text, "abcdefgh", 8);

    memset(&sink, 0, sizeof(sink));
    sink.failing_call = 1;
    out = out_stream(small, sizeof(small), take, &sink);
    out_text(&out, "ab");
    assert_false(out_flush(&out)); /* a failure of the last drain is reported as well */
}

TEST(statuses_have_sentences)
{
    for (unsigned code = 0; code < STATUS_COUNT; code++) {
        assert_true(strlen(status_text(code)) >= 2);
        for (unsigned other = 0; other < code; other++)
            assert_string_not_equal(status_text(code), status_text(other));
    }
    assert_string_equal(status_text(STATUS_OK), "ok");
    assert_string_equal(status_text(STATUS_COUNT), "unknown status");
    assert_string_equal(status_text(UINT_MAX), "unknown status");
}
