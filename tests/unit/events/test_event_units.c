/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables: rows of uncore events. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/events.h"
#include "pmu/uncore/uncore.h"

#define UNIT_HEAD                                                                                  \
    "barecount-events,1,test\nname,select,counters,fixed,flags,msr,value,description,unit\n"

TEST(rows_with_a_unit)
{
    static const char TEXT[] = UNIT_HEAD "A.CORE,3c,,1,,,,Cycles,\n"
                                         "UNC_A.B,8f34,3,,d,,,Lookups,cbox\n"
                                         "UNC_WIDE,fffffffff9aeffff,,,,e05,ffffffffffffffff,,CHA\n"
                                         "UNC_CLK,0,1,,,,,\"a, b\",uncore_clock\n";
    const struct event_entry *e;

    forget_tables();
    assert_int_equal(read_bytes(TEXT, strlen(TEXT), false, &SKYLAKE), 0);
    assert_int_equal(reported.count, 0);
    assert_int_equal(entry("A.CORE")->kind, KIND_NONE);
    assert_null(event_table_find(&tables, piece_of("UNC_A.B")));
    assert_null(event_table_find_unit(&tables, piece_of("A.CORE")));
    e = event_table_find_unit(&tables, piece_of("unc_a:b"));
    assert_non_null(e);
    assert_true(e->kind == KIND_CBO && e->select == 0x8f34 && e->counters == 3 && e->has_select &&
                e->fixed == EVENT_NOT_FIXED && e->flags == EVENT_DEPRECATED && e->msr == 0);
    e = event_table_find_unit(&tables, piece_of("UNC_WIDE"));
    assert_non_null(e);
    assert_true(e->kind == KIND_CHA && e->select == 0xfffffffff9aeffff && e->msr == 0xe05 &&
                e->value == UINT64_MAX);
    e = event_table_find_unit(&tables, piece_of("UNC_CLK"));
    assert_true(e && e->kind == KIND_CLOCK && piece_is(e->description, "a, b"));
}

/* A user's rows may leave out the unit column, and replace any row of the same name. */
TEST(own_rows_with_a_unit)
{
    forget_tables();
    assert_int_equal(read_table("UNC_X,1,,,,,,\nUNC_Y,2,,,,,,\n"), 0);
    assert_int_equal(read_own("UNC_X,3,,,,,,,arb\nMINE,4,,,,,,\nMINE.TOO,5,,,,,,,\n"), 0);
    assert_int_equal(tables.count, 4);
    assert_null(event_table_find(&tables, piece_of("UNC_X")));
    assert_int_equal(event_table_find_unit(&tables, piece_of("UNC_X"))->select, 3);
    assert_int_equal(entry("MINE")->select, 4);
    assert_int_equal(entry("MINE.TOO")->kind, KIND_NONE);
    assert_int_equal(read_own("UNC_X,6,,,,,,\nSHORT,7\nLONG,8,,,,,,,,,\n"), 1);
    assert_int_equal(entry("UNC_X")->select, 6);
    assert_null(event_table_find_unit(&tables, piece_of("UNC_X")));
    assert_int_equal(entry("SHORT")->select, 7);
    assert_int_equal(tables.count, 5);
    assert_int_equal(read_own("name,select,counters,fixed,flags,msr,value,description\n"
                              "Z,1,,,,,,,arb\n"),
                     1);
    assert_int_equal(reported.line, 3);
    assert_non_null(strstr(reported.sentence, "expected at most the 8 fields"));
}

TEST(bad_rows_with_a_unit)
{
    static const struct bad_line ROWS[] = {
        {"BAD,3c,,,,,,,cbox,", "expected at most the 9 fields name,"},
        {"BAD,3c,,,,,,,gpu",
         "unit: expected one that this program knows, such as cbox, found 'gpu'"},
        {"BAD,3c,,,,,,,energy", "unit: expected one"},
        {"BAD,3c,,,,,,,uncore_", "unit: expected one"},
        {"BAD,,,,,,,,cbox", "select: expected a hexadecimal number"},
        {"BAD,10000000000000000,,,,,,,cbox", "select: expected a hexadecimal number"},
        {"BAD,400034,,,,,,,cbox", "(EN, PMI)"},
        {"BAD,100034,,,,,,,cbox", "(EN, PMI)"},
        {"BAD,34,0,,,,,,cbox", "counters: expected hexadecimal bits"},
        {"BAD,34,,1,,,,,cbox", "fixed: expected an empty field if unit is given"},
        {"BAD,34,,,x,,,,cbox", "flags: expected each of"},
        {"BAD,34,,,,0,1,,cha", "msr: expected the number of the unit's register"},
        {"BAD,34,,,,100000000,1,,cha", "msr: expected the number"},
        {"BAD,34,,,,e05,,,cha", "value: expected a hexadecimal number"},
        {"BAD,34,,,,,1,,cha", "value: expected an empty field if msr is empty"},
        {"BAD,0,,,,,,,imc_free_running", "counters: expected exactly one counter"},
        {"BAD,0,3,,,,,,imc_free_running", "counters: expected exactly one counter"},
        {"BAD NAME,34,,,,,,,cbox", "expected a name without blanks"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const char *text =
            formatted(UNIT_HEAD "FIRST,3c,,,,,,,\n%s\nLAST,c0,,,,,,,cbox\n", ROWS[i].line);

        forget_tables();
        assert_int_equal(read_bytes(text, strlen(text), false, &SKYLAKE), 1);
        assert_int_equal(tables.count, 2);
        assert_non_null(event_table_find_unit(&tables, piece_of("LAST")));
        expect_reported(4, &ROWS[i]);
    }
}
