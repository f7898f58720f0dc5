/* SPDX-License-Identifier: BSD-2-Clause */
/* Plan files: groups of events, with names and alternatives, and MSR scripts. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"

#define HEAD "version=1\n[events g]\n"
#define GROUP                                                                                      \
    "expected [events NAME], a name of at most 31 letters, digits and _ that is not 'default', "   \
    "found "
#define NAME  "expected a name of letters, digits and _ before '=', at most 95, found "
#define EVENT "expected an event, or several separated by commas, found "

/* A line has a name and up to three alternatives. */
TEST(lines)
{
    static const struct {
        const char *line;
        const char *name;
        const char *alternative[4];
    } ROWS[] = {
        {"A.B", "", {"A.B"}},
        {"A.B:cmask=1:inv", "", {"A.B:cmask=1:inv"}},
        {"A:c=1", "", {"A:c=1"}},
        {"X = A.B:cmask=1", "X", {"A.B:cmask=1"}},
        {"X=A", "X", {"A"}},
        {"  L3_Miss2\t=\tA.B  ", "L3_Miss2", {"A.B"}},
        {"X = A.B, C.D:u ,E", "X", {"A.B", "C.D:u", "E"}},
        {"A, B", "", {"A", "B"}},
        {"A|B, C+D", "", {"A|B", "C+D"}},
        {"cpu/event=0x2e,umask=0x41/u", "", {"cpu/event=0x2e,umask=0x41/u"}},
        {"X = cpu/event=1,umask=2/, cpu_core/event=3,name=N/k, r412e",
         "X",
         {"cpu/event=1,umask=2/", "cpu_core/event=3,name=N/k", "r412e"}},
        {"cpu/event=1,umask=2", "", {"cpu/event=1,umask=2"}}, /* unterminated */
        {"9 = A", "9", {"A"}},
        {"A.B # X = C", "", {"A.B"}},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct piece rest;

        parse_ok(formatted(HEAD "%s\r\n", ROWS[i].line));
        assert_int_equal(plan.events, 1);
        assert_int_equal(plan.event[0].line, 3);
        assert_int_equal(plan.event[0].group, 0);
        assert_piece(plan.event[0].name, ROWS[i].name);
        rest = plan.event[0].expression;
        for (unsigned k = 0; ROWS[i].alternative[k]; k++)
            assert_piece(plan_alternative(&rest), ROWS[i].alternative[k]);
        assert_int_equal(rest.size, 0);
    }
}

/*
 * A line, and its expression without `none`. Only in the first three rows may a CPU lack the
 * events.
 */
