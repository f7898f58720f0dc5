/* SPDX-License-Identifier: BSD-2-Clause */
/* skipped.csv: how it is written, how a user may edit it, and what it means. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/journal/skipped.h"

static struct skipped skipped;
static char errors[256]; /* line numbers, such as "2 5 " */

static void early_error(void *context, unsigned line, const char *sentence)
{
    size_t used = strlen(errors);

    assert_ptr_equal(context, &skipped);
    assert_non_null(strstr(sentence, "expected kernel,crc32,file,cpu,run,started,uptime_s,ran_s"));
    snprintf(errors + used, sizeof(errors) - used, "%u ", line);
}

static void parse(const char *text)
{
    errors[0] = 0;
    skipped_parse(&skipped, text, strlen(text), early_error, &skipped);
}

static unsigned deaths(const char *kernel, uint32_t crc32, uint32_t run)
{
    uint32_t last;
    unsigned count = skipped_deaths(&skipped, kernel, crc32, CPU_NONE, &last);

    assert_int_equal(last, run);
    return count;
}

TEST(what_is_written_is_read)
{
    static const struct skipped_entry ENTRIES[] = {
        {"probe", 0x1a2b3c4d, "probe.bin", 1, 7, "2026-11-22T01:02:03Z", 4294967295, 60},
        {"nops", 0x00000001, "", 0, 12345, "", 0, 0},
        {"two", 0xffffffff, "a, b and c.BIN", CPU_NONE, 0, "2026-11-22T01:02:04", 1, 0},
    };
    static const char TEXT[] =
        SKIPPED_HEADER "probe,0x1a2b3c4d,probe.bin,1,0007,2026-11-22T01:02:03Z,4294967295,60\r\n"
                       "nops,0x00000001,,0,12345,,,\r\n"
                       "two,0xffffffff,\"a, b and c.BIN\",,,2026-11-22T01:02:04,1,0\r\n";
    char text[512];
    struct out out = out_buffer(text, sizeof(text));

    out_text(&out, SKIPPED_HEADER);
    for (size_t i = 0; i < 3; i++)
        skipped_put(&ENTRIES[i], &out);
    assert_string_equal(out_end(&out), TEXT);
    parse(text);
    assert_string_equal(errors, "");
    assert_int_equal(skipped.entries, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct skipped_entry *got = &skipped.entry[i], *put = &ENTRIES[i];

        assert_string_equal(got->kernel, put->kernel);
        assert_int_equal(got->crc32, put->crc32);
        assert_string_equal(got->file, put->file);
        assert_int_equal(got->cpu, put->cpu);
        assert_int_equal(got->run, put->run);
        assert_string_equal(got->started, put->started);
        assert_int_equal(got->uptime_s, put->uptime_s);
    }
}

TEST(as_a_person_writes_it)
{
    parse("\xef\xbb\xbfkernel,crc32,file,cpu,run,started\n\n  probe , 0xAB ,, \n"
          "kernel,crc32\nprobe,171\r\n\r\nnops,1");
    assert_string_equal(errors, "");
    assert_int_equal(deaths("probe", 0xab, 0), 2);
    assert_int_equal(deaths("nops", 1, 0), 1);
    assert_int_equal(skipped.entry[0].cpu, CPU_NONE);
    parse("");
    assert_int_equal(skipped.entries, 0);
}

TEST(malformed_lines_are_named_and_left_out)
{
    parse(SKIPPED_HEADER "good,0x1,,0,1,\r\n" /* 2 */
                         "probe\r\n"
                         ",0x1\r\n"
                         "probe,\r\n"
                         "probe,0x100000000\r\n"
                         "probe,x\r\n"
                         "probe,1,file,cpu,1,\r\n"
                         "probe,1,file,0,run,\r\n"
                         "probe,1,file,0,4294967296,\r\n" /* 10 */
                         "a_kernel_s_name_of_32_characters,1\r\n"
                         "probe,1,a file's name that is 40 characters long,0,1,\r\n"
                         "probe,1,,0,1,a time of 24 characters.\r\n"
                         "probe,1,,0,1,,a minute\r\n" /* 14 */
                         "good,0x1,,0,2,\r\n");
    assert_string_equal(errors, "3 4 5 6 7 8 9 10 11 12 13 14 ");
    assert_int_equal(skipped.entries, 2);
    assert_int_equal(deaths("good", 1, 2), 2);
    assert_int_equal(deaths("probe", 1, 0), 0);
}

TEST(another_build_of_a_kernel_is_another_kernel)
{
    parse("probe,1,,0,3,\nprobe,2,,0,4,\nprob,1,,0,5,\n");
    assert_int_equal(deaths("probe", 1, 3), 1);
    assert_int_equal(deaths("probe", 2, 4), 1);
    assert_int_equal(deaths("probe", 3, 0), 0);
}

