/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes framed lines as pmu/files/frames.h defines them. */
#include <sys/mman.h>
#include <zlib.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/random.h"
#include "pmu/base/bytes.h"
#include "pmu/files/frames.h"

BEFORE_ALL(random_start);

#define RUN_ID  0x0123456789abcdefull
#define LONGEST 200u

struct parts {
    unsigned id, file, line, crc;
    char base64[FRAME_LINE_BYTES];
};

static struct parts take_apart(const char *text)
{
    struct parts parts = {0};
    int end = -1;

    assert_true(strlen(text) <= 79);
    assert_int_equal(sscanf(text, "@BC2:%8x:%1x:%5x:%79[A-Za-z0-9+/=]:%8x%n", &parts.id,
                            &parts.file, &parts.line, parts.base64, &parts.crc, &end),
                     5);
    assert_int_equal(end, strlen(text));
    assert_int_equal(parts.crc, crc32_ieee(0, text, strlen(text) - 9));
    return parts;
}

static size_t decode(const char *base64, uint8_t *bytes)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t bits = 0;

    assert_int_equal(strlen(base64) % 4, 0);
    memset(bytes, 0, FRAME_PAYLOAD_BYTES + 3);
    for (const char *at = base64; *at && *at != '='; at++)
        for (unsigned bit = 0; bit < 6; bit++, bits++)
            bytes[bits / 8] |=
                (uint8_t)(((strchr(DIGITS, *at) - DIGITS) >> (5 - bit) & 1) << (7 - bits % 8));
    return bits / 8;
}