TEST(events_that_a_cpu_may_lack)
{
    static const char *const ROWS[][2] = {
        {"X = A, B , none", "A, B "},
        {"A,none", "A"},
        {"X = cpu/event=1,umask=2/,none", "cpu/event=1,umask=2/"},
        {"X = none", "none"},
        {"X = A, nonesuch", "A, nonesuch"},
        {"X = none, A", "none, A"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse_ok(formatted(HEAD "%s\n", ROWS[i][0]));
        assert_piece(plan.event[0].expression, ROWS[i][1]);
        assert_int_equal(plan.event[0].may_lack, i < 3);
    }
}

TEST(mistakes)
{
    static const struct mistake ROWS[] = {
        {"= A", NAME "''"},
        {"L1.Miss = A", NAME "'L1.Miss'"},
        {"L1 Miss = A", NAME "'L1 Miss'"},
        {"X =", EVENT "''"},
        {"X = ,A", EVENT "',A'"},
        {"X = A,", EVENT "'A,'"},
        {"A,,B", EVENT "'A,,B'"},
        {",", EVENT "','"},
        {"first = B", "the name 'first' is already in line 3"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse(formatted(HEAD "first = F\n%s\nL\n", ROWS[i].line));
        assert_one_error(4, ROWS[i].says);
        assert_int_equal(plan.events, 2);
        assert_piece(plan.event[1].expression, "L");
    }
}

/* A name has at most 95 characters. */
TEST(long_expressions)
{
    char letters[97];

    memset(letters, 'x', 96);
    letters[96] = 0;
    parse_ok(formatted(HEAD "%s, B\n", letters + 1));
    parse(formatted(HEAD "B, %s\n", letters));
    assert_one_error(
        3, "the event that begins with 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' exceeds 95 characters");
    parse_ok(formatted(HEAD "X = %s\n", letters));
    parse_ok(formatted(HEAD "%s = X\n", letters + 1));
    parse(formatted(HEAD "%s = X\n", letters));
    assert_one_error(3, NAME "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'");
}

/* a, b, built_in: whether the events of groups a and b and the built-in events are counted. */
TEST(choice_of_groups)
{
    static const struct {
        const char *text;
        bool a, b, built_in;
        const char *says; /* null: no error */
    } ROWS[] = {
        {"[run]\n\n[events a]\nA\n[events b]\nB\n", true, true, false, NULL},
        {"[run]\nevents=a\n[events a]\nA\n[events b]\nB\n", true, false, false, NULL},
        {"[events a]\nA\n[run]\nevents=b\n[events b]\nB\n", false, true, false, NULL},
        {"[run]\nevents=a,default\n[events a]\nA\n[events b]\nB\n", true, false, true, NULL},
        {"[run]\nevents= b , a\n[events a]\nA\n[events b]\nB\n", true, true, false, NULL},
        {"[run]\nevents=default\n[events a]\nA\n[events b]\nB\n", false, false, true, NULL},
        {"[run]\nevents=default\n", false, false, true, NULL},
        {"[run]\n\n[events a]\n[events b]\n", true, true, true, NULL},
        {"[run]\nevents=a\n[events a]\n[events b]\nB\n", true, true, false, NULL},
        {"[run]\nevents=c,a\n[events a]\nA\n[events b]\nB\n", true, false, false,
         "events: there is no group 'c'; expected default, a, b"},
        {"[run]\nevents=c\n[events a]\nA\n[events b]\nB\n", true, true, false,
         "events: there is no group 'c'; expected default, a, b"},
        {"[run]\nevents=\n[events a]\nA\n[events b]\nB\n", true, true, false,
         "events: there is no group ''; expected default, a, b"},
        {"[run]\nevents=c\n", false, false, true,
         "events: there is no group 'c'; expected default"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse(formatted("version=1\n%s", ROWS[i].text));
        if (ROWS[i].says)
            assert_one_error(3, ROWS[i].says);
        else
            assert_int_equal(plan.errors, 0);
        assert_int_equal(plan.default_events, ROWS[i].built_in);
        for (unsigned g = 0; g < plan.groups; g++)
            assert_int_equal(plan.group[g].chosen,
                             plan.group[g].name[0] == 'a' ? ROWS[i].a : ROWS[i].b);
    }
}

TEST(names_of_groups)
{
    static const char *const WRONG[] = {
        "", "default", "a b", "a.b", "a-b", "\xe9", "a23456789012345678901234567890123"};
    char text[1024] = "version=1\n";

    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        char one[120];

        snprintf(one, sizeof(one), HEAD "A\n[events %s]\nB\n[events h]\nC\n", WRONG[i]);
        if (WRONG[i][0] == 0)
            strcpy(strstr(one, "[events ]"), "[events]\nB\n[events h]\nC\n");
        parse(one);
        assert_one_error(4, GROUP);
        assert_int_equal(plan.groups, 2);
        assert_int_equal(plan.events, 2);
        assert_string_equal(plan.group[1].name, "h");
        assert_int_equal(plan.event[1].group, 1);
    }
    parse_ok(HEAD "A\n[events h]\nB\n[events g]\nC\n"); /* continues the first group */
    assert_int_equal(plan.groups, 2);
    assert_int_equal(plan.event[2].group, 0);
    for (unsigned i = 0; i <= PLAN_GROUPS_MAX; i++)
        snprintf(text + strlen(text), 24, "[events g%u]\nA\n", i);
    parse(text);
    assert_one_error(2 + 2 * PLAN_GROUPS_MAX, "expected at most 32 groups; the lines of 'g32'");
    assert_int_equal(plan.groups, PLAN_GROUPS_MAX);
    assert_int_equal(plan.events, PLAN_GROUPS_MAX);
}

TEST(events_up_to_their_bound)
{
    static char text[PLAN_EVENTS_MAX * 8 + 64] = HEAD;

    for (unsigned i = 0; i <= PLAN_EVENTS_MAX; i++)
        strcat(text, "A.B\n");
    parse(text);
    assert_one_error(3 + PLAN_EVENTS_MAX, "expected at most 1008 events in all");
    assert_int_equal(plan.events, PLAN_EVENTS_MAX);
}

TEST(msr_sections)
{
    char text[1024];

    parse_ok("version=1\n[msr before]\nwrite 0x1a4 0xf\nnop\n[msr after]\nread 0x34\nrdtsc\n");
    assert_int_equal(plan.before.count, 2);
    assert_int_equal(plan.before.op[0].kind, MSR_OP_WRITE);
    assert_int_equal(plan.before.op[0].msr, 0x1a4);
    assert_int_equal(plan.before.op[0].value, 0xf);
    assert_int_equal(plan.before.op[0].line, 3);
    assert_int_equal(plan.before.op[1].kind, MSR_OP_NOP);
    assert_int_equal(plan.after.count, 2);
    assert_int_equal(plan.after.op[0].kind, MSR_OP_READ);
    assert_int_equal(plan.after.op[0].msr, 0x34);
    assert_int_equal(plan.after.op[1].kind, MSR_OP_RDTSC);

    parse("version=1\n[msr before]\nnop\nwrite 0x10 0\nread 0x10\nreed 1\n");
    assert_int_equal(plan.errors, 2);
    assert_int_equal(plan.error[0].line, 4); /* checked last: unsafe_msr is known only at the end */
    assert_int_equal(plan.error[1].line, 6);
    assert_int_equal(plan.before.count, 2);
    assert_int_equal(plan.before.op[1].kind, MSR_OP_READ);
    parse_ok("version=1\n[msr before]\nnop\nwrite 0x10 0\nread 0x10\n[run]\nunsafe_msr=yes\n");
    assert_int_equal(plan.before.count, 3);
    assert_int_equal(plan.before.op[1].msr, 0x10);

    parse("version=1\n[msr after]\nwrite 0x10 0\nnop\n");
    assert_one_error(3, "write 0x10: not in the list");
    assert_int_equal(plan.after.count, 1);

    strcpy(text, "version=1\n[msr before]\n");
    for (unsigned i = 0; i < MSR_SCRIPT_OPS_MAX - 1; i++)
        strcat(text, "nop\n");
    strcat(text, "[msr after]\nrdtsc\nstop\n");
    parse(text);
    assert_one_error(2 + MSR_SCRIPT_OPS_MAX + 2, "expected at most 32 lines in all sections [msr]");
    assert_int_equal(plan.before.count, MSR_SCRIPT_OPS_MAX - 1);
    assert_int_equal(plan.after.count, 1);
}
