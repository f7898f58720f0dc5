/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's state in the journal, and in run.json. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"

#define TURBO                                                                                      \
    "{\"cpu\": 1, \"setting\": \"turbo\", \"register\": \"0x1a0\", \"found\": \"0x850089\", "      \
    "\"asked\": \"0x4000850089\", \"set\": true, \"read_back\": \"0x4000850088\", "                \
    "\"status\": \"ok\"}"
#define RATIO                                                                                      \
    "{\"cpu\": 1, \"setting\": \"ratio\", \"status\": \"the CPU has no register for this "         \
    "setting\"}"

static struct cpu_state state_of(unsigned cpu)
{
    return (struct cpu_state){.cpu = cpu,
                              .items = 2,
                              .item = {{.setting = STATE_TURBO,
                                        .msr = 0x1a0,
                                        .found = 0x850089,
                                        .asked = 0x4000850089,
                                        .got = 0x4000850088,
                                        .written = 1},
                                       {.setting = STATE_RATIO, .status = STATUS_STATE_ABSENT}}};
}

static void put(struct cpu_state state)
{
    run_append(RECORD_STATE, &state, sizeof(state));
}

static void begin(void)
{
    run_begin(NULL, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(1, NULL);
}

BEFORE_EACH(begin);

TEST(every_item_in_its_order)
{
    render();
    has("\"state\": []");
    put(state_of(1));
    render();
    has(TURBO);
    has(RATIO);
    assert_true(strstr(text, TURBO) < strstr(text, RATIO));
    has_not("\"complete\": true");
    run_calibration();
    run_result(0, STATUS_OK);
    run_cpu(2, NULL);
    run_look();
    assert_null(run_view.state);
    run_end();
    render();
    has(TURBO);
    has("\"complete\": true");
}

TEST(what_is_kept)
{
    struct cpu_state kept = state_of(1);

    kept.item[0] = (struct state_item){.setting = STATE_PREFETCH, .msr = 0x1a4, .kept = 1};
    kept.item[1].kept = 1;
    put(kept);
    render();
    has("\"setting\": \"prefetch\", \"register\": \"0x1a4\", \"found\": \"0x0\", "
        "\"asked\": \"keep\", \"set\": false, \"read_back\": \"0x0\"");
    has("\"setting\": \"ratio\", \"asked\": \"keep\", \"status\"");
}

/* In a parallel run, each result finds its CPU's state, but run.json contains the state once. */
TEST(known_again)
{
    put(state_of(1));
    run_calibration();
    run_cpu(2, NULL);
    run_calibration();
    run_again(1, NULL);
    run_look_at(0);
    assert_non_null(run_view.state);
    assert_int_equal(run_view.state->cpu, 1);
    render();
    assert_null(strstr(strstr(text, TURBO) + 1, TURBO));
}

TEST(records_that_cannot_be_right)
{
    for (unsigned wrong = 0; wrong < 6; wrong++) {
        struct cpu_state bad = state_of(1);

        begin();
        if (wrong == 0)
            bad.cpu = 2;
        if (wrong == 1)
            bad.items = STATE_ITEMS_MAX + 1;
        if (wrong == 2)
            bad.item[0].setting = STATE_SETTINGS;
        if (wrong == 3)
            bad.item[1].written = 2;
        if (wrong == 4)
            run_append(RECORD_STATE, &bad, sizeof(bad) - 8);
        else if (wrong == 5)
            bad.items = STATE_ITEMS_MAX; /* the valid case */
        if (wrong != 4)
            put(bad);
        run_look();
        assert_int_equal(run_view.state != NULL, wrong == 5);
        render();
        (wrong == 5 ? has_not : has)("\"state\": []");
    }
    run_begin(NULL, "version=1\n"); /* before any CPU */
    put(state_of(1));
    run_look();
    assert_null(run_view.state);
    render();
}
