/* SPDX-License-Identifier: BSD-2-Clause */
/* Each error in a plan: its line, its message, and that the line is ignored. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"

#define HEAD    "version=1\n[run]\n"
#define CPUS    "cpus: expected a number from "
#define RUNS    "runs: expected a number from 1 to 10000, found "
#define WARMUP  "warmup: expected a number from 0 to 1000, found "
#define NOISE   "noise_ms: expected a number from 0 to 3600000, found "
#define TIMEOUT "timeout_ms: expected a number from 1 to 3600000, found "
#define N       "n: expected a number from 1 to 1000000000, found "
#define KERNELS "kernels: expected at most 1024 names separated by commas, found "
#define AT_END  "at_end: expected menu, shutdown, reboot or leave, found "
#define TIME                                                                                       \
    "max_time: expected a time from 1s to 1000h in whole numbers, such as 90s, 20min or 2h, "      \
    "found "
#define VERSION "expected version=1 as the first line"
#define KEYS                                                                                       \
    "[run] has label, cpus, runs, warmup, kernels, n, at_end, mode, ring, cpl, method, "           \
    "overflow_after, events, counters, conditions, strict, unsafe_msr, timeout_ms, noise_ms, "     \
    "noise_threshold_ns, max_time"
#define WHICH                                                                                      \
    "cpus: expected all, boot, boot-core, one-per-core, performance, efficiency or numbers such "  \
    "as 0,2-5, found "
#define SECTIONS                                                                                   \
    "all its lines are left out; expected [run], [state], [results], [kernels], [events NAME], "   \
    "[msr before], [msr after], [code NAME]"
#define NEAREST   "all its lines are left out; nearest: "
#define THRESHOLD "noise_threshold_ns: expected a number from 100 to 1000000000, found "
#define OVERFLOW                                                                                   \
    "overflow_after: expected 0 with method=deltas, found 5; only method=reset presets "

#define HIGH "conditions: high works only with method=reset and without overflow_after"

/* `line` and `says` are those of the first error. */
static const struct {
    const char *text;
    unsigned line;
    const char *says;
} ONE[] = {
    {"", 1, "the plan is empty; " VERSION},
    {"\n \n# nothing\n", 1, "the plan is empty; " VERSION},
    {"\xef\xbb\xbf", 1, "the plan is empty; " VERSION},
    {"[run]\n", 1, VERSION},
    {"\n\n[run]\nwarmup=5\n", 3, VERSION},
    {"version=1\nwarmup=5\n", 2, "expected [run] before 'warmup=5'"},
    {"version=1\nversion=1\n", 2, "expected [run] before 'version=1'"},
    {HEAD "version=1\n", 3, "unknown key 'version'; " KEYS},
    {HEAD "run=3\n", 3, "unknown key 'run'; nearest: runs"},
    {HEAD "runss=3\n", 3, "unknown key 'runss'; nearest: runs"},
    {HEAD "Runs=3\n", 3, "unknown key 'Runs'; nearest: runs"},
    {HEAD "timeout=3\n", 3, "unknown key 'timeout'; nearest: timeout_ms"},
    {HEAD "noise=3\n", 3, "unknown key 'noise'; nearest: noise_ms, noise_threshold_ns"},
    {HEAD "[state]\nturb=on\n", 4, "unknown key 'turb'; nearest: turbo"},
    {HEAD "=3\n", 3, "unknown key ''; " KEYS},
    {HEAD "runs\n", 3, "expected key=value, found 'runs'"},
    {HEAD "\nruns # = 3\n", 4, "expected key=value, found 'runs'"},
    {HEAD "a\x01\x7f\xe9~\n", 3, "expected key=value, found 'a???~'"},
    {HEAD "this line is longer than what a message shows of it\n", 3,
     "expected key=value, found 'this line is longer than what a'"},
    {"version=1\n[ run]\nruns=0\n[]\n", 2, "unknown section '[ run]'; " NEAREST "[run]"},
    {HEAD "[run\n", 3, "unknown section '[run'; " NEAREST "[run]"},
    {HEAD "[run] x\n", 3, "unknown section '[run] x'; " NEAREST "[run]"},
    {HEAD "[run x]\n", 3, "unknown section '[run x]'; " NEAREST "[run]"},
    {HEAD "[kernel]\n", 3, "unknown section '[kernel]'; " NEAREST "[kernels]"},
    {HEAD "[event mine]\n", 3, "unknown section '[event mine]'; " NEAREST "[events NAME]"},
    {HEAD "[MSR after]\n", 3,
     "unknown section '[MSR after]'; " NEAREST "[msr before], [msr after]"},
    {HEAD "[\n", 3, "unknown section '['; " SECTIONS},
    {HEAD "[a section of over thirty-one letters]\n", 3,
     "unknown section '[a section of over thirty-one l'; " SECTIONS},
    {HEAD "[msr]\n", 3, "expected [msr before] or [msr after], found ''; all its lines are left"},
    {HEAD "[msr then]\nread 1\n", 3, "expected [msr before] or [msr after], found 'then'; all"},
    {HEAD "mode=both\n", 3, "mode: expected serial or parallel, found 'both'"},
    {HEAD "mode=paralel\n", 3,
     "mode: expected serial or parallel, found 'paralel'; nearest: parallel"},
    {HEAD "ring=user\n", 3, "ring: expected os, usr, both or default, found 'user'; nearest: usr"},
    {HEAD "[state]\nratio=bas\n", 4,
     "ratio: expected keep, base or a number from 1 to 255, found 'bas'; nearest: base"},
    {HEAD "events=cach\n[events cache]\nA\n", 3,
     "events: there is no group 'cach'; nearest: cache"},
    {HEAD "events=mine\n[events cache]\nA\n", 3,
     "events: there is no group 'mine'; expected default, cache"},
    {HEAD "[msr after]\nraed 1\n", 4,
     "expected nop, read MSR, write MSR VALUE, rdtsc or stop, found 'raed 1'; nearest: read"},
    {HEAD "cpl=1\n", 3, "cpl: expected 0 or 3, found '1'"},
    {HEAD "method=\n", 3, "method: expected reset or deltas, found ''"},
    {HEAD "strict=1\n", 3, "strict: expected no or yes, found '1'"},
    {HEAD "unsafe_msr=1\n", 3, "unsafe_msr: expected no or yes, found '1'"},
    {HEAD "timeout_ms=0\n", 3, TIMEOUT "'0'"},
    {HEAD "timeout_ms=3600001\n", 3, TIMEOUT "'3600001'"},
    {HEAD "noise_ms=3600001\n", 3, NOISE "'3600001'"},
    {HEAD "noise_ms=no\n", 3, NOISE "'no'"},
    {HEAD "noise_threshold_ns=99\n", 3, THRESHOLD "'99'"},
    {HEAD "noise_threshold_ns=1000000001\n", 3, THRESHOLD "'1000000001'"},
    {HEAD "overflow_after=2147483648\n", 3,
     "overflow_after: expected a number from 0 to 2147483647, found '2147483648'"},
    {HEAD "method=deltas\noverflow_after=5\n", 4, OVERFLOW},
    {HEAD "conditions=alone,low\n", 3, "conditions: expected none, alone or high, found 'low'"},
    {HEAD "conditions=alone\n", 3, "conditions: expected counters=each in [run], too"},
    {HEAD "counters=each\nconditions=high\nmethod=deltas\n", 4, HIGH},
    {HEAD "overflow_after=5\nmethod=deltas\n", 3, OVERFLOW},
    {HEAD "runs=0\n", 3, RUNS "'0'"},
    {HEAD "runs=10001\n", 3, RUNS "'10001'"},
    {HEAD "runs=\n", 3, RUNS "''"},
    {HEAD "runs=-1\n", 3, RUNS "'-1'"},
    {HEAD "runs=1 0\n", 3, RUNS "'1 0'"},
    {HEAD "runs=10K\n", 3, RUNS "'10K'"},
    {HEAD "runs=K\n", 3, "runs: expected default or a number from 1 to 10000, found 'K'"},
    {HEAD "runs=1:\n", 3, RUNS "'1:'"},
    {HEAD "runs=/1\n", 3, RUNS "'/1'"},
    {HEAD "runs=10=\n", 3, RUNS "'10='"},
    {HEAD "runs=18446744073709551617\n", 3, RUNS "'18446744073709551617'"}, /* 2^64 + 1 */
    {HEAD "runs=99999999999999999999999999999999999\n", 3,
     RUNS "'9999999999999999999999999999999'"},
    {HEAD "runs=defaults\n", 3,
     "runs: expected default or a number from 1 to 10000, found 'defaults'; nearest: default"},
    {HEAD "label=a label that is one byte too lon\n", 3,
     "label: expected at most 31 characters, found 32"},
    {HEAD "warmup=1001\n", 3, WARMUP "'1001'"},
    {HEAD "warmup=all\n", 3, WARMUP "'all'"},
    {HEAD "warmup=1t\n", 3, WARMUP "'1t'; a number may end in K, M or G"},
    {HEAD "n=0\n", 3, N "'0'"},
    {HEAD "n=1000000001\n", 3, N "'1000000001'"},
    {HEAD "n=defaul\n", 3,
     "n: expected default or a number from 1 to 1000000000, found 'defaul'; nearest: default"},
    {HEAD "max_time=\n", 3, TIME "''"},
    {HEAD "max_time=0s\n", 3, TIME "'0s'"},
    {HEAD "max_time=20\n", 3, TIME "'20'"},
    {HEAD "max_time=min\n", 3, TIME "'min'"},
    {HEAD "max_time=20m\n", 3, TIME "'20m'"},
    {HEAD "max_time=1.5h\n", 3, TIME "'1.5h'"},
    {HEAD "max_time \t=\t 1.5h\n", 3, TIME "'1.5h'"}, /* without the blanks around = */
    {HEAD "max_time=1001h\n", 3, TIME "'1001h'"},
    {HEAD "max_time=3600001s\n", 3, TIME "'3600001s'"},
    {HEAD "max_time=5124095576030432h\n", 3, TIME "'5124095576030432h'"}, /* 2^64 s + 3584 s */
    {HEAD "cpus=\n", 3, CPUS "0 to 1023, found ''"},
    {HEAD "cpus=1024\n", 3, CPUS "0 to 1023, found '1024'"},
    {HEAD "cpus=5-2\n", 3, CPUS "5 to 1023, found '2'"},
    {HEAD "cpus=5-1024\n", 3, CPUS "5 to 1023, found '1024'"},
    {HEAD "cpus=5-\n", 3, CPUS "5 to 1023, found ''"},
    {HEAD "cpus=-5\n", 3, CPUS "0 to 1023, found ''"},
    {HEAD "cpus=1-2-3\n", 3, CPUS "1 to 1023, found '2-3'"},
    {HEAD "cpus=1,,2\n", 3, CPUS "0 to 1023, found ''"},
    {HEAD "cpus=,1\n", 3, CPUS "0 to 1023, found ''"},
    {HEAD "cpus=1,x\n", 3, CPUS "0 to 1023, found 'x'"},
    {HEAD "cpus=boots\n", 3, WHICH "'boots'; nearest: boot"},
    {HEAD "cpus=Alll\n", 3, WHICH "'Alll'; nearest: all"},
    {HEAD "cpus=one_per_core\n", 3, WHICH "'one_per_core'; nearest: one-per-core"},
    {HEAD "cpus=numbers such as 0,2-5\n", 3, WHICH "'numbers such as 0,2-5'"},
    {HEAD "kernels=\n", 3, KERNELS "''"},
    {HEAD "at_end=\n", 3, AT_END "''"},
    {HEAD "at_end=off\n", 3, AT_END "'off'"},
};

