/* SPDX-License-Identifier: BSD-2-Clause */
/* The column `param`, and its short form on the console. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/files/param.h"

static char text[96];

static const char *put(struct param param)
{
    struct out out = out_buffer(text, sizeof(text));

    param_put(&param, &out);
    return out_end(&out);
}

static const char *say(const char *param, uint64_t n)
{
    struct known_kernel kernel = {.name = "chase", .n = n, .n_given = n > 0};
    struct out out = out_buffer(text, sizeof(text));

    strcpy(kernel.param, param);
    param_say(&kernel, &out);
    return out_end(&out);
}

/* An argument's key is its name in the kernel. */
TEST(sorted)
{
    const struct param all = {"", 7, MEMORY_WC, 2 << 20, 4 << 20};
    struct param one = all;

    assert_string_equal(put((struct param){.argument = ""}), "");
    assert_string_equal(put(all), "memory=wc;page=2097152;size=4194304");
    one.argument = "stride";
    assert_string_equal(put(one), "memory=wc;page=2097152;size=4194304;stride=7");
    one.argument = "align";
    assert_string_equal(put(one), "align=7;memory=wc;page=2097152;size=4194304");
    one.argument = "offset";
    assert_string_equal(put(one), "memory=wc;offset=7;page=2097152;size=4194304");
    one.argument = "pattern";
    assert_string_equal(put(one), "memory=wc;page=2097152;pattern=7;size=4194304");
    assert_string_equal(put((struct param){.argument = "x", .argument_value = 4294967295}),
                        "x=4294967295");
    assert_string_equal(put((struct param){.argument = "x"}), "x=0");
    assert_string_equal(put((struct param){"", 0, MEMORY_WB, 4096, 0}), "memory=wb;page=4096");
    assert_string_equal(put((struct param){"", 0, MEMORY_WT, 1 << 30, 1ull << 40}),
                        "memory=wt;page=1073741824;size=1099511627776");
    assert_string_equal(put((struct param){"z", 1, MEMORY_UC, 0, 100}), "memory=uc;size=100;z=1");
}

TEST(shown)
{
    assert_string_equal(say("", 0), "chase");
    assert_string_equal(say("", 12), "chase n=12");
    assert_string_equal(say("memory=wc;page=2097152;size=4194304;stride=128", 0),
                        "chase 4M memory=wc page=2M stride=128");
    assert_string_equal(say("page=1073741824;size=3221225472", 5), "chase 3G page=1G n=5");
    assert_string_equal(say("size=1536", 0), "chase 1536");
    assert_string_equal(say("size=3072", 0), "chase 3K");
    assert_string_equal(say("size=1023", 0), "chase 1023");
    assert_string_equal(say("size=1099511627776", 0), "chase 1024G");
    assert_string_equal(say("stride=4096", 0), "chase stride=4096");
}
