/* SPDX-License-Identifier: BSD-2-Clause */
/* index.csv: which CPU uses which table, and malformed lines. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/events.h"
#include "pmu/events/index.h"

#define HEAD "barecount-index,1\n"

static const char INDEX[] = HEAD "# file,vendor,family,models,steppings,core_type\n"
                                 "skx.csv,GenuineIntel,6,55,0-4,\n"
                                 "clx.csv,GenuineIntel,6,55,5-f,\n"
                                 "adlp.csv,GenuineIntel,6,97 9a b7,,core\r\n"
                                 "\n"
                                 "adle.csv,GenuineIntel,6,97 9a b7,,atom\n"
                                 "arlh.csv,GenuineIntel,6,c5,,atom:3\n"
                                 "arll.csv,GenuineIntel,6,c5,,atom:2\n"
                                 "zen.csv,AuthenticAMD,17 19,0-2f 71,,\n"
                                 "none.csv,AuthenticAMD,18,,,\n"
                                 "any.csv,GenuineIntel,6,,,";

static void assert_found(const char *index, struct cpu_caps caps, const char *file)
{
    char shown[PIECE_SHOW_BYTES];
    struct piece found =
        event_index_find(keep_text(index, strlen(index)), strlen(index), &caps, &ERRORS);

    assert_string_equal(piece_show(found, shown), file);
    assert_int_equal(found.size, strlen(file));
}

static struct cpu_caps cpu(const char *vendor, uint32_t family, uint32_t model, uint32_t stepping,
                           uint32_t core_type)
{
    struct cpu_caps caps = {
        .family = family, .model = model, .stepping = stepping, .core_type = (uint16_t)core_type};

    snprintf(caps.vendor_id, sizeof(caps.vendor_id), "%s", vendor);
    return caps;
}

TEST(tables_of_cpus)
{
    forget_tables();
    assert_found(INDEX, cpu("GenuineIntel", 6, 0x55, 0, 0), "skx.csv");
    assert_found(INDEX, cpu("GenuineIntel", 6, 0x55, 4, 0), "skx.csv");
    assert_found(INDEX, cpu("GenuineIntel", 6, 0x55, 5, 0), "clx.csv");
    assert_found(INDEX, cpu("GenuineIntel", 6, 0x55, 16, 0), "any.csv");
    assert_found(INDEX, cpu("GenuineIntel", 6, 0x9a, 3, CORE_TYPE_CORE), "adlp.csv");
    assert_found(INDEX, cpu("GenuineIntel", 6, 0xb7, 3, CORE_TYPE_ATOM), "adle.csv");
    assert_found(INDEX, cpu("GenuineIntel", 6, 0x97, 3, 0), "adlp.csv"); /* as a P-core */
    assert_found(INDEX, cpu("GenuineIntel", 15, 0x55, 4, 0), "");
    assert_found(INDEX, cpu("AuthenticAMD", 0x17, 0x71, 4, 0), "zen.csv");
    assert_found(INDEX, cpu("AuthenticAMD", 0x19, 0x2f, 4, 0), "zen.csv");
    assert_found(INDEX, cpu("AuthenticAMD", 0x19, 0x30, 4, 0), "");
    assert_found(INDEX, cpu(VENDOR_ID_HYGON, 0x18, 0x55, 4, 0), "zen.csv"); /* a Zen 1 */
    assert_found(INDEX, cpu("CentaurHauls", 6, 0x55, 4, 0), "");
    assert_int_equal(reported.count, 0);
}

TEST(tables_of_cores_of_one_type)
{
    static const struct {
        uint32_t core_type, native;
        const char *file;
    } ROWS[] = {{CORE_TYPE_ATOM, 3, "arlh.csv"},
                {CORE_TYPE_ATOM, 2, "arll.csv"},
                {CORE_TYPE_ATOM, 4, "any.csv"},
                {CORE_TYPE_CORE, 3, "any.csv"}};

    forget_tables();
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct cpu_caps caps = cpu("GenuineIntel", 6, 0xc5, 2, ROWS[i].core_type);

        caps.native_model = (uint16_t)ROWS[i].native;
        assert_found(INDEX, caps, ROWS[i].file);
    }
    assert_int_equal(reported.count, 0);
}