TEST(mistakes_one_by_one)
{
    struct plan none;

    plan_default(&none, plan_memory);
    for (size_t i = 0; i < sizeof(ONE) / sizeof(ONE[0]); i++) {
        parse(ONE[i].text);
        assert_error(0, ONE[i].line, ONE[i].says);
        if (strstr(ONE[i].text, "[]")) {
            assert_int_equal(plan.errors, 2);
            continue;
        }
        if (strstr(ONE[i].text, "kernels=\n")) {
            assert_int_equal(plan.errors, 2);
            assert_error(1, 3, "kernels: none of its names can be used; kernels=default is run");
            continue;
        }
        if (plan.errors != 1)
            fail_msg("'%s': %u errors", ONE[i].text, plan.errors);
        assert_int_equal(plan.cpus, CPUS_ALL);
        assert_memory_equal(plan.listed, none.listed, sizeof(plan.listed));
        assert_string_equal(plan.label, "");
        assert_int_equal(plan.runs, none.runs);
        assert_false(plan.runs_given);
        assert_int_equal(plan.warmup, none.warmup);
        assert_int_equal(plan.n, none.n);
        assert_int_equal(plan.kernels, none.kernels);
        assert_int_equal(plan.at_end, none.at_end);
        assert_int_equal(plan.mode, none.mode);
        assert_int_equal(plan.rings, none.rings);
        assert_int_equal(plan.cpl, none.cpl);
        assert_int_equal(plan.overflow_after, 0);
        assert_int_equal(plan.conditions, 0);
        assert_false(plan.unsafe_msr || plan.strict);
        assert_int_equal(plan.timeout_ms, none.timeout_ms);
        assert_int_equal(plan.max_time_s, 0);
        assert_int_equal(plan.noise_ms, none.noise_ms);
        assert_int_equal(plan.noise_threshold_ns, none.noise_threshold_ns);
    }
}

