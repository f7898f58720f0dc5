/* SPDX-License-Identifier: BSD-2-Clause */
/* [code NAME]: the bytes of code, unroll= and loop=, and each error. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"

#define HEAD  "version=1\n[code x]\n"
#define CODE  "code=90\n"
#define BYTES " expected 1 to 4096 bytes, each of two hexadecimal digits, found "
#define LEFT  "; all its lines are left out"
#define NAME  "expected a name of at most 31 characters a-z 0-9 _, found "

TEST(keys)
{
    uint8_t bytes[8] = {0};

    parse_ok("version=1\n[code x]\ncode=48 fF\tC0 # inc\n[code y_1]\nloop=1000000\nunroll=100000\n"
             "init=4831c0 0f\ncode= 90\n[run]\nruns=3\n");
    assert_int_equal(plan.runs, 3);
    assert_int_equal(plan.codes, 2);
    assert_string_equal(plan.code[0].name, "x");
    assert_int_equal(plan.code[0].line, 2);
    assert_int_equal(plan.code[0].unroll, 100);
    assert_int_equal(plan.code[0].loop, 0);
    assert_int_equal(plan.code[0].init.size, 0);
    assert_int_equal(plan_code_bytes(plan.code[0].init, bytes), 0);
    assert_int_equal(plan_code_bytes(plan.code[0].code, 0), 3);
    assert_int_equal(plan_code_bytes(plan.code[0].code, bytes), 3);
    assert_memory_equal(bytes, "\x48\xff\xc0\x00", 4);
    assert_string_equal(plan.code[1].name, "y_1");
    assert_int_equal(plan.code[1].line, 4);
    assert_int_equal(plan.code[1].unroll, 100000);
    assert_int_equal(plan.code[1].loop, 1000000);
    assert_int_equal(plan_code_bytes(plan.code[1].init, bytes), 4);
    assert_memory_equal(bytes, "\x48\x31\xc0\x0f", 4);
    assert_int_equal(plan_code_bytes(plan.code[1].code, bytes), 1);
    assert_int_equal(bytes[0], 0x90);
}

/* `codes`: number of sections [code] that are used despite the error. */
TEST(mistakes)
{
    static const struct {
        const char *text;
        unsigned line, codes;
        const char *says;
    } ROWS[] = {
        {HEAD CODE "code=91\n", 4, 1, "code appears here a second time; the first one is used"},
        {HEAD CODE "bytes=91\n", 4, 1, "unknown key 'bytes'; [code] has code, init, unroll, loop"},
        {HEAD CODE "90\n", 4, 1, "expected key=value, found '90'"},
        {HEAD CODE "unroll=0\n", 4, 1, "unroll: expected a number from 1 to 100000, found '0'"},
        {HEAD CODE "unroll=100001\n", 4, 1, "unroll: expected a number from 1 to 100000"},
        {HEAD CODE "loop=1000001\n", 4, 1, "loop: expected a number from 0 to 1000000, found"},
        {HEAD CODE "init=\n", 4, 1, "init:" BYTES "''"},
        {HEAD CODE "init=9 0\n", 4, 1, "init:" BYTES "'9 0'"},
        {HEAD CODE "init=9 00\n", 4, 1, "init:" BYTES "'9 00'"},
        {HEAD CODE "init=909\n", 4, 1, "init:" BYTES "'909'"},
        {HEAD CODE "init=9g\n", 4, 1, "init:" BYTES "'9g'"},
        {HEAD CODE "init=0x90\n", 4, 1, "init:" BYTES "'0x90'"},
        {HEAD CODE "init=@0\n", 4, 1, "init:" BYTES "'@0'"},
        {HEAD "code=9g\n", 3, 0, "code:" BYTES "'9g'"},
        {HEAD "code=9g\n" CODE, 3, 1, "code:" BYTES "'9g'"},
        {HEAD "unroll=2\n", 2, 0, "[code x] has no code=; it is left out"},
        {HEAD, 2, 0, "[code x] has no code=; it is left out"},
        {"version=1\n[code]\n" CODE, 2, 0, NAME "''" LEFT},
        {"version=1\n[code X]\n" CODE, 2, 0, NAME "'X'" LEFT},
        {"version=1\n[code a-b]\n" CODE, 2, 0, NAME "'a-b'" LEFT},
        {"version=1\n[code a b]\n" CODE, 2, 0, NAME "'a b'" LEFT},
        {"version=1\n[code a2345678901234567890123456789012]\n" CODE, 2, 0,
         NAME "'a234567890123456789012345678901'" LEFT},
        {HEAD CODE "[code x]\n" CODE, 4, 1,
         "expected a name that no section [code] above has, found 'x'" LEFT},
        /* 3 x 93207 x 30 = 8388630 bytes */
        {HEAD "unroll=93207\ncode=0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f\n",
         2, 0,
         "[code x]: unroll=93207 copies of 30 bytes, and twice as many for 2n, exceed "
         "8388608 bytes"},
        {HEAD "unroll=93206\ncode=0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f0f1f\n"
              "loop=x\n",
         5, 1, "loop: expected"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse(ROWS[i].text);
        assert_one_error(ROWS[i].line, ROWS[i].says);
        assert_int_equal(plan.codes, ROWS[i].codes);
    }
}

TEST(bounds)
{
    static char text[3 * PLAN_CODE_BYTES_MAX + 64];
    static uint8_t bytes[PLAN_CODE_BYTES_MAX];

    strcpy(text, HEAD "unroll=1\ncode=");
    for (unsigned i = 0; i < PLAN_CODE_BYTES_MAX; i++)
        sprintf(text + strlen(text), "%02x", i % 256);
    parse_ok(text);
    assert_int_equal(plan_code_bytes(plan.code[0].code, bytes), PLAN_CODE_BYTES_MAX);
    for (unsigned i = 0; i < PLAN_CODE_BYTES_MAX; i++)
        assert_int_equal(bytes[i], i % 256);
    strcat(text, "00");
    parse(text);
    assert_int_equal(plan.errors, 1);
    assert_int_equal(plan.codes, 0);

    strcpy(text, "version=1\n");
    for (unsigned i = 0; i < PLAN_CODES_MAX + 1; i++)
        sprintf(text + strlen(text), "[code c%u]\n" CODE, i);
    parse(text);
    assert_one_error(2 + 2 * PLAN_CODES_MAX, "expected at most 16 sections [code], found 'c16'");
    assert_int_equal(plan.codes, PLAN_CODES_MAX);
    assert_string_equal(plan.code[15].name, "c15");
}
