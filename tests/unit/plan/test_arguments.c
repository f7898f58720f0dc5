/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's command line. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/plan/arguments.h"

static struct arguments arguments;

static void parse(const char *line)
{
    size_t units = strlen(line) + 1;
    unsigned short *wide = test_malloc(units * sizeof(*wide));

    for (size_t i = 0; i < units; i++)
        wide[i] = (unsigned char)line[i];
    memset(&arguments, 0xa5, sizeof(arguments));
    arguments_parse(wide, units, &arguments);
    test_free(wide);
}

struct line {
    const char *line;
    enum arguments_action action;
    const char *plan, *cpus, *pattern;
};

TEST(lines_that_are_right)
{
    static const struct line LINES[] = {
        {"barecount.efi --help", ACTION_HELP, "", "", ""},
        {"fs0:\\b\\BOOTX64.EFI --plan my.cfg", ACTION_RUN, "my.cfg", "", ""},
        {"--plan=a\\b.cfg --cpus=0,2-5", ACTION_RUN, "a\\b.cfg", "0,2-5", ""},
        {"x --cpus all", ACTION_RUN, "", "all", ""},
        {"x --plan \"two words.cfg\" --cpus boot", ACTION_RUN, "two words.cfg", "boot", ""},
        {"\"two words.efi\"   --check-plan  ", ACTION_CHECK_PLAN, "", "", ""},
        {"x --check-plan plans\\full.cfg", ACTION_CHECK_PLAN, "plans\\full.cfg", "", ""},
        {"x --check-plan --cpus 1", ACTION_CHECK_PLAN, "", "1", ""},
        {"x --list-events", ACTION_LIST_EVENTS, "", "", ""},
        {"x --list-events L1D", ACTION_LIST_EVENTS, "", "", "L1D"},
        {"x --list-kernels", ACTION_LIST_KERNELS, "", "", ""},
        {"x --list-kernels=chase --cpus 1", ACTION_LIST_KERNELS, "", "1", "chase"},
    };

    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        const struct line *want = &LINES[i];

        parse(want->line);
        assert_string_equal(arguments.error, "");
        assert_true(arguments.given);
        assert_int_equal(arguments.action, want->action);
        assert_string_equal(arguments.plan, want->plan);
        assert_string_equal(arguments.cpus, want->cpus);
        assert_string_equal(arguments.pattern, want->pattern);
    }
}

TEST(lines_that_are_wrong)
{
    static const struct {
        const char *line, *error;
    } LINES[] = {
        {"x --speed", "no option is called '--speed'; --help lists the options"},
        {"x --plna f", "no option is called '--plna'; nearest: --plan"},
        {"x --list", "no option is called '--list'; nearest: --list-events, --list-kernels"},
        {"x --", "no option is called '--'; --help lists the options"},
        {"x --plan", "'--plan' needs a value"},
        {"x --plan=", "'--plan' needs a value"},
        {"x --plan --cpus 1", "'--plan' needs a value"},
        {"x --help=1", "'--help' takes no value"},
        {"x --help me", "'me' is not expected here; --help shows what is"},
        {"x y --help", "'y' is not expected here; --help shows what is"},
        {"x --help --list-kernels", "'--list-kernels': another option already says what to do"},
        {"x --check-plan --for",
         "'--for' is an option of barecount-linux only: use that on any workstation"},
        {"x --list-events --for=spr L1D",
         "'--for' is an option of barecount-linux only: use that on any workstation"},
        {"x --x --y", "no option is called '--x'; --help lists the options"},
        {"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 --help --help",
         "too many words; --help shows what is expected"},
    };
    char text[200] = "x --plan ";

    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        parse(LINES[i].line);
        assert_string_equal(arguments.error, LINES[i].error);
    }
    memset(text + strlen(text), 'p', ARGUMENT_BYTES - 1);
    parse(text);
    assert_string_equal(arguments.error, "");
    assert_int_equal(strlen(arguments.plan), ARGUMENT_BYTES - 1);
    strcat(text, "p");
    parse(text);
    assert_string_equal(arguments.error, "--plan: the value is too long");
}

/*
 * A boot manager may pass load options that are not for barecount. Such options are ignored if no
 * word begins with --, or if the line is too long or is not plain text.
 */
TEST(load_options_that_are_not_ours)
{
    static const unsigned short BINARY[] = {'-', '-', 0x1234, 'h', 0};
    static const unsigned short NEW_LINE[] = {'-', '-', 'h', 'e', 'l', 'p', '\n', 0};
    unsigned short long_one[2000];

    parse("");
    assert_false(arguments.given);
    parse("barecount.efi");
    assert_false(arguments.given);
    parse("UEFI: USB STICK, Partition 1");
    assert_false(arguments.given);
    assert_string_equal(arguments.error, "");
    parse("UEFI: a--b stick");
    assert_false(arguments.given);
    assert_string_equal(arguments.error, "");
    arguments_parse(BINARY, 5, &arguments);
    assert_false(arguments.given);
    arguments_parse(NEW_LINE, 8, &arguments);
    assert_false(arguments.given);
    for (size_t i = 0; i < 2000; i++)
        long_one[i] = '-';
    arguments_parse(long_one, 2000, &arguments);
    assert_false(arguments.given);
}

TEST(the_end_of_the_line)
{
    static const unsigned short HELP[] = {'-', '-', 'h', 'e', 'l', 'p', 0, '-', '-', 'x', 0};

    arguments_parse(HELP, 6, &arguments);
    assert_int_equal(arguments.action, ACTION_HELP);
    arguments_parse(HELP, 11, &arguments);
    assert_int_equal(arguments.action, ACTION_HELP);
    assert_string_equal(arguments.error, "");
}
