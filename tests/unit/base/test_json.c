/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the JSON writer with hand-written texts and a strict reader. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/json.h"
#include "pmu/base/json.h"

static char buffer[4096];
static struct out out;
static struct json json;

static void fresh(void)
{
    out = out_buffer(buffer, sizeof(buffer));
    json = (struct json){.out = &out};
}

BEFORE_EACH(fresh);

static void expect(const char *text)
{
    assert_string_equal(out_end(&out), text);
    assert_false(out.failed);
    assert_true(json_is_valid(buffer, strlen(buffer)));
}

TEST(values_of_each_kind)
{
    json_object(&json, 0);
    json_number(&json, "most", UINT64_MAX);
    json_number(&json, "none", 0);
    json_signed(&json, "least", INT64_MIN);
    json_hex(&json, "hex", 0x1f);
    json_hex(&json, "wide", UINT64_MAX);
    json_bool(&json, "yes", true);
    json_bool(&json, "no", false);
    json_text(&json, "text", "of it");
    json_text(&json, "", "");
    json_bytes(&json, "bytes", "of it\0more", 7);
    json_end(&json, '}');
    expect("{\n"
           "  \"most\": 18446744073709551615,\n"
           "  \"none\": 0,\n"
           "  \"least\": -9223372036854775808,\n"
           "  \"hex\": \"0x1f\",\n"
           "  \"wide\": \"0xffffffffffffffff\",\n"
           "  \"yes\": true,\n"
           "  \"no\": false,\n"
           "  \"text\": \"of it\",\n"
           "  \"\": \"\",\n"
           "  \"bytes\": \"of it\\u0000m\"\n"
           "}\n");
}

TEST(nesting_commas_and_lines)
{
    json_object(&json, 0);
    json_array(&json, "empty");
    json_end(&json, ']');
    json_array(&json, "list");
    json_number(&json, 0, 1);
    json_flat_object(&json, 0);
    json_number(&json, "a", 1);
    json_array(&json, "b"); /* an array in a flat object is flat as well */
    json_number(&json, 0, 2);
    json_number(&json, 0, 3);
    json_end(&json, ']');
    json_end(&json, '}');
    json_flat_object(&json, 0);
    json_end(&json, '}');
    json_object(&json, 0);
    json_number(&json, "c", 4);
    json_end(&json, '}');
    json_end(&json, ']');
    json_object(&json, "last");
    json_end(&json, '}');
    json_end(&json, '}');
    expect("{\n"
           "  \"empty\": [],\n"
           "  \"list\": [\n"
           "    1,\n"
           "    {\"a\": 1, \"b\": [2, 3]},\n"
           "    {},\n"
           "    {\n"
           "      \"c\": 4\n"
           "    }\n"
           "  ],\n"
           "  \"last\": {}\n"
           "}\n");
}

TEST(depth_up_to_its_bound)
{
    for (unsigned i = 1; i < JSON_DEPTH_MAX; i++)
        json_array(&json, 0);
    json_number(&json, 0, 1);
    for (unsigned i = 1; i < JSON_DEPTH_MAX; i++)
        json_end(&json, ']');
    out_end(&out);
    assert_true(json_is_valid(buffer, strlen(buffer)));
}

/* The text is read back as Latin-1. */
TEST(every_byte_is_kept)
{
    for (unsigned c = 0; c < 256; c++) {
        char byte[2] = {(char)c, 0}, back[8] = {0};

        fresh();
        json_object(&json, 0);
        json_bytes(&json, "key", byte, 1);
        json_text(&json, byte, "as key");
        json_end(&json, '}');
        out_end(&out);
        assert_true(json_is_valid(buffer, strlen(buffer)));
        assert_true(json_string_of(buffer, "key", back, sizeof(back)));
        assert_int_equal((unsigned char)back[0], c);
    }
}

TEST(escapes_are_those_of_the_standard)
{
    json_text(&json, 0, "a\"b\\c/d\te\nf\x7f\x80\xff~ ");
    expect("\"a\\\"b\\\\c/d\\u0009e\\nf\\u007f\\u0080\\u00ff~ \"");
}

/* If the reader were not strict, the tests above would prove nothing. */
TEST(reader_is_strict)
{
    static const char *const RIGHT[] = {"{}", " [ ] ", "\"\\u00e9\\n\"", "-0.5e+10",
                                        "[1,2,{\"a\":null}]"};
    static const char *const WRONG[] = {
        "",      "{",       "}",         "[1,]", "{\"a\":1,}", "{\"a\"}",  "{a:1}",
        "[1 2]", "\"\\x\"", "\"\\u12\"", "\"a",  "\"\n\"",     "01",       "1.",
        "+1",    "tru",     "{}{}",      "[}",   "{]",         "\"\xe9\"", "{\"a\":1 \"b\":2}",
        ",",     "[,]",     "-",
    };

    for (size_t i = 0; i < sizeof(RIGHT) / sizeof(RIGHT[0]); i++)
        assert_true(json_is_valid(RIGHT[i], strlen(RIGHT[i])));
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
        if (json_is_valid(WRONG[i], strlen(WRONG[i])))
            fail_msg("'%s' was accepted", WRONG[i]);
}