TEST(only_one_preset)
{
    parse(HEAD "counters=each\noverflow_after=5\nconditions=high,alone\n");
    assert_one_error(5, HIGH);
    assert_int_equal(plan.conditions, 1u << CONDITION_ALONE);
}

TEST(the_nearest_alone)
{
    parse(HEAD "runss=3\n[kernel]\n");
    assert_int_equal(plan.errors, 2);
    assert_string_equal(plan.error[0].text, "unknown key 'runss'; nearest: runs");
    assert_string_equal(plan.error[1].text, "unknown section '[kernel]'; " NEAREST "[kernels]");
}

static const char *const ALL_KEYS[][2] = {
    {"label", "a"},      {"cpus", "1"},        {"runs", "7"},
    {"warmup", "7"},     {"kernels", "one"},   {"n", "7"},
    {"at_end", "leave"}, {"mode", "parallel"}, {"ring", "usr"},
    {"cpl", "3"},        {"method", "deltas"}, {"overflow_after", "7"},
    {"events", "x"},     {"strict", "yes"},    {"unsafe_msr", "yes"},
    {"timeout_ms", "1"}, {"noise_ms", "1"},    {"noise_threshold_ns", "500"},
    {"max_time", "2h"},  {"counters", "each"}};

/* If a key occurs twice, its first valid value is used. */
TEST(a_key_twice)
{
    for (size_t i = 0; i < sizeof(ALL_KEYS) / sizeof(ALL_KEYS[0]); i++) {
        const char *key = ALL_KEYS[i][0];
        unsigned more = strcmp(key, "events") == 0; /* there is no group 'x' */

        parse(formatted(HEAD "%s=%s\n%s=all\n[run]\n%s=1\n", key, ALL_KEYS[i][1], key, key));
        assert_int_equal(plan.errors, 2 + more);
        assert_string_equal(plan.error[more].text,
                            formatted("%s appears here a second time; the first one is used", key));
        assert_int_equal(plan.error[more].line, 4);
        assert_int_equal(plan.error[more + 1].line, 6);
    }
    parse(HEAD "runs=10x\nruns=9\nruns=8\n");
    assert_int_equal(plan.errors, 2);
    assert_error(0, 3, RUNS "'10x'");
    assert_error(1, 5, "runs appears here a second time");
    assert_int_equal(plan.runs, 9);
    parse(HEAD "kernels=one,,two\nkernels=three\n");
    assert_one_error(3, KERNELS "''");
    assert_int_equal(plan.kernels, 1);
    assert_string_equal(plan.kernel[0].name, "three");
}

