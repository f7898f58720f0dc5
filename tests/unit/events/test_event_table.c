/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables: valid and malformed rows and files. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/events.h"
#include "pmu/events/rows.h"
#include "tests/unit/fakes/random.h"

BEFORE_ALL(random_start);

TEST(rows)
{
    const struct event_entry *e;

    forget_tables();
    assert_int_equal(read_table("MEM_INST_RETIRED.ALL_LOADS,81d0,f,,,,,All retired loads.\r\n"
                                "# a comment\n\n"
                                " OCR.X , 1b7 ,,,ap,1a6,3fbfc00001,\"One, \"\"two\"\"\"\n"
                                "CPU_CLK_UNHALTED.THREAD,,,1,,,,Cycles\n"
                                "BOTH.WAYS,3c,,1,d,,,\n"
                                "ALL.BITS,ff13ffa4ffff,ffff,15,,,,last line\n"),
                     0);
    assert_int_equal(reported.count, 0);
    assert_int_equal(tables.count, 5);

    e = entry("mem_inst_retired:all_loads");
    assert_int_equal(e->select, 0x81d0);
    assert_int_equal(e->counters, 0xf);
    assert_int_equal(e->fixed, EVENT_NOT_FIXED);
    assert_true(e->has_select && e->flags == 0 && e->msr == 0 && e->value == 0);
    assert_true(piece_is(e->description, "All retired loads."));

    e = entry("OCR.X");
    assert_int_equal(e->select, 0x1b7);
    assert_int_equal(e->counters, 0);
    assert_int_equal(e->flags, EVENT_ALONE | EVENT_PRECISE);
    assert_int_equal(e->msr, 0x1a6);
    assert_int_equal(e->value, 0x3fbfc00001);
    assert_written(event_entry_describe(e, &out), "One, \"two\"");

    e = entry("CPU_CLK_UNHALTED.THREAD");
    assert_true(!e->has_select && e->fixed == 1);
    e = entry("BOTH.WAYS");
    assert_true(e->has_select && e->select == 0x3c && e->fixed == 1);
    assert_int_equal(e->flags, EVENT_DEPRECATED);
    e = entry("ALL.BITS");
    assert_int_equal(e->fixed, 15);
    assert_int_equal(e->counters, 0xffff);
    assert_null(event_table_find(&tables, piece_of("OCR")));
}

TEST(rows_of_perfmon)
{
    const struct event_entry *e;
    const char *text = "barecount-events,1,made from haswell V36\n" EVENT_ROW_NAMES_ERRATA "\n"
                       "SHORT,81d0,f\n"
                       "FIXED,,,1\n"
                       "DIFFERS,3024,ff,,o\n"
                       "UNIT,304,f,,,,,,imc\n"
                       "FAULTY,1b1,f,,p,,,,,\"HSD144, HSD30\"\n"
                       "LONG,1,,,,,,,,HSD65,\n";

    forget_tables();
    assert_int_equal(read_bytes(text, strlen(text), false, &SKYLAKE), 1);
    expect_reported(8, &(struct bad_line){"", "expected at most the 10 fields name,"});
    e = entry("SHORT");
    assert_true(e->select == 0x81d0 && e->counters == 0xf && e->errata.size == 0);
    assert_int_equal(e->fixed, EVENT_NOT_FIXED);
    assert_true(entry("FIXED")->fixed == 1 && !entry("FIXED")->has_select);
    assert_int_equal(entry("DIFFERS")->flags, EVENT_OTHERWISE);
    assert_int_equal(event_table_find_unit(&tables, piece_of("UNIT"))->select, 0x304);
    assert_true(piece_is(entry("FAULTY")->errata, "HSD144, HSD30"));
}

TEST(cut_off)
{
    static const char WHOLE[] =
        "barecount-events,1,made from a test\n" EVENT_ROW_NAMES_ERRATA "\nONE,81d0,f\nTWO,82d0,f\n";

    for (size_t left = 1; left < 11; left++) {
        forget_tables();
        assert_int_equal(read_bytes(WHOLE, sizeof(WHOLE) - 1 - left, false, &SKYLAKE), left < 11);
        assert_int_equal(tables.count, 1);
        expect_reported(4, &(struct bad_line){"", "the file ends within this line"});
    }
}

