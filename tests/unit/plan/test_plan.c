/* SPDX-License-Identifier: BSD-2-Clause */
/* Plan files: the keys of [run]. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"
#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"

#define HEAD "version=1\n[run]\n"

static void assert_defaults(void)
{
    assert_int_equal(plan.cpus, CPUS_ALL);
    assert_int_equal(plan.runs, 100);
    assert_false(plan.runs_given);
    assert_string_equal(plan.label, "");
    assert_int_equal(plan.warmup, 5);
    assert_int_equal(plan.n, 0);
    assert_int_equal(plan.kernels, 0);
    assert_int_equal(plan.at_end, AT_END_MENU);
    assert_int_equal(plan.mode, MODE_SERIAL);
    assert_int_equal(plan.rings, RING_OS);
    assert_int_equal(plan.cpl, 0);
    assert_int_equal(plan.method, METHOD_RESET);
    assert_int_equal(plan.overflow_after, 0);
    assert_false(plan.unsafe_msr || plan.strict || plan.each_counter);
    assert_int_equal(plan.timeout_ms, 5000);
    assert_int_equal(plan.max_time_s, 0);
    assert_int_equal(plan.noise_ms, 100);
    assert_int_equal(plan.noise_threshold_ns, 1000);
    assert_true(plan.default_events);
    assert_int_equal(plan.groups + plan.events, 0);
    assert_int_equal(plan.before.count + plan.after.count, 0);
}

TEST(defaults)
{
    memset(&plan, 0xa5, sizeof(plan));
    plan_default(&plan, plan_memory);
    assert_defaults();
    assert_int_equal(plan.errors, 0);
    parse("version=1\n");
    assert_defaults();
    assert_int_equal(plan.errors, 0);
}

TEST(every_key)
{
    parse_ok(
        "version=1\n[run]\ncpus=3\nruns=250\nwarmup=0\nkernels=empty,adds\nn=7\nat_end=leave\n");
    assert_int_equal(plan.cpus, CPUS_LISTED);
    assert_int_equal(plan.cpus_line, 3);
    assert_int_equal(plan.runs, 250);
    assert_true(plan.runs_given);
    assert_int_equal(plan.warmup, 0);
    assert_int_equal(plan.n, 7);
    assert_int_equal(plan.kernels, 2);
    assert_string_equal(plan.kernel[0].name, "empty");
    assert_string_equal(plan.kernel[1].name, "adds");
    assert_int_equal(plan.kernel[0].line, 6);
    assert_int_equal(plan.kernel[1].line, 6);
    assert_int_equal(plan.at_end, AT_END_LEAVE);

    parse_ok(HEAD "cpus=boot\nruns=10000\nwarmup=1000\nn=1000000000\nkernels=all\nat_end=reboot\n");
    assert_int_equal(plan.cpus, CPUS_BOOT);
    assert_int_equal(plan.runs, 10000);
    assert_int_equal(plan.warmup, 1000);
    assert_int_equal(plan.n, 1000000000);
    assert_int_equal(plan.kernels, 1);
    assert_string_equal(plan.kernel[0].name, "all"); /* a word of kernels/choose.h */
    assert_int_equal(plan.at_end, AT_END_REBOOT);

    parse_ok(HEAD "cpus=BOOT\nn=Default\nat_end=ReBoot\nmax_time=2MIN\n");
    assert_int_equal(plan.cpus, CPUS_BOOT);
    assert_int_equal(plan.n, 0);
    assert_int_equal(plan.at_end, AT_END_REBOOT);
    assert_int_equal(plan.max_time_s, 120);
    parse(HEAD "cpus=all\nn=default\nat_end=shutdown\nruns=1\n");
    assert_int_equal(plan.cpus, CPUS_ALL);
    assert_int_equal(plan.errors, 0);
    assert_int_equal(plan.n, 0);
    assert_int_equal(plan.at_end, AT_END_SHUTDOWN);
    assert_int_equal(plan.runs, 1);
    parse(HEAD "runs=default\nlabel= rack 7, top #1\nat_end=menu\nn=1");
    assert_int_equal(plan.runs, PLAN_RUNS_DEFAULT);
    assert_false(plan.runs_given);
    assert_string_equal(plan.label, "rack 7, top");
    assert_int_equal(plan.at_end, AT_END_MENU);
    assert_int_equal(plan.n, 1);
    assert_int_equal(plan.errors, 0);
}