/*
 * If power fails before the run's own files are written, the next boot finds the interrupted
 * journal again, but skipped.csv already has a line for it.
 */
TEST(a_death_counts_once)
{
    struct skipped_entry entry = {"probe", 1, "probe.bin", 0, 7, "2026", 0, 0};

    parse("probe,1,probe.bin,0,7,2026\n");
    assert_false(skipped_add(&skipped, &entry));
    assert_int_equal(deaths("probe", 1, 7), 1);
    entry.run = 8;
    assert_true(skipped_add(&skipped, &entry));
    assert_int_equal(deaths("probe", 1, 8), 2);
    strcpy(entry.started, "2027"); /* a reused number, after results were deleted */
    assert_true(skipped_add(&skipped, &entry));
    assert_int_equal(deaths("probe", 1, 8), 3);
}

/*
 * Stops in two different kernels do not count if a watchdog probably caused them. A watchdog is the
 * probable cause if both kernels started at nearly the same time after the machine's reset (at most
 * 10 s apart), and each kernel started at least 60 s after its run began.
 */
TEST(a_watchdog_is_not_a_kernel)
{
    static const struct {
        const char *text;
        unsigned a, b, c;
    } ROWS[] = {
        {"a,1,,0,1,,120,60\nb,1,,0,2,,130,70\n", 0, 0, 0},
        {"a,1,,0,1,,120,60\nb,1,,0,2,,131,71\n", 1, 1, 0},
        {"a,1,,0,1,,300,59\nb,1,,0,2,,300,59\n", 1, 1, 0},
        {"a,1,,0,1,,300,59\nb,1,,0,2,,300,60\n", 1, 1, 0},
        {"a,1,,0,1,,\nb,1,,0,2,,\n", 1, 1, 0}, /* lines of older images */
        {"a,1,,0,1,\nb,1,,0,2,\n", 1, 1, 0},
        {"a,1,,0,1,,300\nb,1,,0,2,,300\n", 1, 1, 0},
        {"a,1,,0,1,,300,99\na,1,,0,2,,300,99\n", 2, 0, 0}, /* the same kernel */
        {"a,1,,0,1,,300,99\na,2,,0,2,,300,99\n", 1, 0, 0}, /* another build of it */
        {"a,1,,0,1,,300,99\nb,1,,0,2,,300,99\nc,1,,0,3,,900,99\n", 0, 0, 1},
        {"a,1,,0,1,,300,99\nb,1,,0,2,,300,99\na,1,,0,3,,700,99\n", 1, 0, 0},
        {"a,1,,0,1,,300,99\nb,1,,0,2,,300,99\na,1,,0,3,,300,99\na,1,,0,4,,300,99\n", 3, 0, 0},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        uint32_t last;

        parse(ROWS[i].text);
        assert_string_equal(errors, "");
        assert_int_equal(skipped_deaths(&skipped, "a", 1, CPU_NONE, &last), ROWS[i].a);
        assert_int_equal(skipped_deaths(&skipped, "b", 1, CPU_NONE, &last), ROWS[i].b);
        assert_int_equal(skipped_deaths(&skipped, "c", 1, CPU_NONE, &last), ROWS[i].c);
    }
}

/* Three stops in a phase count even if a watchdog could explain them. */
TEST(a_phase_on_a_cpu)
{
    uint32_t last;

    parse("p,0,,1,1,,300,5\np,0,,2,2,,900,5\n");
    assert_int_equal(skipped_deaths(&skipped, "p", 0, 1, &last), 1);
    assert_int_equal(skipped_deaths(&skipped, "p", 0, 2, &last), 1);
    assert_int_equal(skipped_deaths(&skipped, "p", 0, 3, &last), 0);
    assert_int_equal(skipped_deaths(&skipped, "p", 0, CPU_NONE, &last), 2);
    parse("p,0,,1,1,,300,99\nq,0,,1,2,,300,99\np,0,,1,3,,300,99\np,0,,1,4,,300,99\n");
    assert_int_equal(skipped_deaths(&skipped, "p", 0, 1, &last), 3);
    assert_int_equal(skipped_deaths(&skipped, "q", 0, 1, &last), 0);
}

TEST(the_oldest_are_forgotten)
{
    static char text[32 * (SKIPPED_MAX + 3)];
    size_t used = 0;

    for (unsigned i = 0; i < SKIPPED_MAX + 2; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "k%u,1,,0,%u,\n", i, i + 1);
    parse(text);
    assert_int_equal(skipped.entries, SKIPPED_MAX);
    assert_int_equal(skipped.forgotten, 2);
    assert_int_equal(deaths("k1", 1, 0), 0);
    assert_int_equal(deaths("k2", 1, 3), 1);
    assert_int_equal(deaths("k257", 1, 258), 1);
}
