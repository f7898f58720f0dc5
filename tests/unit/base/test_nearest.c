/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggestions for a misspelt word. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/base/nearest.h"

static const char *said(const char *wanted, const char *const *words)
{
    static char text[200];
    struct out out = out_buffer(text, sizeof(text));

    nearest_say_word(piece_of(wanted), words, &out);
    return out_end(&out);
}

/* A change is one letter added, missing or replaced, or two neighbouring letters swapped. */
TEST(a_change)
{
    static const char *const WORDS[] = {"runs", "warmup", 0};

    assert_string_equal(said("runns", WORDS), "; nearest: runs");
    assert_string_equal(said("rns", WORDS), "; nearest: runs");
    assert_string_equal(said("runz", WORDS), "; nearest: runs");
    assert_string_equal(said("rnus", WORDS), "; nearest: runs");
    assert_string_equal(said("RUNS", WORDS), "; nearest: runs");
    assert_string_equal(said("wramup", WORDS), "; nearest: warmup");
    assert_string_equal(said("", WORDS), "");
}

/* "rnus" is one change away from "runs", namely the swap, and two changes away from "cpus". */
TEST(letters_that_changed_places)
{
    static const char *const WORDS[] = {"cpus", "runs", 0};

    assert_string_equal(said("rnus", WORDS), "; nearest: runs, cpus");
}

/*
 * Changes allowed: 0 in a word of up to 2 letters, 1 in a word of 3, 2 in a word of 4 to 8. A
 * longer word may have one change per three letters, but at most 6.
 */
TEST(how_many_changes)
{
    static const struct {
        const char *wanted, *like, *unlike;
    } ROWS[] = {
        {"x", "X", "y"},
        {"ab", "AB", "ba"},
        {"abc", "abx", "axy"},
        {"abcd", "abxy", "axyz"},
        {"abcdefgh", "abcdefxy", "abcdexyz"},
        {"abcdefghi", "abcdefxyz", "abcdewxyz"},
        {"abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrst123456", "abcdefghijklmnopqrs1234567"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const char *const like[] = {ROWS[i].like, 0}, *const unlike[] = {ROWS[i].unlike, 0};

        assert_string_equal(said(ROWS[i].wanted, like), formatted("; nearest: %s", ROWS[i].like));
        assert_string_equal(said(ROWS[i].wanted, unlike), "");
    }
}

/*
 * The three nearest names are suggested. If the word has at least 3 letters and a longer name
 * contains it, the name counts as at most three changes away.
 */
TEST(the_best)
{
    static const char *const WORDS[] = {"chase_random", "chase_pages", "chasm", "chaise",
                                        "chase_a",      "chaise",      0};

    assert_string_equal(said("chase", WORDS), "; nearest: chasm, chaise, chase_a");
    assert_string_equal(said("random", WORDS), "; nearest: chase_random");
    assert_string_equal(said("ra", WORDS), "");
}

/* A name is not suggested if the number of changes exceeds half the number of its letters. */
TEST(short_names)
{
    static const char *const WORDS[] = {"on", "off", 0};
    static const char *const CASES[][2] = {
        {"none", ""}, {"onn", "; nearest: on"}, {"of_f", "; nearest: off"}};

    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_string_equal(said(CASES[i][0], WORDS), CASES[i][1]);
}

TEST(long_words)
{
    char wanted[NEAREST_NAME_SIZE + 1], name[NEAREST_NAME_SIZE + 1];
    const char *const words[] = {name, 0};

    memset(wanted, 'a', sizeof(wanted));
    memset(name, 'a', sizeof(name));
    wanted[NEAREST_NAME_SIZE - 1] = name[NEAREST_NAME_SIZE - 2] = 0;
    assert_string_equal(said(wanted, words), formatted("; nearest: %s", name));
    wanted[NEAREST_NAME_SIZE - 1] = 'a';
    wanted[NEAREST_NAME_SIZE] = 0;
    assert_string_equal(said(wanted, words), "");
}