/* RFC 4648, section 10. */
TEST(base64_of_the_standard)
{
    static const char *const VECTORS[][2] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                             {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    struct frames frames;
    char text[FRAME_LINE_BYTES];

    frames_start(&frames, 1, RUN_ID);
    for (unsigned i = 0; i < sizeof(VECTORS) / sizeof(VECTORS[0]); i++) {
        struct parts parts = take_apart(frames_line(&frames, 15, FRAMES_LINES_MAX - 1,
                                                    VECTORS[i][0], strlen(VECTORS[i][0]), text));

        assert_string_equal(parts.base64, VECTORS[i][1]);
        assert_int_equal(parts.file, 15);
        assert_int_equal(parts.line, FRAMES_LINES_MAX - 1);
    }
}

TEST(the_longest_line_has_79_columns)
{
    struct frames frames;
    char text[FRAME_LINE_BYTES], payload[FRAME_PAYLOAD_BYTES] = {0};

    frames_start(&frames, 99999, UINT64_MAX);
    assert_int_equal(strlen(frames_line(&frames, 1, 0, payload, sizeof(payload), text)), 79);
    assert_true(frames_add(&frames, "fifteen-letters", FRAMES_BYTES_MAX, UINT32_MAX));
    for (unsigned line = 0; line <= 1; line++)
        assert_true(strlen(frames_contents(&frames, line, text)) <= 79);
}

TEST(the_table_of_contents)
{
    const char *const expected[] = {"run 0042 0123456789abcdef 2", "results.csv 9 cbf43926",
                                    "run.json 0 00000000", "end"};
    uint8_t bytes[FRAME_LINE_BYTES];
    struct frames frames;
    char text[FRAME_LINE_BYTES];
    uint32_t id = 0;

    frames_start(&frames, 42, RUN_ID);
    assert_true(frames_add(&frames, "results.csv", 9, 0xcbf43926));
    assert_true(frames_add(&frames, "run.json", 0, 0));
    for (unsigned line = 0; line < 3; line++)
        id = crc32_ieee(id, expected[line], strlen(expected[line]));
    for (unsigned line = 0; line < 4; line++) {
        struct parts parts = take_apart(line == 3 ? frames_end(&frames, text)
                                                  : frames_contents(&frames, line, text));
        size_t count = decode(parts.base64, bytes);

        assert_int_equal(count, strlen(expected[line]));
        assert_memory_equal(bytes, expected[line], count);
        assert_int_equal(parts.id, id);
        assert_int_equal(parts.file, 0);
        assert_int_equal(parts.line, line);
    }
    /*
     * The 3 lines of contents are sent three times: before, between and after the files. One end
     * line and one line of data are sent as well.
     */
    assert_int_equal(frames_lines(&frames), 3 * 3 + 1 + 1);
}

struct came {
    unsigned id, lines;
    size_t bytes;
    uint8_t payload[LONGEST * 2 + FRAME_PAYLOAD_BYTES];
    unsigned stop; /* the line to refuse */
};

static bool take(void *context, const char *text)
{
    struct came *came = context;
    struct parts parts = take_apart(text);

    assert_int_equal(parts.id, came->id);
    assert_int_equal(parts.file, 1);
    assert_int_equal(parts.line, came->lines);
    if (came->lines == came->stop)
        return false;
    came->lines++;
    came->bytes += decode(parts.base64, came->payload + came->bytes);
    return true;
}

static void assert_inflates_to(struct came *came, const uint8_t *in, size_t size)
{
    uint8_t out[LONGEST + 1];
    z_stream zlib = {.next_in = came->payload,
                     .avail_in = (unsigned)came->bytes,
                     .next_out = out,
                     .avail_out = sizeof(out)};

    assert_int_equal(inflateInit2(&zlib, -15), Z_OK);
    assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
    assert_int_equal(zlib.total_out, size);
    inflateEnd(&zlib);
    assert_memory_equal(out, in, size);
}

TEST(files_come_out_as_they_went_in)
{
    static struct deflate work;
    uint8_t in[LONGEST];

    for (unsigned i = 0; i < LONGEST; i++)
        in[i] = (uint8_t)random_bits();
    for (size_t size = 0; size <= LONGEST; size++) {
        size_t deflated = frames_deflated(&work, in, size, SIZE_MAX);
        struct came came = {.stop = UINT32_MAX};
        struct frames frames;

        frames_start(&frames, 1, RUN_ID);
        assert_true(frames_add(&frames, "file", deflated, crc32_ieee(0, in, size)));
        came.id = frames.id;
        assert_true(frames_file(&frames, 1, &work, in, size, take, &came));
        assert_int_equal(came.lines, frames_lines_of(deflated));
        assert_int_equal(came.bytes, deflated);
        assert_inflates_to(&came, in, size);
    }
}

TEST(a_file_that_is_too_large_is_not_read_to_its_end)
{
    enum { READABLE = 1 << 20, MOST = 1 << 16 };
    static struct deflate work;
    uint8_t *memory =
        mmap(NULL, 2 * READABLE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    for (unsigned i = 0; i < READABLE; i++)
        memory[i] = (uint8_t)random_bits();
    assert_int_equal(mprotect(memory + READABLE, READABLE, PROT_NONE), 0);
    assert_true(frames_deflated(&work, memory, 2 * READABLE, MOST) > MOST);
    assert_true(frames_deflated(&work, memory + READABLE, DEFLATE_BYTES_MAX, MOST) > MOST);
    munmap(memory, 2 * READABLE);
}

TEST(who_takes_no_more_ends_a_file)
{
    static struct deflate work;
    uint8_t in[LONGEST];
    struct came came = {.stop = 2};
    struct frames frames;

    for (unsigned i = 0; i < LONGEST; i++)
        in[i] = (uint8_t)random_bits();
    frames_start(&frames, 1, RUN_ID);
    assert_true(frames_add(&frames, "file", frames_deflated(&work, in, LONGEST, SIZE_MAX), 0));
    came.id = frames.id;
    assert_false(frames_file(&frames, 1, &work, in, LONGEST, take, &came));
    assert_int_equal(came.lines, 2);
}

TEST(ids_differ)
{
    struct frames frames[4];

    for (unsigned i = 0; i < 4; i++) {
        frames_start(&frames[i], i == 1 ? 2 : 1, i == 2 ? RUN_ID + 1 : RUN_ID);
        assert_true(frames_add(&frames[i], "file", 1, i == 3 ? 8 : 7));
        for (unsigned j = 0; j < i; j++)
            assert_int_not_equal(frames[i].id, frames[j].id);
    }
}

TEST(what_does_not_fit_is_refused)
{
    struct frames frames;

    frames_start(&frames, 1, RUN_ID);
    assert_false(frames_add(&frames, "sixteen-letters-", 0, 0));
    assert_false(frames_add(&frames, "large", FRAMES_BYTES_MAX + 1, 0));
    for (unsigned i = 0; i < FRAMES_FILES_MAX; i++)
        assert_true(frames_add(&frames, "file", 0, 0));
    assert_false(frames_add(&frames, "file", 0, 0));
    assert_int_equal(frames.files, 15);
}
