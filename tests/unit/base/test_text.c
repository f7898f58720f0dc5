/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the image's subset of string.h with the C library's. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/base/text.h"

static const char *const TEXTS[] = {"", "a", "b", "ab", "aab", "abab", "abc", "ba", "a b", "\x80"};
#define TEXTS_COUNT (sizeof(TEXTS) / sizeof(TEXTS[0]))

TEST(as_the_c_library)
{
    for (size_t i = 0; i < TEXTS_COUNT; i++) {
        assert_int_equal(text_length(TEXTS[i]), strlen(TEXTS[i]));
        for (size_t k = 0; k < TEXTS_COUNT; k++) {
            assert_int_equal(text_same(TEXTS[i], TEXTS[k]), strcmp(TEXTS[i], TEXTS[k]) == 0);
            assert_int_equal(text_before(TEXTS[i], TEXTS[k]), strcmp(TEXTS[i], TEXTS[k]) < 0);
            assert_int_equal(text_starts(TEXTS[i], TEXTS[k]),
                             strncmp(TEXTS[i], TEXTS[k], strlen(TEXTS[k])) == 0);
            if (*TEXTS[i] && *TEXTS[k])
                assert_ptr_equal(text_find(TEXTS[i], TEXTS[k]), strstr(TEXTS[i], TEXTS[k]));
        }
    }
    assert_null(text_find("", "a"));
}

TEST(copies_are_cut_and_ended)
{
    char to[6];

    for (size_t size = 1; size <= sizeof(to); size++) {
        memset(to, '-', sizeof(to));
        text_copy(to, size, "abcd");
        assert_int_equal(strlen(to), size - 1 < 4 ? size - 1 : 4);
        assert_memory_equal(to, "abcd", strlen(to));
        for (size_t i = strlen(to) + 1; i < sizeof(to); i++)
            assert_int_equal(to[i], '-');
    }
}

TEST(what_is_printable)
{
    for (unsigned c = 0; c < 256; c++)
        assert_int_equal(text_printable(c), c >= 0x20 && c <= 0x7e ? c : '?');
    assert_int_equal(text_printable(0x2022), '?');
}
