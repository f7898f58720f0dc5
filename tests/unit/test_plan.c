/* SPDX-License-Identifier: BSD-2-Clause */
/* Plan files: what each line means, what is wrong with which, and files that nobody should write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_random.h"
#include "pmu/plan.h"

static struct plan plan;

#define HEAD "version=1\n[run]\n" /* so that what follows is line 3 */

/* From a copy of just that size, so that reading beyond it is seen. */
static void parse_bytes(const char *text, size_t size)
{
    char *copy = malloc(size + (size == 0));

    assert_non_null(copy);
    memcpy(copy, text, size);
    memset(&plan, 0xa5, sizeof(plan));
    plan_parse(copy, size, &plan);
    free(copy);
}

static void parse(const char *text)
{
    parse_bytes(text, strlen(text));
}

static void assert_defaults(void)
{
    assert_true(plan.all_cpus && !plan.boot_cpu_only);
    assert_int_equal(plan.runs, 100);
    assert_false(plan.runs_given);
    assert_string_equal(plan.label, "");
    assert_int_equal(plan.warmup, 5);
    assert_int_equal(plan.n, 0);
    assert_int_equal(plan.kernels, 0);
    assert_int_equal(plan.at_end, AT_END_MENU);
}

static void defaults(void **state)
{
    (void)state;
    memset(&plan, 0xa5, sizeof(plan));
    plan_default(&plan);
    assert_defaults();
    assert_int_equal(plan.errors, 0);
    parse("version=1\n");
    assert_defaults();
    assert_int_equal(plan.errors, 0);
}

static void every_key(void **state)
{
    (void)state;
    parse("version=1\n[run]\ncpus=3\nruns=250\nwarmup=0\nkernels=empty,adds\nn=7\nat_end=leave\n");
    assert_int_equal(plan.errors, 0);
    assert_false(plan.all_cpus || plan.boot_cpu_only);
    assert_int_equal(plan.cpus_line, 3);
    assert_int_equal(plan.runs, 250);
    assert_true(plan.runs_given);
    assert_int_equal(plan.warmup, 0);
    assert_int_equal(plan.n, 7);
    assert_int_equal(plan.kernels, 2);
    assert_string_equal(plan.kernel[0], "empty");
    assert_string_equal(plan.kernel[1], "adds");
    assert_int_equal(plan.kernel_line[0], 6);
    assert_int_equal(plan.kernel_line[1], 6);
    assert_int_equal(plan.at_end, AT_END_LEAVE);

    parse(HEAD "cpus=boot\nruns=10000\nwarmup=1000\nn=1000000000\nkernels=all\nat_end=reboot\n");
    assert_int_equal(plan.errors, 0);
    assert_true(!plan.all_cpus && plan.boot_cpu_only);
    assert_int_equal(plan.runs, 10000);
    assert_int_equal(plan.warmup, 1000);
    assert_int_equal(plan.n, 1000000000);
    assert_int_equal(plan.kernels, 0);
    assert_int_equal(plan.at_end, AT_END_REBOOT);

    parse(HEAD "cpus=all\nn=default\nat_end=shutdown\nruns=1\n");
    assert_true(plan.all_cpus && !plan.boot_cpu_only);
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

/* The CPUs 0 to 1023 that a value names, against a list written as ranges here. */
static void ranges_of_cpus(void **state)
{
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

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char text[80];

        snprintf(text, sizeof(text), HEAD "cpus=%s\n", ROWS[i].value);
        parse(text);
        assert_int_equal(plan.errors, 0);
        for (unsigned cpu = 0; cpu < PLAN_CPUS_MAX + 9; cpu++) {
            bool named = false;

            for (unsigned r = 0; r < ROWS[i].ranges; r++)
                named |= cpu >= ROWS[i].range[r][0] && cpu <= ROWS[i].range[r][1];
            if (plan_has_cpu(&plan, cpu, true) != named)
                fail_msg("cpus=%s: CPU %u", ROWS[i].value, cpu);
        }
        assert_false(plan_has_cpu(&plan, UINT32_MAX, true));
    }
    parse(HEAD "cpus=boot\n");
    assert_true(plan_has_cpu(&plan, 5000, true));
    assert_false(plan_has_cpu(&plan, 0, false));
    parse(HEAD "cpus=all\n");
    assert_true(plan_has_cpu(&plan, 5000, false));
}

static void white_space_and_comments(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(SAME) / sizeof(SAME[0]); i++) {
        parse(SAME[i]);
        if (plan.errors || plan.runs != 3 || plan.warmup != 2)
            fail_msg("row %zu: %u errors, first '%s'", i, plan.errors, plan.error[0].text);
    }
}