TEST(how_to_count)
{
    parse_ok(HEAD "mode=parallel\nring=both\nmethod=deltas\nunsafe_msr=yes\ncpus=one-per-core\n");
    assert_int_equal(plan.mode, MODE_PARALLEL);
    assert_int_equal(plan.rings, RING_OS | RING_USR);
    assert_int_equal(plan.cpl, 0);
    assert_int_equal(plan.method, METHOD_DELTAS);
    assert_true(plan.unsafe_msr);
    assert_int_equal(plan.cpus, CPUS_ONE_PER_CORE);
    parse_ok(HEAD "mode=serial\nring=os\nmethod=reset\nunsafe_msr=no\noverflow_after=2147483647\n");
    assert_int_equal(plan.mode, MODE_SERIAL);
    assert_int_equal(plan.rings, RING_OS);
    assert_int_equal(plan.method, METHOD_RESET);
    assert_false(plan.unsafe_msr || plan.strict);
    assert_int_equal(plan.overflow_after, 2147483647);
    parse_ok(HEAD "overflow_after=0\nmethod=deltas\n");
    parse_ok(HEAD "counters=each\n");
    assert_true(plan.each_counter);
    parse_ok(HEAD "counters=any\n");
    assert_false(plan.each_counter);
    parse_ok(HEAD "conditions=high,alone\ncounters=each\n");
    assert_int_equal(plan.conditions, 1u << CONDITION_ALONE | 1u << CONDITION_HIGH);
    parse_ok(HEAD "conditions=alone\ncounters=each\nmethod=deltas\n");
    assert_int_equal(plan.conditions, 1u << CONDITION_ALONE);
    parse_ok(HEAD "conditions=none\n");
    assert_int_equal(plan.conditions, 0);
    parse_ok(HEAD "timeout_ms=1\n");
    assert_int_equal(plan.timeout_ms, 1);
    parse_ok(HEAD "timeout_ms=3600000\n");
    assert_int_equal(plan.timeout_ms, 3600000);
    parse_ok(HEAD "noise_ms=3600000\nnoise_threshold_ns=100\n");
    assert_int_equal(plan.noise_ms, 3600000);
    assert_int_equal(plan.noise_threshold_ns, 100);
    parse_ok(HEAD "noise_ms=0\nnoise_threshold_ns=1000000000\n");
    assert_int_equal(plan.noise_ms, 0);
    assert_int_equal(plan.noise_threshold_ns, 1000000000);
}

/* K, M and G (or k, m and g) mean 2^10, 2^20 and 2^30. */
TEST(numbers_with_units)
{
    parse_ok(HEAD "runs=2K\nn=64M\nwarmup=0x10\noverflow_after=1g\ntimeout_ms=1m\nnoise_ms=4k\n"
                  "noise_threshold_ns=1K\n[code mine]\ncode=90\nunroll=1K\nloop=4K\n[kernels]\n"
                  "load n=1K..4K*2 size=64K\nchase stride=4K\n");
    assert_int_equal(plan.runs, 2048);
    assert_int_equal(plan.n, 64 << 20);
    assert_int_equal(plan.warmup, 16);
    assert_int_equal(plan.overflow_after, 1 << 30);
    assert_int_equal(plan.timeout_ms, 1 << 20);
    assert_int_equal(plan.noise_ms, 4096);
    assert_int_equal(plan.noise_threshold_ns, 1024);
    assert_int_equal(plan.code[0].unroll, 1024);
    assert_int_equal(plan.code[0].loop, 4096);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(plan.kernel[i].n, 1024 << i);
    assert_int_equal(plan.kernel[3].argument_value, 4096);
}

TEST(how_long_a_run_may_take)
{
    static const struct {
        const char *text;
        uint32_t seconds;
    } ROWS[] = {{"1s", 1},    {"90s", 90},        {"20min", 1200},       {"20 min", 1200},
                {"2h", 7200}, {"1000h", 3600000}, {"3600000s", 3600000}, {"0x10s", 16}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse_ok(formatted(HEAD "max_time=%s\n", ROWS[i].text));
        assert_int_equal(plan.max_time_s, ROWS[i].seconds);
    }
}

