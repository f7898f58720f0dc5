/* SPDX-License-Identifier: BSD-2-Clause */
/* The user's event files: rows that override others, nanoBench's lines, and `for` lines. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/events.h"

BEFORE_EACH(forget_tables);

TEST(the_users_own_rows)
{
    read_table("A,3c,,,,,,old\nB,c0,,,,,,old\n");
    assert_int_equal(read_own("b,c4,,,,,,new\nC,c5,,,,,,new\nc,c6,,,,,,newest"), 0);
    assert_int_equal(tables.count, 3);
    assert_int_equal(entry("A")->select, 0x3c);
    assert_int_equal(entry("B")->select, 0xc4);
    assert_int_equal(entry("C")->select, 0xc6);
    assert_int_equal(read_own("name,select,counters,fixed,flags,msr,value,description\n"
                              "D,c7,,,,,,\n"),
                     0);
    assert_int_equal(entry("D")->select, 0xc7);
    assert_int_equal(reported.count, 0);
    assert_int_equal(read_own("name,counters\nE,c8,,,,,,\n"), 2);
    assert_int_equal(reported.count, 1);
    assert_null(event_table_find(&tables, piece_of("E")));
}

/* nanoBench's README: EvtSel and UMASK are hexadecimal, other numbers as in C. */
TEST(nanobench_lines)
{
    const struct event_entry *e;

    assert_int_equal(read_own("3C.00.CMSK=1.INV Halted\n"
                              "0D.01.AnyT.EDG.TakenAlone\tTabbed  \n"
                              "D1.20.CTR=3 L3_MISS\n"
                              "B7.01.MSR_RSP0=0x3fffc08000 OCR, with a comma\n"
                              "B7.01.MSR_RSP0=0x3fffc08000 OCR.READS\n"
                              "CD.01.MSR_3F6H=4 LATENCY\n"
                              "C6.01.MSR_PF=0x11 DSB\n"
                              "BB.01.MSR_RSP1=16 OCR1\n"),
                     1);
    assert_int_equal(reported.line, 5);
    assert_int_equal(entry("Halted")->select, 0x3c | 1u << 24 | 1u << 23);
    e = entry("Tabbed");
    assert_int_equal(e->select, 0x10d | 1u << 21 | 1u << 18);
    assert_int_equal(e->flags, EVENT_ALONE);
    assert_int_equal(entry("L3_MISS")->counters, 8);
    e = entry("OCR.READS");
    assert_true(e->msr == 0x1a6 && e->value == 0x3fffc08000 && e->select == 0x1b7);
    e = entry("LATENCY");
    assert_true(e->msr == 0x3f6 && e->value == 4);
    e = entry("DSB");
    assert_true(e->msr == 0x3f7 && e->value == 0x11);
    e = entry("OCR1");
    assert_true(e->msr == 0x1a7 && e->value == 16 && e->fixed == EVENT_NOT_FIXED);
}

TEST(bad_nanobench_lines)
{
    static const struct bad_line ROWS[] = {
        {"3C.00", "expected a name"},
        {"3C Name", "as in nanoBench, 3C.00"},
        {"3X.00 Name", "as in nanoBench, 3C.00"},
        {"3C.0X Name", "as in nanoBench, 3C.00"},
        {"100.00 Name", "as in nanoBench, 3C.00"},
        {"3C.10000 Name", "as in nanoBench, 3C.00"},
        {"some words", "as in nanoBench, 3C.00"},
        {"3C.00. Name", "expected CMSK="},
        {"3C.00.cmsk=1 Name", "expected CMSK="},
        {"3C.00.CMSK Name", "expected '=' and a number"},
        {"3C.00.CMSK=x Name", "expected '=' and a number"},
        {"3C.00.CMSK=256 Name", "out of range"},
        {"3C.00.CTR=16 Name", "out of range"},
        {"3C.00.INV=1 Name", "expected no value"},
        {"3C.00.INV.INV Name", "each attribute once"},
        {"B7.01.MSR_RSP0=1.MSR_RSP1=1 Name", "a second extra register"},
        {"msr_0xE01=0x20000000.msr_700=0x408F34 msr_706 LLC", "as in nanoBench, 3C.00"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        forget_tables();
        assert_int_equal(read_own(formatted("%s\nC0.00 Last", ROWS[i].line)), 1);
        expect_reported(2, &ROWS[i]);
        assert_int_equal(tables.count, 1);
    }
}

TEST(rows_for_some_cpus)
{
    assert_int_equal(read_own("A,1,,,,,,\n"
                              "for,GenuineIntel,6,55,0-4,\n"
                              "B,2,,,,,,\n"
                              "for,GenuineIntel,6,56,,\n"
                              "C,3,,,,,,\nnot even a row\n"
                              "for\n"
                              "D,4,,,,,,\n"
                              "for,AuthenticAMD,,,,\n"
                              "E,100000076,,,,,,\n"),
                     0);
    assert_int_equal(reported.count, 0);
    assert_int_equal(tables.count, 3);
    assert_int_equal(entry("B")->select, 2);
    assert_int_equal(entry("D")->select, 4);
    assert_int_equal(read_own("for,GenuineIntel,6,xy,,\nF,5,,,,,,\nfor\nG,6,,,,,,\n"), 2);
    assert_int_equal(reported.count, 1);
    assert_int_equal(read_own("for,GenuineIntel,6\nF,5,,,,,,\nfor\nH,6,,,,,,\n"), 2);
    assert_int_equal(reported.count, 2);
    assert_null(event_table_find(&tables, piece_of("F")));
    assert_int_equal(entry("H")->select, 6);
}

TEST(amd_has_its_own_layout)
{
    struct cpu_caps zen = {.vendor_id = "AuthenticAMD", .vendor = VENDOR_AMD, .family = 0x17};
    static const char TEXT[] = USERS_HEAD "IC,10000188e,,,,,,\n18E.18 SAME\nANY,200076,,,,,,\n"
                                          "76.00.AnyT ANY2\n";

    assert_int_equal(read_bytes(TEXT, strlen(TEXT), true, &zen), 2);
    assert_int_equal(tables.count, 2);
    assert_int_equal(entry("SAME")->select, entry("IC")->select);
}