TEST(unknown_sections_are_skipped)
{
    parse("version=1\n[later]\nruns=1\nnonsense\n[run]\nruns=2\n[more]\nn=3\n");
    assert_int_equal(plan.errors, 2);
    assert_error(0, 2, "unknown section '[later]'");
    assert_error(1, 7, "unknown section '[more]'");
    assert_int_equal(plan.runs, 2);
    assert_int_equal(plan.n, 0);
}

/* All lines are still read, so that all errors are reported at once. */
TEST(a_missing_version_hides_nothing)
{
    parse("[run]\nruns=2\nrounds=2\n");
    assert_int_equal(plan.errors, 2);
    assert_string_equal(plan.error[0].text, VERSION);
    assert_error(1, 3, "unknown key 'rounds'");
    assert_int_equal(plan.runs, 2);
    parse("version=2\n[run]\nruns=2\n");
    assert_int_equal(plan.errors, 2);
    assert_string_equal(plan.error[0].text, VERSION);
    assert_error(1, 1, "expected [run] before 'version=2'");
}

TEST(gaps_among_kernels)
{
    parse(HEAD "kernels=one,,two,a_name_that_is_longer_than_thirty_one\n");
    assert_int_equal(plan.errors, 2);
    assert_error(0, 3, KERNELS "''");
    assert_error(1, 3, KERNELS "'a_name_that_is_longer_than_thir'");
    assert_int_equal(plan.kernels, 2);
    assert_string_equal(plan.kernel[1].name, "two");
}