/* Kernels run at CPL 3 if only CPL 3 is counted, unless the plan sets cpl=. */
TEST(privilege_of_kernels)
{
    static const struct {
        const char *text;
        unsigned rings, cpl;
    } ROWS[] = {
        {"ring=usr\n", RING_USR, 3},
        {"ring=usr\ncpl=0\n", RING_USR, 0},
        {"cpl=0\nring=usr\n", RING_USR, 0},
        {"cpl=3\n", RING_OS, 3},
        {"ring=both\n", RING_OS | RING_USR, 0},
        {"ring=os\ncpl=3\n", RING_OS, 3},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse_ok(formatted(HEAD "%s", ROWS[i].text));
        assert_int_equal(plan.rings, ROWS[i].rings);
        assert_int_equal(plan.cpl, ROWS[i].cpl);
    }
}

TEST(ranges_of_cpus)
{
    static const struct plan_cpu BOOT = {.boot = true, .first_of_core = true};
    static const struct {
        const char *value;
        unsigned range[3][2];
        unsigned ranges;
    } ROWS[] = {
        {"0", {{0, 0}}, 1},
        {"0,2-5", {{0, 0}, {2, 5}}, 2},
        {" 7 , 8 - 9 ,1023", {{7, 7}, {8, 9}, {1023, 1023}}, 3},
        {"0-1023", {{0, 1023}}, 1},
        {"5-5,5", {{5, 5}}, 1},
        {"15-16", {{15, 16}}, 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse_ok(formatted(HEAD "cpus=%s\n", ROWS[i].value));
        for (unsigned cpu = 0; cpu < PLAN_CPUS_MAX + 9; cpu++) {
            bool named = false;

            for (unsigned r = 0; r < ROWS[i].ranges; r++)
                named |= cpu >= ROWS[i].range[r][0] && cpu <= ROWS[i].range[r][1];
            if (plan_has_cpu(&plan, cpu, &BOOT) != named)
                fail_msg("cpus=%s: CPU %u", ROWS[i].value, cpu);
        }
        assert_false(plan_has_cpu(&plan, UINT32_MAX, &BOOT));
    }
}

TEST(kinds_of_cpus)
{
    static const struct {
        const char *word;
        enum plan_cpus cpus;
    } ROWS[] = {{"all", CPUS_ALL},
                {"boot", CPUS_BOOT},
                {"boot-core", CPUS_BOOT_CORE},
                {"one-per-core", CPUS_ONE_PER_CORE},
                {"performance", CPUS_PERFORMANCE},
                {"efficiency", CPUS_EFFICIENCY}};
    static const uint32_t TYPES[] = {0, CORE_TYPE_CORE, CORE_TYPE_ATOM, CORE_TYPE_PERFORMANCE,
                                     CORE_TYPE_EFFICIENCY};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse_ok(formatted(HEAD "cpus=%s\n", ROWS[i].word));
        for (unsigned kind = 0; kind < 40; kind++) {
            struct plan_cpu cpu = {.boot = kind & 1,
                                   .first_of_core = kind & 2,
                                   .core_type = TYPES[kind / 4 % 5],
                                   .boot_core = kind >= 20};
            bool expected[] = {[CPUS_ALL] = true,
                               [CPUS_BOOT] = cpu.boot,
                               [CPUS_BOOT_CORE] = cpu.boot_core,
                               [CPUS_ONE_PER_CORE] = cpu.first_of_core,
                               [CPUS_PERFORMANCE] = kind / 4 % 5 != 2 && kind / 4 % 5 != 4,
                               [CPUS_EFFICIENCY] = kind / 4 % 5 == 2 || kind / 4 % 5 == 4};

            assert_int_equal(plan_has_cpu(&plan, 5000, &cpu), expected[ROWS[i].cpus]);
            assert_int_equal(plan_has_cpu(&plan, 0, &cpu), expected[ROWS[i].cpus]);
        }
    }
}

