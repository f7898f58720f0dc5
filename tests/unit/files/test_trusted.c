/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading remembered trust maps. */
#include "pmu/files/trusted.h"
#include "tests/unit/test.h"

#define LINES                                                                                      \
    "2,core,os,r00c0,pmc0,0003-1,right,exact\n"                                                    \
    "2,core,os,r00c4,pmc1,0003-1,wrong,factor 2, constant +1\n"                                    \
    "3,core,os,r00c0,pmc0,0003-1,wrong,dead\n"                                                     \
    "9,atom,os,r00c0,pmc0,0003-1,wrong,varies\n"
#define MAP TRUSTED_FORMAT "\n" LINES TRUSTED_END "\n"

static struct event event;
static struct slot slot;

static uint64_t lines_for(uint32_t cpu, const char *core_type)
{
    uint64_t from;

    assert_true(trusted_open(piece_of(MAP), cpu, core_type, &from));
    return from;
}

TEST(lines_of_the_same_cpu_or_core_type)
{
    assert_int_equal(lines_for(3, "core"), 3);
    assert_int_equal(lines_for(7, "core"), 2);
    assert_int_equal(lines_for(2, "atom"), 9); /* CPU 2 had another core type */
    assert_int_equal(lines_for(2, ""), TRUSTED_ANY_CPU);
}

TEST(files_that_are_not_whole)
{
    static const char *const TEXTS[] = {
        "",
        TRUSTED_FORMAT,
        TRUSTED_FORMAT "\n" LINES,
        TRUSTED_FORMAT "\n" LINES "en",
        "barecount trust 2\n" LINES TRUSTED_END "\n",
        LINES TRUSTED_END "\n",
        TRUSTED_FORMAT "\n" LINES TRUSTED_END "\nmore\n",
    };
    uint64_t from;

    for (unsigned i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        assert_false(trusted_open(piece_of(TEXTS[i]), 2, "core", &from));
    assert_true(trusted_open(piece_of(TRUSTED_FORMAT "\n\n,\nx,core,r\n2,core\n2,core,\n"
                                                     "\n" TRUSTED_END "\n"),
                             2, "core", &from));
    assert_int_equal(from, TRUSTED_ANY_CPU);
}

/* What the lines say about an event on a general counter. */
static const char *found(const char *lines, uint64_t cpu, uint64_t select, unsigned rings,
                         unsigned counter)
{
    static char text[120];
    struct out out = out_buffer(text, sizeof(text));
    struct trusted line;

    event = (struct event){.select = select, .rings = (uint8_t)rings};
    slot = (struct slot){.counter = (uint8_t)counter};
    if (!trusted_find(piece_of(lines), cpu, &event, &slot, &line))
        return "none";
    out_printf(&out, "%llu %s ", (unsigned long long)line.cpu, line.is_wrong ? "wrong" : "right");
    piece_put(line.run, &out);
    out_char(&out, ' ');
    piece_put(line.kind, &out);
    return out_end(&out);
}

TEST(an_event_on_a_counter)
{
    assert_string_equal(found(MAP, 2, 0xc0, RING_OS, 0), "2 right 0003-1 exact");
    assert_string_equal(found(MAP, 3, 0xc0, RING_OS, 0), "3 wrong 0003-1 dead");
    assert_string_equal(found(MAP, 2, 0xc4, RING_OS, 1), "2 wrong 0003-1 factor 2, constant +1");
    assert_string_equal(found(MAP, TRUSTED_ANY_CPU, 0xc4, RING_OS, 1),
                        "2 wrong 0003-1 factor 2, constant +1");
    assert_string_equal(found(MAP, 3, 0xc4, RING_OS, 1), "none");
    assert_string_equal(found(MAP, 2, 0xc0, RING_USR, 0), "none");
    assert_string_equal(found(MAP, 2, 0xc0, RING_OS, 1), "none");
    assert_string_equal(found(MAP, 2, 0x1c0, RING_OS, 0), "none");
}

TEST(lines_that_are_cut_off)
{
    assert_string_equal(found("2,core,os,r00c0,pmc0", 2, 0xc0, RING_OS, 0), "none");
    assert_string_equal(found("2,core,os,r00c0,pmc0,", 2, 0xc0, RING_OS, 0), "none");
    assert_string_equal(found("2,core,os,r00c0,pmc0,0003-1,wrong,", 2, 0xc0, RING_OS, 0), "none");
    assert_string_equal(found("2,core", 2, 0xc0, RING_OS, 0), "none");
    assert_string_equal(found("", 2, 0xc0, RING_OS, 0), "none");
}

TEST(names_of_files)
{
    char text[40];
    struct out out = out_buffer(text, sizeof(text));

    trusted_name(0x50654, 0xb000040, &out);
    assert_string_equal(out_end(&out), "trust-00050654-0b000040.txt");
}
