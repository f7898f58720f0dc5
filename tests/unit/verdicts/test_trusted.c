/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading remembered trust maps. */
#include "pmu/verdicts/trusted.h"
#include "tests/unit/test.h"

#define MAP                                                                                        \
    TRUSTED_FORMAT "\n"                                                                            \
                   "2,core,r00c0,pmc0,0003-1,exact\n"                                              \
                   "2,core,r00c4,pmc1,0003-1,factor 2, constant +1\n"                              \
                   "3,core,r00c0,pmc0,0003-1,dead\n"                                               \
                   "9,atom,r00c0,pmc0,0003-1,varies\n"

static char copied[400];

static bool copy(const char *text, uint32_t cpu, const char *core_type)
{
    struct out out = out_buffer(copied, sizeof(copied));
    bool is_map = trusted_copy(text, strlen(text), cpu, core_type, &out);

    out_end(&out);
    return is_map;
}

static const char *kind(const char *lines, const char *encoding, const char *counter)
{
    static char text[80];
    struct out out = out_buffer(text, sizeof(text));
    struct trusted line;

    if (!trusted_find(lines, encoding, counter, &line))
        return "none";
    piece_put(line.kind, &out);
    return out_end(&out);
}

TEST(lines_of_the_same_cpu_or_core_type)
{
    assert_true(copy(MAP, 3, "core"));
    assert_string_equal(copied, "r00c0,pmc0,0003-1,dead\n");
    assert_true(copy(MAP, 7, "core"));
    assert_string_equal(copied, "r00c0,pmc0,0003-1,exact\n"
                                "r00c4,pmc1,0003-1,factor 2, constant +1\n");
    assert_true(copy(MAP, 2, "atom")); /* CPU 2 had another core type */
    assert_string_equal(copied, "r00c0,pmc0,0003-1,varies\n");
    assert_true(copy(MAP, 2, "")); /* not hybrid */
    assert_string_equal(copied, "");
    assert_true(copy(TRUSTED_FORMAT "\n0,,r00c0,pmc0,0003-1,exact\n", 0, ""));
    assert_string_equal(copied, "r00c0,pmc0,0003-1,exact\n");
}

TEST(not_a_map)
{
    assert_false(copy("", 2, "core"));
    assert_false(copy("barecount trust 2\n2,core,r00c0,pmc0,0003-1,exact\n", 2, "core"));
    assert_true(copy(TRUSTED_FORMAT "\n\n,\nx,core,r00c0\n2,core\n2,core,\n", 2, "core"));
    assert_string_equal(copied, "");
}

TEST(an_event_on_a_counter)
{
    static const char LINES[] = "r00c0,pmc0,0003-1,exact\nr00c4,pmc1,0003-1,factor 2, constant +1\n"
                                "r00c5,pmc1\nr00c6,pmc1,0003-1,";

    assert_string_equal(kind(LINES, "r00c0", "pmc0"), "exact");
    assert_string_equal(kind(LINES, "r00c4", "pmc1"), "factor 2, constant +1");
    assert_string_equal(kind(LINES, "r00c0", "pmc1"), "none");
    assert_string_equal(kind(LINES, "r00c", "pmc0"), "none");
    assert_string_equal(kind(LINES, "r00c5", "pmc1"), "none"); /* cut off */
    assert_string_equal(kind(LINES, "r00c6", "pmc1"), "none");
    assert_string_equal(kind("", "", ""), "none");
}

TEST(names_of_files)
{
    char text[40];
    struct out out = out_buffer(text, sizeof(text));

    trusted_name(0x50654, 0xb000040, &out);
    assert_string_equal(out_end(&out), "trust-00050654-0b000040.txt");
}