TEST(bad_rows)
{
    static const struct bad_line ROWS[] = {
        {"BAD,3c,,,,,,text,text", "found 9"},
        {"BAD", "expected a select or a fixed counter"},
        {",3c,,,,,,", "expected a name"},
        {"BAD NAME,3c,,,,,,", "expected a name without blanks"},
        {"BAD:NAME,3c,,,,,,", "expected a name without blanks"},
        {"B\x01"
         "D,3c,,,,,,",
         "found 'B?D'"},
        {"B\xc3\xa4"
         "D,3c,,,,,,",
         "expected a name"},
        {"BAD,3g,,,,,,", "select: expected a hexadecimal number"},
        {"BAD,1003c,,,,,,", "USR, OS"},
        {"BAD,2003c,,,,,,", "USR, OS"},
        {"BAD,8003c,,,,,,", "PC"},
        {"BAD,10003c,,,,,,", "INT"},
        {"BAD,40003c,,,,,,", "EN"},
        {"BAD,40000003c,,,,,,", "no event has"}, /* bit 34, ADAPTIVE */
        {"BAD,1000000000000,,,,,,", "no event has"},
        {"BAD,10000000000000000,,,,,,", "select: expected a hexadecimal number"},
        {"BAD,,,,,,,", "expected a select or a fixed counter"},
        {"BAD,3c,0,,,,,", "counters: expected hexadecimal bits"},
        {"BAD,3c,10000,,,,,", "counters: expected hexadecimal bits"},
        {"BAD,3c,,16,,,,", "fixed: expected the number of a counter"},
        {"BAD,3c,,-1,,,,", "fixed: expected the number of a counter"},
        {"BAD,3c,,,x,,,", "flags: expected each of a, d, o and p"},
        {"BAD,3c,,,aa,,,", "flags: expected each of a, d, o and p"},
        {"BAD,3c,,,,1a8,1,", "msr: expected 1a6, 1a7, 3e0 to 3e3, 3f6 or 3f7"},
        {"BAD,3c,,,,1000001a6,1,", "msr: expected 1a6"},
        {"BAD,3c,,,,1a6,,", "value: expected a hexadecimal number"},
        {"BAD,3c,,,,,1,", "value: expected an empty field if msr is empty"},
        {"BAD,,,1,,1a6,1,", "expected a select in this row"},
        {"BAD,3c,,,,,,\"no end", "expected quotes around the whole field"},
        {"BAD,3c,,,,,,\"more\" text", "expected quotes around the whole field"},
        {"BAD,3c,,,,,,in \"the\" middle", "expected quotes around the whole field"},
        {"BAD,3c,,,,,,\"odd\"\"", "expected quotes around the whole field"},
        {"for,GenuineIntel,6,55,,", "select: expected a hexadecimal number"},
        {"3C.00 BAD", "expected a name"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        forget_tables();
        assert_int_equal(read_table(formatted("FIRST,3c,,,,,,\n%s\nLAST,c0,,,,,,\n", ROWS[i].line)),
                         1);
        assert_int_equal(tables.count, 2);
        assert_int_equal(entry("LAST")->select, 0xc0);
        expect_reported(4, &ROWS[i]);
    }
}

TEST(names_that_are_too_long)
{
    for (int size = EVENT_NAME_BYTES - 1; size <= (int)EVENT_NAME_BYTES; size++) {
        forget_tables();
        assert_int_equal(read_table(formatted("%0*d,3c,,,,,,\n", size, 7)),
                         size == EVENT_NAME_BYTES);
        assert_int_equal(reported.count, size == EVENT_NAME_BYTES);
    }
    assert_non_null(strstr(reported.sentence, "at most 95 characters, found 96"));
}

TEST(files_that_are_no_table)
{
    static const struct {
        const char *text;
        size_t left_out;
        uint32_t line;
        const char *says;
    } ROWS[] = {
        {"A,3c,,,,,,\nB,c0,,,,,,\n", 2, 1, "expected 'barecount-events,1' as the first line"},
        {"barecount-events,2\nA,3c,,,,,,\n", 2, 1, "expected version 1"},
        {"barecount-index,1\n", 1, 1, "expected 'barecount-events,1'"},
        {"barecount-events,1\nA,3c,,,,,,\nB,c0,,,,,,", 2, 2, "the rest is left out"},
        {"barecount-events,1\nname,counters,select\nB,c0,,,,,,", 2, 2, "the rest is left out"},
        {"", 0, 1, "the file is empty"},
        {"\xff\xfe"
         "A\n",
         1, 1, "UTF-16"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        size_t left_out;

        forget_tables();
        left_out = read_bytes(ROWS[i].text, strlen(ROWS[i].text), false, &SKYLAKE);
        if (left_out != ROWS[i].left_out || tables.count != 0 || reported.count != 1 ||
            reported.line != ROWS[i].line || !strstr(reported.sentence, ROWS[i].says))
            fail_msg("row %zu: %zu left out, %u errors, line %u: %s", i, left_out, reported.count,
                     reported.line, reported.sentence);
    }
}

TEST(more_rows_than_room)
{
    forget_tables();
    tables.room = 2;
    assert_int_equal(read_table("A,1,,,,,,\nB,2,,,,,,\nC,3,,,,,,\nD,4,,,,,,\n"), 2);
    assert_int_equal(tables.count, 2);
    assert_int_equal(reported.count, 1);
    assert_int_equal(reported.line, 5);
    assert_non_null(strstr(reported.sentence, "room for only 2 events"));
    assert_int_equal(read_own("B,7,,,,,,\nE,8,,,,,,\n"), 1);
    assert_int_equal(entry("B")->select, 7);
}

TEST(texts_of_all_kinds)
{
    static const char BYTES[] = "\xef\xbb\xbf"
                                "barecount-events,1\r\n\r\n"
                                "A,3c,,,,,,\0zero\r\n"
                                "\0\0\n"
                                "B,3c,,,,,,\xff\xfe\r\n"
                                "C,c0,,,,,,";

    forget_tables();
    assert_int_equal(read_bytes(BYTES, sizeof(BYTES) - 1, true, &SKYLAKE), 1);
    assert_int_equal(reported.line, 4);
    assert_int_equal(tables.count, 3);
    assert_written(event_entry_describe(entry("A"), &out), "?zero");
}

#define MIB (1u << 20)

TEST(a_mebibyte_of_random_bytes)
{
    static const char LIKELY[] = ",,,,\n\n\"\"# .=aAfF019";
    char *text = malloc(MIB);

    assert_non_null(text);
    for (unsigned round = 0; round < 4; round++) {
        size_t head = strlen(USERS_HEAD);

        forget_tables();
        for (size_t i = 0; i < MIB; i++)
            text[i] = round & 1 ? LIKELY[random_below(sizeof(LIKELY) - 1)] : (char)random_bits();
        memcpy(text, USERS_HEAD, head);
        read_bytes(text, MIB, true, &SKYLAKE);
        for (size_t i = 0; i < tables.count; i++)
            assert_true(event_name_valid(entries[i].name));
    }
    forget_tables();
    memset(text, 'a', MIB);
    assert_int_equal(read_bytes(text, MIB, false, &SKYLAKE), 1);
    forget_tables();
    free(text);
}