/* UTF-16 text is one error, in either byte order, with or without a byte order mark. */
TEST(utf16_is_recognised)
{
    static const char *const FILES[] = {"\xff\xfev\0e\0", "\xfe\xff\0v\0e", "v\0e\0r\0",
                                        "\0v\0e\0r"};
    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        parse_bytes(FILES[i], 6);
        assert_one_error(1, "the plan is UTF-16 text; ");
        assert_string_equal(plan.error[0].text,
                            "the plan is UTF-16 text; save it as UTF-8 or ANSI text");
        assert_true(plan.default_events);
    }
}

TEST(errors_are_formatted_and_cut)
{
    char words[400];

    plan_default(&plan, plan_memory);
    plan_add_error(&plan, 12, "'%s' of %u", "x", 3u);
    assert_one_error(12, "'x' of 3");
    assert_string_equal(plan.error[0].text, "'x' of 3");
    memset(words, 'w', sizeof(words));
    words[sizeof(words) - 1] = 0;
    plan_add_error(&plan, 13, "%s", words);
    assert_int_equal(strlen(plan.error[1].text), PLAN_ERROR_BYTES - 1);
}

static unsigned blocks_left;

static void *little_memory(size_t bytes)
{
    return blocks_left > 0 ? (blocks_left--, plan_memory(bytes)) : NULL;
}

/* Errors for which there is no memory are only counted. */
TEST(a_thousand_errors)
{
    static char text[16384] = "version=1\n[run]\n";
    static const unsigned KEPT[] = {0, 16, 32, 64, 128, 256, 512, 1000}; /* by number of blocks */

    for (unsigned i = 0; i < 1000; i++)
        strcat(text, "nonsense\n");
    for (size_t blocks = 0; blocks < sizeof(KEPT) / sizeof(KEPT[0]); blocks++) {
        blocks_left = (unsigned)blocks;
        plan_parse(text, strlen(text), &plan, little_memory);
        assert_int_equal(plan.errors, 1000);
        assert_int_equal(plan.errors_kept, KEPT[blocks]);
        for (unsigned i = 0; i < plan.errors_kept; i++)
            assert_int_equal(plan.error[i].line, 3 + i);
    }
}

/* Errors of the whole plan come first, and errors of other files last. */
TEST(errors_stand_by_line)
{
    static const uint32_t FOUND[] = {7, PLAN_ELSEWHERE, 3, 7, 0, 9, 3},
                          AT[] = {3, 6, 1, 4, 0, 5, 2};

    plan_default(&plan, plan_memory);
    for (unsigned i = 0; i < 7; i++)
        plan_add_error(&plan, FOUND[i], "%u", i);
    for (unsigned i = 0; i < 7; i++) {
        char says[4];

        snprintf(says, sizeof(says), "%u", i);
        assert_error(AT[i], FOUND[i], says);
    }
}

TEST(strict_refuses_a_plan_with_errors)
{
    static const struct {
        const char *text;
        bool is_refused;
    } PLANS[] = {
        {HEAD "strict=yes\n", false},
        {HEAD "strict=yes\nx=y\n", true},
        {HEAD "x=y\nstrict=yes\n", true},
        {HEAD "strict=no\nx=y\n", false},
        {HEAD "x=y\n", false},
        {HEAD "strict=perhaps\n", false},
    };

    for (size_t i = 0; i < sizeof(PLANS) / sizeof(PLANS[0]); i++) {
        parse(PLANS[i].text);
        if (plan_is_refused(&plan) != PLANS[i].is_refused)
            fail_msg("row %zu", i);
    }
}
