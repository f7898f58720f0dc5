/* SPDX-License-Identifier: BSD-2-Clause */
/* What index.csv may contain when a run adds its line. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/journal/index_file.h"

#define OLDEST "number,label,time,model,uuid,verdict"
#define OURS   OLDEST ",plan_errors"

static const struct {
    const char *text;
    bool is_new, is_other, is_cut;
    unsigned further;
} FILES[] = {
    {"", true, false, false, 0},
    {OURS "\r\n", false, false, false, 0},
    {OURS "\n", false, false, false, 0}, /* written by an editor */
    {OURS "\r\n0001,,,,,PASS\r\n", false, false, false, 0},
    {OURS "\r\n0001,,,,,PASS\r", false, false, true, 0},
    {OURS "\r\n0001,,,,,PA", false, false, true, 0},
    {OURS ",where\r\n0001,,,,,PASS,net\r\n", false, false, false, 1},
    {OURS ",where,step_2\r\n0001,,,,,PASS,net,x", false, false, true, 2},
    {OURS ",\r\n", false, true, false, 0},
    {OURS ",a b\r\n", false, true, false, 0},
    {OLDEST "s\r\n", false, true, false, 0},
    {OURS, false, true, true, 0}, /* its header is unterminated */
    {OURS "\r", false, true, true, 0},
    {OURS "\rx\n", false, true, false, 0},
    {OLDEST "\r\n", false, false, false, 0},
    {OLDEST "\n", false, false, false, 0},
    {OLDEST ",where\r\n", false, false, false, 1},
    {OLDEST ",plan\r\n", false, false, false, 1}, /* not a column of ours */
    {OLDEST "\r\n0001,,,,,PA", false, false, true, 0},
    {OLDEST, false, true, true, 0},
    {"number,label\r\n", false, true, false, 0},
    {"number;label;time;model;uuid;verdict\r\n", false, true, false, 0},
    {"\xef\xbb\xbf" OURS "\r\n", false, true, false, 0},
    {"0001,,,,,PASS\r\n", false, true, false, 0},
    {"\n", false, true, false, 0},
};

TEST(files)
{
    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        size_t size = strlen(FILES[i].text), start = size;
        struct index_file index;

        if (start > INDEX_START_BYTES)
            start = INDEX_START_BYTES;
        index = index_look(FILES[i].text, start, size ? FILES[i].text[size - 1] : 0);
        if (index.is_new != FILES[i].is_new || index.is_other != FILES[i].is_other ||
            index.is_cut != FILES[i].is_cut)
            fail_msg("row %zu: new %d, other %d, cut %d", i, index.is_new, index.is_other,
                     index.is_cut);
        if (!index.is_other)
            assert_int_equal(index.further, FILES[i].further);
        if (!index.is_other)
            assert_int_equal(index.columns,
                             size == 0 || strncmp(FILES[i].text, OURS, strlen(OURS)) == 0 ? 7 : 6);
    }
}

TEST(what_stands_around_the_line)
{
    const struct index_file fresh = {.is_new = true}, cut = {.is_cut = true, .further = 2};

    assert_written((index_before(&fresh, &out), index_end(&fresh, &out)), OURS "\r\n\r\n");
    assert_written((index_before(&cut, &out), index_end(&cut, &out)), "\r\n,,\r\n");
}