static void kernels_up_to_their_bounds(void **state)
{
    char text[PLAN_KERNELS_MAX * 8 + 64] = HEAD "kernels=";

    (void)state;
    for (unsigned i = 0; i < PLAN_KERNELS_MAX; i++)
        snprintf(text + strlen(text), 8, "k%u,", i);
    text[strlen(text) - 1] = 0;
    parse(text);
    assert_int_equal(plan.errors, 0);
    assert_int_equal(plan.kernels, PLAN_KERNELS_MAX);
    assert_string_equal(plan.kernel[PLAN_KERNELS_MAX - 1], "k63");
    strcat(text, ",k64");
    parse(text);
    assert_int_equal(plan.errors, 1);
    assert_int_equal(plan.kernels, PLAN_KERNELS_MAX);
    assert_non_null(strstr(plan.error[0].text, "at most 64 names"));
    assert_non_null(strstr(plan.error[0].text, "'k64'"));

    parse(HEAD "kernels=a234567890123456789012345678901\n"); /* 31 and a final zero: fits */
    assert_int_equal(plan.errors, 0);
    assert_string_equal(plan.kernel[0], "a234567890123456789012345678901");
    parse(HEAD "kernels=a,b\n");
    assert_int_equal(plan.kernels, 2);
    parse(HEAD "n=000000000000000100\n"); /* 18 digits: always within 64 bits */
    assert_int_equal(plan.n, 100);
    parse(HEAD "n=0000000000000000100\n");
    assert_int_equal(plan.errors, 1);
    parse(HEAD "n=defaul"); /* a file that ends within a word */
    assert_int_equal(plan.errors, 1);
    parse(HEAD "label=a23456789012345678901234567890\x80\n"); /* 31 */
    assert_int_equal(plan.errors, 0);
    assert_string_equal(plan.label, "a23456789012345678901234567890?");
    parse(HEAD "kernels=a2345678901234567890123456789012\n");
    assert_int_equal(plan.errors, 1);
    assert_int_equal(plan.kernels, 0);
}

/* What holds for the plan of any file at all. */
static void check_bounds(void)
{
    assert_in_range(plan.runs, 1, PLAN_RUNS_MAX);
    assert_in_range(plan.warmup, 0, PLAN_WARMUP_MAX);
    assert_in_range(plan.n, 0, PLAN_N_MAX);
    assert_in_range(plan.kernels, 0, PLAN_KERNELS_MAX);
    assert_in_range(plan.at_end, AT_END_MENU, AT_END_LEAVE);
    assert_false(plan.all_cpus && plan.boot_cpu_only);
    assert_true(strnlen(plan.label, PLAN_LABEL_BYTES) < PLAN_LABEL_BYTES);
    for (unsigned i = 0; i < plan.kernels; i++)
        assert_in_range(strnlen(plan.kernel[i], PLAN_NAME_BYTES), 1, PLAN_NAME_BYTES - 1);
    for (unsigned i = 0; i < plan.errors && i < PLAN_ERRORS_MAX; i++) {
        assert_in_range(strnlen(plan.error[i].text, PLAN_ERROR_BYTES), 1, PLAN_ERROR_BYTES - 1);
        for (const char *at = plan.error[i].text; *at; at++)
            assert_in_range(*at, ' ', '~'); /* what is printed on a console */
    }
}

static void random_files(void **state)
{
    static const char *const WORDS[] = {"version=1",
                                        "\n",
                                        "\r\n",
                                        "[run]",
                                        "[x]",
                                        "label",
                                        "cpus",
                                        "runs",
                                        "=",
                                        "=",
                                        "warmup",
                                        "kernels",
                                        "n",
                                        "at_end",
                                        "all",
                                        "boot",
                                        ",",
                                        "-",
                                        "0",
                                        "1023",
                                        "99999999999999999999",
                                        "#",
                                        " ",
                                        "menu",
                                        "default",
                                        "\xef\xbb\xbf",
                                        "\x80",
                                        "\n",
                                        "\n"};
    static char text[PLAN_FILE_BYTES_MAX];

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        for (size_t i = 0; i < sizeof(text); i++)
            text[i] = (char)random_bits();
        parse_bytes(text, round < 20 ? sizeof(text) : random_below(200));
        check_bounds();
    }
    for (unsigned round = 0; round < 4000; round++) {
        size_t size = 0;

        for (uint64_t words = random_below(60); words > 0; words--) {
            const char *word = WORDS[random_below(sizeof(WORDS) / sizeof(WORDS[0]))];

            memcpy(text + size, word, strlen(word));
            size += strlen(word);
        }
        parse_bytes(text, size);
        check_bounds();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_key),
        cmocka_unit_test(ranges_of_cpus),
        cmocka_unit_test(white_space_and_comments),
        cmocka_unit_test(kernels_up_to_their_bounds),
        cmocka_unit_test(random_files),
    };

    random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