TEST(white_space_and_comments)
{
    static const char *const SAME[] = {
        "version=1\n[run]\nruns=3\nwarmup=2\n",
        "version=1\n[run]\nruns=3\nwarmup=2",
        "version=1\r\n[run]\r\nruns=3\r\nwarmup=2\r\n",
        "\xef\xbb\xbfversion=1\n[run]\nruns=3\nwarmup=2\n",
        "\xef\xbb\xbf# of Notepad\r\nversion=1\r\n[run]\r\nruns=3\r\nwarmup=2",
        "# first\n\n  version=1 # second\n\t[run]\t#x\n \t runs \t=  3 # 4\nwarmup=2#3\n#\n \n",
        "version=1\n[run]\nruns=3\n[run]\nwarmup=2\n",
    };

    for (size_t i = 0; i < sizeof(SAME) / sizeof(SAME[0]); i++) {
        parse(SAME[i]);
        if (plan.errors || plan.runs != 3 || plan.warmup != 2)
            fail_msg("row %zu: %u errors, first '%s'", i, plan.errors, plan.error[0].text);
    }
}

TEST(comments_at_the_ends_of_lines)
{
    parse_ok("version=1#a\n[run] # b\nlabel=rack#7\nevents=g #, h\n[kernels]# c\nchase size=4K# "
             "page=2M\n"
             "load\t# n=3\n[code c] # d\ncode=48 01#d8\n[events g] #\nA = B:cmask=1 # , C\n"
             "[msr after] # e\nread 0x34# f\n[state] # g\nturbo=off # on\n[results] # h\n"
             "server=http://1.2.3.4/a/ # /b\nframes=never#always\n");
    assert_string_equal(plan.label, "rack");
    assert_int_equal(plan.kernels, 2);
    assert_int_equal(plan.kernel[0].size, 4096);
    assert_int_equal(plan.kernel[0].page_bytes, 0);
    assert_string_equal(plan.kernel[1].name, "load");
    assert_int_equal(plan.kernel[1].n, 0);
    assert_int_equal(plan_code_bytes(plan.code[0].code, 0), 2);
    assert_int_equal(plan.events, 1);
    assert_true(piece_is(plan.event[0].expression, "B:cmask=1"));
    assert_true(plan.group[0].chosen);
    assert_int_equal(plan.after.count, 1);
    assert_int_equal(plan.state.turbo, SWITCH_OFF);
    assert_string_equal(plan.results.server, "http://1.2.3.4/a/");
    assert_int_equal(plan.results.frames, FRAMES_NEVER);
}

TEST(kernels_up_to_their_bounds)
{
    char text[PLAN_KERNELS_MAX * 8 + 64] = HEAD "kernels=";

    for (unsigned i = 0; i < PLAN_KERNELS_MAX; i++)
        snprintf(text + strlen(text), 8, "k%u,", i);
    text[strlen(text) - 1] = 0;
    parse_ok(text);
    assert_int_equal(plan.kernels, PLAN_KERNELS_MAX);
    assert_string_equal(plan.kernel[PLAN_KERNELS_MAX - 1].name, "k1023");
    strcat(text, ",k256");
    parse(text);
    assert_int_equal(plan.errors, 1);
    assert_int_equal(plan.kernels, PLAN_KERNELS_MAX);
    assert_non_null(strstr(plan.error[0].text, "at most 1024 names"));
    assert_non_null(strstr(plan.error[0].text, "'k256'"));

    parse_ok(HEAD "kernels=a234567890123456789012345678901\n"); /* 31 characters and a zero fit */
    assert_string_equal(plan.kernel[0].name, "a234567890123456789012345678901");
    parse(HEAD "kernels=a,b\n");
    assert_int_equal(plan.kernels, 2);
    parse_ok(HEAD "n=0000000000000000000000000000100\n");
    assert_int_equal(plan.n, 100);
    parse(HEAD "n=defaul");
    assert_int_equal(plan.errors, 1);
    parse_ok(HEAD "label=a23456789012345678901234567890\x80\n"); /* 31 characters */
    assert_string_equal(plan.label, "a23456789012345678901234567890?");
    parse(HEAD "kernels=a2345678901234567890123456789012\n");
    assert_int_equal(plan.errors, 2);
    assert_int_equal(plan.kernels, 0);
}