TEST(files_of_the_users_own)
{
    assert_true(event_index_names(INDEX, strlen(INDEX), "clx.csv"));
    assert_true(event_index_names(INDEX, strlen(INDEX), "ADLE.CSV"));
    assert_true(event_index_names(INDEX, strlen(INDEX), "index.csv"));
    assert_true(event_index_names("", 0, "INDEX.CSV"));
    assert_false(event_index_names(INDEX, strlen(INDEX), "my.csv"));
    assert_false(event_index_names(INDEX, strlen(INDEX), "clx.csv.csv"));
    assert_false(event_index_names("", 0, "clx.csv"));
}

TEST(bad_lines)
{
    static const struct bad_line ROWS[] = {
        {"x.csv,GenuineIntel,6,55,0-4", "found 5 in 'x.csv"},
        {"x.csv,GenuineIntel,6,55,0-4,,", "found 7"},
        {"x.csv", "expected the 6 fields"},
        {"..\\x.csv,GenuineIntel,6,55,,", "the name of a .csv file"},
        {"x.txt,GenuineIntel,6,55,,", "the name of a .csv file"},
        {".csv,GenuineIntel,6,55,,", "the name of a .csv file"},
        {",GenuineIntel,6,55,,", "the name of a .csv file"},
        {"x.csv,Intel,6,55,,", "the vendor: expected GenuineIntel"},
        {"x.csv,GenuineIntel,6h,55,,", "the family: expected hexadecimal"},
        {"x.csv,GenuineIntel,6,55-,,", "the models: expected hexadecimal"},
        {"x.csv,GenuineIntel,6,97 -9a,,", "the models: expected hexadecimal"},
        {"x.csv,GenuineIntel,6,55,4-0,", "the steppings: expected hexadecimal"},
        {"x.csv,GenuineIntel,6,55,,big", "the core type: expected 'core', 'atom'"},
        {"x.csv,GenuineIntel,6,55,,big:2", "the core type: expected 'core', 'atom'"},
        {"x.csv,GenuineIntel,6,55,,atom:", "the core type: expected 'core', 'atom'"},
        {"x.csv,GenuineIntel,6,55,,atom:x", "the core type: expected 'core', 'atom'"},
        {"\"x.csv,GenuineIntel,6,55,,", "expected the 6 fields"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        forget_tables();
        assert_found(formatted(HEAD "%s\nskx.csv,GenuineIntel,6,55,,\n", ROWS[i].line), SKYLAKE,
                     "skx.csv");
        expect_reported(2, &ROWS[i]);
    }
}

TEST(files_that_are_none)
{
    static const struct {
        const char *text;
        size_t size;
        uint32_t line;
        const char *says;
    } ROWS[] = {
        {"", 0, 1, "the file is empty; expected 'barecount-index,1'"},
        {"\n# x\n", 5, 1, "the file is empty"},
        {"\xff\xfe"
         "b\0",
         4, 1, "UTF-16; save it as UTF-8"},
        {"\xfe\xff\0b", 4, 1, "UTF-16; save it as UTF-8"},
        {"\xef\xbb\xbf", 3, 1, "the file is empty"},
        {"\n# x\nskx.csv,GenuineIntel,6,55,,\n", 33, 3, "as the first line, found 'skx.csv"},
        {"barecount-index,2\nskx.csv,GenuineIntel,6,55,,\n", 46, 1, "expected version 1"},
        {"barecount-index\nskx.csv,GenuineIntel,6,55,,\n", 44, 1, "expected version 1"},
        {"b\0\n", 3, 1, "found 'b?'"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        forget_tables();
        assert_int_equal(
            event_index_find(keep_text(ROWS[i].text, ROWS[i].size), ROWS[i].size, &SKYLAKE, &ERRORS)
                .size,
            0);
        expect_reported(ROWS[i].line, &(struct bad_line){ROWS[i].text, ROWS[i].says});
    }
    forget_tables();
    assert_found("\xef\xbb\xbf" HEAD "skx.csv,,,,,", SKYLAKE, "skx.csv");
    assert_int_equal(reported.count, 0);
    forget_tables();
}
