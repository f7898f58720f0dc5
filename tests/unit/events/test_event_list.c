/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of --list-events for a CPU and its package. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore_find.h"
#include "pmu/events/list.h"
#include "pmu/events/rows.h"

BEFORE_EACH(with_table);

static char said[20000];

static bool list(const struct uncore *of, const char *pattern)
{
    struct table_source source = {.tables = tables, .file = "test.csv"};
    struct out out = out_buffer(said, sizeof(said));
    bool found = event_list(&source, &SKYLAKE, of, pattern, &out);

    out_end(&out);
    assert_false(out.failed);
    return found;
}

TEST(events_of_packages)
{
    static const char *const LINES[] = {
        "llc_misses                               cbox 8834  built in\n",
        "core_energy_uJ                           energy     built in\n",
        "UNC_CBO_CACHE_LOOKUP.READ_MESI           cbox 1f34\n",
        "UNC_CLOCK.SOCKET                         clock\n",
        "UNC_OF_THE_CORE                          r020e      A core's\n",
    };

    client_uncore(0x9e);
    assert_true(list(&uncore, ""));
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++)
        if (!strstr(said, LINES[i]))
            fail_msg("'%s' is not in:\n%s", LINES[i], said);
    assert_null(strstr(said, "UNC_LLC_MISS.ANY"));
    assert_null(strstr(said, "dram_energy_uJ"));
    assert_true(list(&uncore, "unc_arb"));
    assert_non_null(strstr(said, "\n3 events with 'unc_arb' in their names; table: test.csv\n"));
    assert_true(list(&uncore, "unc_clock"));
    assert_non_null(strstr(said, "\n1 event with"));
}

TEST(a_sum_of_two)
{
    nehalem_uncore();
    assert_true(list(&uncore, "llc_"));
    assert_non_null(strstr(said,
                           "llc_lookups                              uncore 308+309 built in\n"
                           "llc_misses                               uncore 309 built in\n"));
}

TEST(no_uncore)
{
    assert_true(list(0, ""));
    assert_null(strstr(said, "llc_misses"));
    assert_null(strstr(said, "UNC_CBO"));
    assert_non_null(strstr(said, "UOPS_ISSUED.ANY"));
    assert_false(list(0, "unc_cbo"));
}

TEST(deprecated_and_doubtful)
{
    forget_tables();
    read_own(EVENT_ROW_NAMES_ERRATA "\nOLD,10e,,,d,,,Words\nODD,20e,,,d,,,,,SKL091\n"
                                    "FAULTY,30e,,,,,,,,\"HSD25, HSD29\"\n");
    assert_true(list(0, ""));
    assert_non_null(strstr(said, " r010e      Words; deprecated\n"));
    assert_non_null(strstr(said, " r020e      deprecated; erratum SKL091\n"));
    assert_non_null(strstr(said, " r030e      erratum HSD25, HSD29\n"));
}

TEST(no_line_is_cut)
{
    char name[EVENT_NAME_BYTES], words[201];

    memset(name, 'N', sizeof(name) - 1);
    memset(words, 'w', sizeof(words) - 1);
    name[sizeof(name) - 1] = words[sizeof(words) - 1] = 0;
    read_table(formatted("%s,10e,,,,,,short\nSHORT,20e,,,,,,%s\n", name, words));
    assert_true(list(0, ""));
    assert_non_null(strstr(said, formatted("%s r010e short\n", name)));
    assert_non_null(strstr(said, formatted("SHORT%*s r020e      %s\n", 35, "", words)));
}
