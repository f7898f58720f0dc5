/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading remembered trust maps. */
#include "pmu/base/bytes.h"
#include "pmu/files/trusted.h"
#include "tests/unit/test.h"

#define LINES                                                                                      \
    "2,core,os,r00c0,pmc0,0003-1,right,exact\n"                                                    \
    "2,core,os,r00c4,pmc1,0003-1,wrong,factor 2, constant +1\n"                                    \
    "3,core,os,r00c0,pmc0,0003-1,wrong,dead\n"                                                     \
    "9,atom,os,r00c0,pmc0,0003-1,wrong,varies\n"

static struct event event;
static struct slot slot;
static char map[800];

/* A file with these lines and the right end. */
static struct piece file_of(const char *lines)
{
    struct out out = out_buffer(map, sizeof(map));

    out_printf(&out, "%s\n%s", TRUSTED_FORMAT, lines);
    trusted_end(crc32_ieee(0, map, out.used), &out);
    return piece_of(out_end(&out));
}

static const char *lines_for(uint32_t cpu, const char *core_type)
{
    static char text[800];
    struct out out = out_buffer(text, sizeof(text));
    struct piece lines;

    assert_true(trusted_open(file_of(LINES), cpu, core_type, &lines));
    for (size_t i = 0; i < lines.size; i++)
        out_char(&out, lines.at[i]);
    return out_end(&out);
}

TEST(lines_of_the_same_cpu_or_core_type)
{
    assert_string_equal(lines_for(3, "core"), "3,core,os,r00c0,pmc0,0003-1,wrong,dead");
    assert_string_equal(lines_for(7, "core"),
                        "2,core,os,r00c0,pmc0,0003-1,right,exact\n"
                        "2,core,os,r00c4,pmc1,0003-1,wrong,factor 2, constant +1");
    /* CPU 2 had another core type */
    assert_string_equal(lines_for(2, "atom"), "9,atom,os,r00c0,pmc0,0003-1,wrong,varies");
    assert_string_equal(lines_for(2, ""), "");
}

TEST(files_that_are_not_whole)
{
    struct piece file = file_of(LINES), lines;

    assert_true(trusted_open(file, 2, "core", &lines));
    for (size_t i = 0; i < file.size; i++) {
        assert_false(trusted_open((struct piece){map, i}, 2, "core", &lines));
        map[i] ^= 1;
        assert_false(trusted_open(file, 2, "core", &lines));
        map[i] ^= 1;
    }
    assert_true(trusted_open(file_of("\n,\nx,core,r\n2,core\n2,core,\n\n"), 2, "core", &lines));
    assert_int_equal(lines.size, 0);
}

/* What the lines say about an event on a general counter. */
static const char *found(const char *lines, uint64_t select, unsigned rings, unsigned counter)
{
    static char text[120];
    struct out out = out_buffer(text, sizeof(text));
    struct trusted line;

    event = (struct event){.select = select, .rings = (uint8_t)rings};
    slot = (struct slot){.counter = (uint8_t)counter};
    if (!trusted_find(piece_of(lines), &event, &slot, &line))
        return "none";
    out_printf(&out, "%llu %s ", (unsigned long long)line.cpu, line.is_wrong ? "wrong" : "right");
    piece_put(line.run, &out);
    out_char(&out, ' ');
    piece_put(line.kind, &out);
    return out_end(&out);
}

TEST(an_event_on_a_counter)
{
    assert_string_equal(found(LINES, 0xc0, RING_OS, 0), "2 right 0003-1 exact");
    assert_string_equal(found(LINES, 0xc4, RING_OS, 1), "2 wrong 0003-1 factor 2, constant +1");
    assert_string_equal(found(LINES, 0xc0, RING_USR, 0), "none");
    assert_string_equal(found(LINES, 0xc0, RING_OS, 1), "none");
    assert_string_equal(found(LINES, 0x1c0, RING_OS, 0), "none");
}

TEST(lines_that_are_cut_off)
{
    assert_string_equal(found("2,core,os,r00c0,pmc0", 0xc0, RING_OS, 0), "none");
    assert_string_equal(found("2,core,os,r00c0,pmc0,", 0xc0, RING_OS, 0), "none");
    assert_string_equal(found("2,core,os,r00c0,pmc0,0003-1,wrong,", 0xc0, RING_OS, 0), "none");
    assert_string_equal(found("2,core", 0xc0, RING_OS, 0), "none");
    assert_string_equal(found("", 0xc0, RING_OS, 0), "none");
}

TEST(names_of_files)
{
    char text[40];
    struct out out = out_buffer(text, sizeof(text));

    trusted_name(0x50654, 0xb000040, &out);
    assert_string_equal(out_end(&out), "trust-00050654-0b000040.txt");
}
