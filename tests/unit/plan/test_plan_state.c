/* SPDX-License-Identifier: BSD-2-Clause */
/* Plan files: the keys of [state], and each error. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"

#define HEAD "version=1\n[state]\n"

static const char *const KEYS[] = {
    "turbo", "prefetch", "ratio", "lock_speculation", "lfence_serializes", "park", "bus_masters"};
#define KEYS_COUNT (sizeof(KEYS) / sizeof(KEYS[0]))

static void assert_state(struct plan_state expected)
{
    assert_int_equal(plan.state.turbo, expected.turbo);
    assert_int_equal(plan.state.prefetch, expected.prefetch);
    assert_int_equal(plan.state.lock_speculation, expected.lock_speculation);
    assert_int_equal(plan.state.lfence_serializes, expected.lfence_serializes);
    assert_int_equal(plan.state.ratio, expected.ratio);
    assert_int_equal(plan.state.park, expected.park);
    assert_int_equal(plan.state.bus_masters_off, expected.bus_masters_off);
}

TEST(nothing_is_set_unless_asked)
{
    static const struct plan_state NONE = {0};

    parse_ok("version=1\n");
    assert_memory_equal(&plan.state, &NONE, sizeof(NONE));
    parse_ok(HEAD "turbo=keep\nprefetch=keep\nratio=keep\nlock_speculation=keep\n"
                  "lfence_serializes=keep\npark=auto\nbus_masters=keep\n");
    assert_state(NONE);
}

TEST(every_key_and_its_line)
{
    parse_ok(HEAD "turbo=off\nprefetch=off\nratio=base\nlock_speculation=on\n"
                  "lfence_serializes=on\npark=firmware\nbus_masters=off\n");
    assert_state((struct plan_state){.turbo = SWITCH_OFF,
                                     .prefetch = SWITCH_OFF,
                                     .ratio = PLAN_RATIO_BASE,
                                     .lock_speculation = SWITCH_ON,
                                     .lfence_serializes = SWITCH_ON,
                                     .park = PARK_FIRMWARE,
                                     .bus_masters_off = true});
    for (unsigned i = 0; i < KEYS_COUNT; i++)
        assert_int_equal(plan.state.line[i], 3 + i);
    parse_ok(HEAD
             "park=mwait\n\nratio = 255 # the highest\nprefetch=on\n[run]\n[state]\nturbo=on\n");
    assert_state((struct plan_state){
        .turbo = SWITCH_ON, .prefetch = SWITCH_ON, .ratio = 255, .park = PARK_MWAIT});
    assert_int_equal(plan.state.line[0], 9);
    assert_int_equal(plan.state.line[1], 6);
    assert_int_equal(plan.state.line[2], 5);
    assert_int_equal(plan.state.line[5], 3);
    assert_int_equal(plan.state.line[3] + plan.state.line[4] + plan.state.line[6], 0);
    parse_ok("version=1\n[run]\nlabel=the first of its keys too\n[state]\nturbo=on\nratio=1\n");
    assert_int_equal(plan.state.turbo, SWITCH_ON);
    assert_int_equal(plan.state.ratio, 1);
}

TEST(mistakes_one_by_one)
{
    static const struct mistake ROWS[] = {
        {"turbo=no", "turbo: expected keep, off or on, found 'no'"},
        {"turbo=", "turbo: expected keep, off or on, found ''"},
        {"prefetch=0", "prefetch: expected keep, off or on, found '0'"},
        {"ratio=0", "ratio: expected keep, base or a number from 1 to 255, found '0'"},
        {"ratio=256", "ratio: expected keep, base or a number from 1 to 255, found '256'"},
        {"ratio=0x100", "ratio: expected keep, base or a number from 1 to 255, found '0x100'"},
        {"ratio=", "ratio: expected keep, base or a number from 1 to 255, found ''"},
        {"ratio=4294967295",
         "ratio: expected keep, base or a number from 1 to 255, found '4294967295'"},
        {"park=halt", "park: expected auto, firmware or mwait, found 'halt'"},
        {"bus_masters=on", "bus_masters: expected keep or off, found 'on'"},
        {"turbo", "expected key=value, found 'turbo'"},
        {"runs=7", "unknown key 'runs'; [state] has turbo, prefetch, ratio, "
                   "lock_speculation, lfence_serializes, park, bus_masters"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse(formatted(HEAD "%s\n", ROWS[i].line));
        assert_one_error(3, ROWS[i].says);
        assert_string_equal(plan.error[0].text, ROWS[i].says);
        assert_state((struct plan_state){0});
        assert_int_equal(plan.runs, PLAN_RUNS_DEFAULT);
    }
}

/* If a key occurs twice, in one section or in two, its first value is used. */
TEST(a_key_twice)
{
    static const char *const VALUES[] = {"off", "off", "9", "off", "on", "mwait", "off"};

    for (unsigned i = 0; i < KEYS_COUNT; i++) {
        const char *key = KEYS[i];
        const char *says = formatted("%s appears here a second time; the first one is used", key);

        parse(formatted(HEAD "%s=%s\n%s=keep\n[state]\n%s=auto\n", key, VALUES[i], key, key));
        assert_int_equal(plan.errors, 2);
        assert_string_equal(plan.error[0].text, says);
        assert_string_equal(plan.error[1].text, says);
        assert_int_equal(plan.error[0].line, 4);
        assert_int_equal(plan.error[1].line, 6);
        assert_int_equal(plan.state.line[i], 3);
        assert_state((struct plan_state){.turbo = i == 0 ? SWITCH_OFF : SWITCH_KEEP,
                                         .prefetch = i == 1 ? SWITCH_OFF : SWITCH_KEEP,
                                         .ratio = i == 2 ? 9 : PLAN_RATIO_KEEP,
                                         .lock_speculation = i == 3 ? SWITCH_OFF : SWITCH_KEEP,
                                         .lfence_serializes = i == 4 ? SWITCH_ON : SWITCH_KEEP,
                                         .park = i == 5 ? PARK_MWAIT : PARK_AUTO,
                                         .bus_masters_off = i == 6});
    }
}
