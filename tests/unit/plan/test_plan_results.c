/* SPDX-License-Identifier: BSD-2-Clause */
/* Plan files: the keys of [results], and each error. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/plan.h"

#define HEAD "version=1\n[results]\n"

static void assert_results(enum plan_frames frames, const char *server, unsigned server_line,
                           unsigned frames_line)
{
    assert_int_equal(plan.errors, 0);
    assert_int_equal(plan.results.frames, frames);
    assert_string_equal(plan.results.server, server);
    assert_int_equal(plan.results.line[0], server_line);
    assert_int_equal(plan.results.line[1], frames_line);
}

TEST(what_is_taken)
{
    parse("version=1\n");
    assert_results(FRAMES_AUTO, "", 0, 0);
    parse(HEAD "frames=auto\n");
    assert_results(FRAMES_AUTO, "", 0, 3);
    parse(HEAD "\nframes = always # whatever happens\nserver = http://10.0.2.2:8000/in\n");
    assert_results(FRAMES_ALWAYS, "http://10.0.2.2:8000/in/", 5, 4);
    parse(HEAD "server=tftp://10.0.2.2:69\nframes=never\n[run]\nruns=3\n");
    assert_results(FRAMES_NEVER, "tftp://10.0.2.2/", 3, 4);
    assert_int_equal(plan.runs, 3);
    parse("version=1\n[run]\nlabel=its first key too\n[results]\nserver=HTTP://h/\nframes=never\n");
    assert_results(FRAMES_NEVER, "http://h/", 5, 6);
}

TEST(mistakes_one_by_one)
{
    static const struct mistake ROWS[] = {
        {"frames=yes", "frames: expected auto, always or never, found 'yes'"},
        {"server=", "server: expected http://HOST/PATH/ or tftp://ADDRESS/PATH/, found ''"},
        {"server=//10.0.2.2/in/",
         "server: expected http://HOST/PATH/ or tftp://ADDRESS/PATH/, found '//10.0.2.2/in/'"},
        {"server=https://h/", "server: expected http:// or tftp:// (the firmware has no "
                              "certificates to check https with), found 'https://h/'"},
        {"server=tftp://name/",
         "server: expected an IPv4 address such as 192.168.1.1, found 'name'"},
        {"server=http://h:x/", "server: expected a port from 1 to 65535, found 'x'"},
        {"server", "expected key=value, found 'server'"},
        {"runs=7", "unknown key 'runs'; [results] has server, frames, check, machine"},
        {"check=maybe", "check: expected no or yes, found 'maybe'"},
        {"machine=", "machine: expected no or yes, found ''"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        parse(formatted(HEAD "%s\n", ROWS[i].line));
        assert_one_error(3, ROWS[i].says);
        assert_string_equal(plan.error[0].text, ROWS[i].says);
        assert_int_equal(plan.results.frames, FRAMES_AUTO);
        assert_string_equal(plan.results.server, "");
        assert_int_equal(plan.runs, PLAN_RUNS_DEFAULT);
    }
}

/* Adding the folder's slash would make the path one character too long. */
TEST(a_path_too_long_for_a_folder)
{
    parse(formatted(HEAD "server=http://h/%0126d\n", 0));
    assert_one_error(3, "server: expected a path of at most 126 characters");
    assert_string_equal(plan.results.server, "");
}

TEST(a_key_twice)
{
    parse(HEAD "server=http://a/\nframes=never\n[results]\nserver=http://b/\nframes=auto\n");
    assert_int_equal(plan.errors, 2);
    assert_string_equal(plan.error[0].text,
                        "server appears here a second time; the first one is used");
    assert_string_equal(plan.error[1].text,
                        "frames appears here a second time; the first one is used");
    assert_string_equal(plan.results.server, "http://a/");
    assert_int_equal(plan.results.frames, FRAMES_NEVER);
    assert_int_equal(plan.results.line[0], 3);
    assert_int_equal(plan.results.line[1], 4);
}
