/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checker of kernel records. Each test of a check uses a record that the checker, without this
 * check, would accept or reject for another fault.
 */
#include <stdbool.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/kernel.h"

BEFORE_ALL(read_kernels);
BEFORE_EACH(fresh);

static const struct field_row FIELDS[] = {
    {"first of magic", KERNEL_BAD_MAGIC, {SET(magic[0], 'b')}},
    {"last of magic", KERNEL_BAD_MAGIC, {SET(magic[7], 'l')}},
    {"next abi", KERNEL_BAD_ABI, {SET(abi, 2)}},
    {"short record", KERNEL_BAD_RECORD_BYTES, {SET(record_bytes, 440)}},
    {"record shorter by an entry", KERNEL_BAD_RECORD_BYTES, {SET(record_bytes, 408)}},
    {"half an entry", KERNEL_BAD_RECORD_BYTES, {SET(record_bytes, 468)}},
    {"nine entries", KERNEL_BAD_RECORD_BYTES, {SET(record_bytes, 808)}},
    {"eight entries", KERNEL_BAD_SIZE, {SET(record_bytes, 768)}},
    {"record above 32 bits", KERNEL_BAD_RECORD_BYTES, {SET(record_bytes, UINT32_MAX)}},
    {"one line too long", KERNEL_BAD_SIZE, {SET(size_bytes, 640)}},
    {"one line too short", KERNEL_BAD_SIZE, {SET(size_bytes, 512)}},
    {"no multiple of 64", KERNEL_BAD_SIZE, {SET(size_bytes, 575)}},
    {"no code", KERNEL_BAD_SIZE, {SET(code_bytes, 0), SET(size_bytes, 448)}},
    {"sum above 32 bits", KERNEL_BAD_SIZE, {SET(code_bytes, 0xfffffe40), SET(size_bytes, 0)}},
    {"entry in the record", KERNEL_BAD_ENTRY, {SET(entry_offset, 447)}},
    {"no entry", KERNEL_BAD_ENTRY, {SET(entry_offset, 0)}},
    {"entry in the padding", KERNEL_BAD_ENTRY, {SET(code_bytes, 66), SET(entry_offset, 514)}},
    {"last byte is entry", KERNEL_OK, {SET(code_bytes, 66), SET(entry_offset, 513)}},
    {"prepare in the record", KERNEL_BAD_PREPARE, {SET(prepare_offset, 447)}},
    {"prepare behind", KERNEL_BAD_PREPARE, {SET(prepare_offset, 576)}},
    {"no prepare", KERNEL_OK, {SET(prepare_offset, 0)}},
    {"second in the record", KERNEL_BAD_SECOND, {SET(second_offset, 447), SET(flags, 2)}},
    {"second behind", KERNEL_BAD_SECOND, {SET(second_offset, 576), SET(flags, 2)}},
    {"a pair", KERNEL_OK, {SET(second_offset, 448), SET(flags, 2)}},
    {"second without flag", KERNEL_BAD_PAIR, {SET(second_offset, 448)}},
    {"flag without second", KERNEL_BAD_PAIR, {SET(flags, 2)}},
    {"a crowd", KERNEL_OK, {SET(second_offset, 448), SET(flags, 4)}},
    {"pair and crowd", KERNEL_BAD_PAIR, {SET(second_offset, 448), SET(flags, 6)}},
    {"code_align 0", KERNEL_BAD_CODE_ALIGN, {SET(code_align, 0)}},
    {"code_align 48", KERNEL_BAD_CODE_ALIGN, {SET(code_align, 48)}},
    {"code_align 4096", KERNEL_OK, {SET(code_align, 4096)}},
    {"code_align 8192", KERNEL_BAD_CODE_ALIGN, {SET(code_align, 8192)}},
    {"n of 0", KERNEL_BAD_DEFAULT_N, {SET(default_n, 0)}},
    {"largest n", KERNEL_OK, {SET(default_n, 1ull << 40)}},
    {"n too large", KERNEL_BAD_DEFAULT_N, {SET(default_n, (1ull << 40) + 1)}},
    {"largest buffer", KERNEL_OK, {SET(buffer_bytes, 1ull << 40)}},
    {"buffer too large", KERNEL_BAD_BUFFER, {SET(buffer_bytes, (1ull << 40) + 1)}},
    {"buffer without align", KERNEL_BAD_BUFFER_ALIGN, {SET(buffer_align, 0)}},
    {"buffer_align 48", KERNEL_BAD_BUFFER_ALIGN, {SET(buffer_align, 48)}},
    {"align without buffer", KERNEL_BAD_BUFFER_ALIGN, {SET(buffer_bytes, 0)}},
    {"no buffer", KERNEL_OK, {SET(buffer_bytes, 0), SET(buffer_align, 0)}},
    {"page of 4 KiB", KERNEL_OK, {SET(page_bytes, 4096)}},
    {"page of 2 MiB", KERNEL_OK, {SET(page_bytes, 2 << 20)}},
    {"page of 1 GiB", KERNEL_OK, {SET(page_bytes, 1 << 30)}},
    {"page of 8 KiB", KERNEL_BAD_PAGE_BYTES, {SET(page_bytes, 8192)}},
    {"page without buffer",
     KERNEL_BAD_PAGE_BYTES,
     {SET(buffer_bytes, 0), SET(buffer_align, 0), SET(page_bytes, 4096)}},
    {"known features", KERNEL_OK, {SET(cpu_features, (1ull << 43) - 1)}},
    {"unknown feature", KERNEL_BAD_FEATURES, {SET(cpu_features, 1ull << 43)}},
    {"highest feature", KERNEL_BAD_FEATURES, {SET(cpu_features, 1ull << 63)}},
    {"all clobbers", KERNEL_OK, {SET(clobbers, 0x3ffef)}},
    {"RSP", KERNEL_BAD_CLOBBERS, {SET(clobbers, 1 << 4)}},
    {"unknown clobber", KERNEL_BAD_CLOBBERS, {SET(clobbers, 1 << 18)}},
    {"ring 0", KERNEL_OK, {SET(flags, 1)}},
    {"known", KERNEL_OK, {SET(flags, 8)}},
    {"unknown flag", KERNEL_BAD_FLAGS, {SET(flags, 1 << 7)}},
    {"a line and its round",
     KERNEL_OK,
     {SET(flags, KERNEL_STREAMS), SET(round_of, ROUND_BUFFER), SET(round_step, 64)}},
    {"two lines and their round",
     KERNEL_OK,
     {SET(flags, KERNEL_READS | KERNEL_WRITES), SET(round_of, ROUND_BUFFER), SET(round_step, 128)}},
    {"two lines, the round of one",
     KERNEL_BAD_MOVES,
     {SET(flags, KERNEL_READS | KERNEL_WRITES), SET(round_of, ROUND_BUFFER), SET(round_step, 64)}},
    {"a line without a round", KERNEL_BAD_MOVES, {SET(flags, KERNEL_READS)}},
    {"a round of the buffer", KERNEL_OK, {SET(round_of, ROUND_BUFFER), SET(round_step, 2)}},
    {"unknown round", KERNEL_BAD_ROUND, {SET(round_of, KERNEL_ROUNDS), SET(round_step, 1)}},
    {"round without a step", KERNEL_BAD_ROUND, {SET(round_of, ROUND_BUFFER)}},
    {"step without a round", KERNEL_BAD_ROUND, {SET(round_step, 64)}},
    {"round without buffer",
     KERNEL_BAD_ROUND,
     {SET(buffer_bytes, 0), SET(buffer_align, 0), SET(round_of, ROUND_BUFFER),
      SET(round_step, 4096)}},
    {"blocks without argument",
     KERNEL_BAD_ROUND,
     {SET(round_of, ROUND_BLOCKS), SET(round_step, 1)}},
    {"a round of an absent argument",
     KERNEL_BAD_ROUND,
     {SET(round_of, ROUND_ARGUMENT), SET(round_step, 1)}},
    {"default_n is a round",
     KERNEL_OK,
     {SET(default_n, 64), SET(buffer_bytes, 4096), SET(round_of, ROUND_BUFFER),
      SET(round_step, 64)}},
    {"default_n is no whole round",
     KERNEL_BAD_ROUND,
     {SET(default_n, 63), SET(buffer_bytes, 4096), SET(round_of, ROUND_BUFFER),
      SET(round_step, 64)}},
};

TEST(fields_are_checked)
{
    expect_rows(FIELDS, sizeof(FIELDS) / sizeof(FIELDS[0]));
}

static const struct {
    const char *row;
    enum kernel_fault fault;
    struct kernel_count count;
} COUNTS[] = {
    {"kind 3", KERNEL_BAD_KIND, {3, 0, 0, 0, 0, 0}},
    {"a property", KERNEL_BAD_PROPERTY, {KERNEL_EXACT, 1, 0, 0, 0, 0}},
    {"not declared, low c0", KERNEL_BAD_UNDECLARED, {0, 0, 1, 0, 0, 0}},
    {"not declared, low c1", KERNEL_BAD_UNDECLARED, {0, 0, 0, 1, 0, 0}},
    {"not declared, high c0", KERNEL_BAD_UNDECLARED, {0, 0, 0, 0, 1, 0}},
    {"not declared, high c1", KERNEL_BAD_UNDECLARED, {0, 0, 0, 0, 0, 1}},
    {"exact", KERNEL_OK, {KERNEL_EXACT, 0, -1, 1, -1, 1}},
    {"exact with two c0", KERNEL_BAD_EXACT, {KERNEL_EXACT, 0, 1, 1, 2, 1}},
    {"exact with two c1", KERNEL_BAD_EXACT, {KERNEL_EXACT, 0, 1, 1, 1, 2}},
    {"largest", KERNEL_OK, {KERNEL_RANGE, 0, 0, 0, 1ll << 61, 1ll << 21}},
    {"high c0 too large", KERNEL_BAD_BOUND, {KERNEL_RANGE, 0, 0, 0, (1ll << 61) + 1, 0}},
    {"high c1 too large", KERNEL_BAD_BOUND, {KERNEL_RANGE, 0, 0, 0, 0, (1ll << 21) + 1}},
    {"high c0 too small", KERNEL_BAD_BOUND, {KERNEL_RANGE, 0, 0, 0, -(1ll << 61) - 1, 0}},
    {"high c1 too small", KERNEL_BAD_BOUND, {KERNEL_RANGE, 0, 0, 0, 0, -(1ll << 21) - 1}},
    {"low c0 too large", KERNEL_BAD_BOUND, {KERNEL_RANGE, 0, (1ll << 61) + 1, 0, 0, 0}},
    {"low c1 too large", KERNEL_BAD_BOUND, {KERNEL_RANGE, 0, 0, (1ll << 21) + 1, 0, 0}},
    {"low c0 too small", KERNEL_BAD_BOUND, {KERNEL_RANGE, 0, -(1ll << 61) - 1, 0, 0, 0}},
    {"low c1 too small", KERNEL_BAD_BOUND, {KERNEL_RANGE, 0, 0, -(1ll << 21) - 1, 0, 0}},
    {"falling", KERNEL_BAD_NEGATIVE, {KERNEL_EXACT, 0, 9, -1, 9, -1}},
    {"negative at 1", KERNEL_BAD_NEGATIVE, {KERNEL_EXACT, 0, -2, 1, -2, 1}},
    {"range", KERNEL_OK, {KERNEL_RANGE, 0, 0, 1, 0, 2}},
    {"ends cross at 1", KERNEL_BAD_RANGE, {KERNEL_RANGE, 0, 3, 1, 1, 2}},
    {"ends meet at 1", KERNEL_OK, {KERNEL_RANGE, 0, 2, 1, 1, 2}},
    {"ends cross later", KERNEL_BAD_RANGE, {KERNEL_RANGE, 0, 0, 2, 9, 1}},
};

TEST(all_five_counts_are_checked)
{
    for (size_t i = 0; i < sizeof(COUNTS) / sizeof(COUNTS[0]); i++) {
        for (size_t k = 0; k < KERNEL_DECLARATIONS; k++) {
            fresh();
            record->declared[k] = COUNTS[i].count;
            expect(COUNTS[i].fault, COUNTS[i].row);
        }
    }
}

/* Inserts a list of up to two entries before the code; an entry of zeros ends the list. */
static void insert_list(const struct kernel_count list[2])
{
    const uint32_t entries = list[0].property == 0 ? 0 : list[1].property == 0 ? 1 : 2;
    const uint32_t bytes = entries * sizeof(*list);

    fresh();
    memmove(scratch + sizeof(*record) + bytes, scratch + sizeof(*record), record->code_bytes);
    memcpy(record->list, list, bytes);
    record->record_bytes += bytes;
    record->entry_offset += bytes;
    record->prepare_offset += bytes;
    record->size_bytes = (record->record_bytes + record->code_bytes + 63) / 64 * 64;
}

#define LAST (PROPERTY_END - 1)
#define NONE EXACT(0, 0, 0)
#define NO_OTHERS(end)                                                                             \
    {                                                                                              \
        KERNEL_NO_OTHERS, end, 0, 0, 0, 0                                                          \
    }
#define BLANK(number)                                                                              \
    {                                                                                              \
        KERNEL_NOT_DECLARED, number, 0, 0, 0, 0                                                    \
    }
#define EXACT(number, c0, c1)                                                                      \
    {                                                                                              \
        KERNEL_EXACT, number, c0, c1, c0, c1                                                       \
    }

static const struct list_row {
    const char *row;
    enum kernel_fault fault;
    struct kernel_count list[2];
} LISTS[] = {
    {"no list", KERNEL_OK, {NONE, NONE}},
    {"two", KERNEL_OK, {EXACT(5, 0, 1), {KERNEL_RANGE, LAST, 0, 0, 0, 2}}},
    {"one of the five", KERNEL_BAD_PROPERTY, {EXACT(4, 0, 1), NONE}},
    {"unknown", KERNEL_BAD_PROPERTY, {EXACT(PROPERTY_END, 0, 1), NONE}},
    {"twice", KERNEL_BAD_PROPERTY, {EXACT(6, 0, 1), BLANK(6)}},
    {"two slopes", KERNEL_BAD_EXACT, {{KERNEL_EXACT, 5, 0, 1, 0, 2}, NONE}},
    {"bad second", KERNEL_BAD_NEGATIVE, {BLANK(5), EXACT(6, -2, 1)}},
    {"no others", KERNEL_OK, {EXACT(LAST, 1, 0), NO_OTHERS(PROPERTY_END)}},
    {"no older others", KERNEL_OK, {NO_OTHERS(LAST), EXACT(LAST, 1, 0)}},
    {"no others twice", KERNEL_BAD_PROPERTY, {NO_OTHERS(LAST), NO_OTHERS(LAST)}},
    {"no unknown others", KERNEL_BAD_PROPERTY, {NO_OTHERS(PROPERTY_END + 1), NONE}},
    {"others of 1", KERNEL_BAD_UNDECLARED, {{KERNEL_NO_OTHERS, LAST, 1, 0, 1, 0}, NONE}},
    {"kind 4", KERNEL_BAD_KIND, {{4, 5, 0, 0, 0, 0}, NONE}},
};

TEST(lists_are_checked)
{
    for (size_t i = 0; i < sizeof(LISTS) / sizeof(LISTS[0]); i++) {
        insert_list(LISTS[i].list);
        expect(LISTS[i].fault, LISTS[i].row);
    }
}

static void expect_declared(unsigned what, enum kernel_declared kind, int64_t low_c1)
{
    const struct kernel_count count = kernel_declares(record, what);

    assert_int_equal(count.kind, kind);
    assert_int_equal(count.low_c1, low_c1);
    assert_int_equal(count.high_c1, low_c1);
}

TEST(what_the_list_lacks)
{
    static const struct kernel_count OLDER[2] = {EXACT(6, 0, 3), NO_OTHERS(8)},
                                     ALONE[2] = {EXACT(6, 0, 3), NONE},
                                     HOLE[2] = {NO_OTHERS(8), BLANK(6)};

    insert_list(OLDER);
    expect_declared(KERNEL_INSTRUCTIONS, record->declared[0].kind, record->declared[0].low_c1);
    for (unsigned what = PROPERTY_FIRST; what < 8; what++)
        expect_declared(what, KERNEL_EXACT, what == 6 ? 3 : 0);
    expect_declared(8, KERNEL_NOT_DECLARED, 0);
    insert_list(ALONE);
    expect_declared(6, KERNEL_EXACT, 3);
    expect_declared(5, KERNEL_NOT_DECLARED, 0);
    insert_list(HOLE);
    expect_declared(5, KERNEL_EXACT, 0);
    expect_declared(6, KERNEL_NOT_DECLARED, 0);
}

static void expect_texts(const char *text, enum kernel_fault name, enum kernel_fault title)
{
    fresh();
    strncpy(record->name, text, sizeof(record->name));
    expect(name, text);
    fresh();
    strncpy(record->title, text, sizeof(record->title));
    expect(title, text);
}

TEST(texts_are_checked)
{
    expect_texts("az09_", KERNEL_OK, KERNEL_OK);
    expect_texts("", KERNEL_BAD_NAME, KERNEL_BAD_TITLE);
    expect_texts("a b", KERNEL_BAD_NAME, KERNEL_OK);
    expect_texts("aB", KERNEL_BAD_NAME, KERNEL_OK);
    expect_texts("a`", KERNEL_BAD_NAME, KERNEL_OK); /* ` { / : are next to a, z, 0 and 9 */
    expect_texts("a{", KERNEL_BAD_NAME, KERNEL_OK);
    expect_texts("a/", KERNEL_BAD_NAME, KERNEL_OK);
    expect_texts("a:", KERNEL_BAD_NAME, KERNEL_OK);
    expect_texts(" ~", KERNEL_BAD_NAME, KERNEL_OK);
    expect_texts("a\x1f", KERNEL_BAD_NAME, KERNEL_BAD_TITLE);
    expect_texts("a\x7f", KERNEL_BAD_NAME, KERNEL_BAD_TITLE);
    expect_texts("a\x80", KERNEL_BAD_NAME, KERNEL_BAD_TITLE);

    fresh();
    memset(record->name, 'a', sizeof(record->name));
    expect(KERNEL_BAD_NAME, "name without an end");
    record->name[KERNEL_NAME_BYTES - 1] = '\0';
    expect(KERNEL_OK, "longest name");
    record->name[1] = '\0';
    expect(KERNEL_BAD_NAME, "name continues after its end");

    fresh();
    memset(record->title, 'a', sizeof(record->title));
    expect(KERNEL_BAD_TITLE, "title without an end");
    record->title[KERNEL_TITLE_BYTES - 1] = '\0';
    expect(KERNEL_OK, "longest title");
    record->title[1] = '\0';
    expect(KERNEL_BAD_TITLE, "title continues after its end");
}

TEST(lengths_are_checked)
{
    assert_int_equal(kernel_check(scratch, EXAMPLE_BYTES, crc32_ieee), KERNEL_OK);
    assert_int_equal(kernel_check(scratch, EXAMPLE_BYTES - 1, crc32_ieee), KERNEL_TRUNCATED);
    assert_int_equal(kernel_check(scratch, 448, crc32_ieee), KERNEL_TRUNCATED);
    assert_int_equal(kernel_check(scratch, 447, crc32_ieee), KERNEL_SHORT);
    assert_int_equal(kernel_check(scratch, 0, crc32_ieee), KERNEL_SHORT);
}

TEST(every_bit_is_covered)
{
    for (size_t bit = 0; bit < 8 * EXAMPLE_BYTES; bit++) {
        scratch[bit / 8] ^= 1 << bit % 8;
        assert_int_not_equal(kernel_check(scratch, sizeof(scratch), crc32_ieee), KERNEL_OK);
        scratch[bit / 8] ^= 1 << bit % 8;
    }
    scratch[EXAMPLE_BYTES - 1] ^= 1;
    assert_int_equal(kernel_check(scratch, sizeof(scratch), crc32_ieee), KERNEL_BAD_CRC);
}

TEST(table_is_walked_to_its_end)
{
    const struct kernel_record *kernel = NULL;
    enum kernel_fault why = KERNEL_SHORT;
    size_t bytes = 0;

    while ((kernel = kernel_next(table, table_bytes, kernel, crc32_ieee, &why)) != NULL)
        bytes += kernel->size_bytes;
    assert_int_equal(why, KERNEL_OK);
    assert_int_equal(bytes, table_bytes);
    assert_true(bytes > 0);

    assert_null(kernel_next(table, 0, NULL, crc32_ieee, &why));
    assert_int_equal(why, KERNEL_OK);
}

/* Cores may count a prefetch as a load or store. */
TEST(prefetches_declare_neither_loads_nor_stores)
{
    const struct kernel_record *kernel = NULL;
    enum kernel_fault why;
    unsigned found = 0;

    while ((kernel = kernel_next(table, table_bytes, kernel, crc32_ieee, &why)) != NULL) {
        if (!strstr(kernel->name, "prefetch"))
            continue;
        assert_int_equal(kernel->declared[KERNEL_LOADS].kind, KERNEL_NOT_DECLARED);
        assert_int_equal(kernel->declared[KERNEL_STORES].kind, KERNEL_NOT_DECLARED);
        found++;
    }
    assert_int_equal(found, 8); /* T0, T1, T2, NTA, W, a walk with NTA, two mixtures */
}

TEST(walk_stops_at_a_fault)
{
    const struct kernel_record *first;
    enum kernel_fault why;

    first = kernel_next(scratch, EXAMPLE_BYTES + 1, NULL, crc32_ieee, &why);
    assert_ptr_equal(first, record);
    assert_null(kernel_next(scratch, EXAMPLE_BYTES + 1, first, crc32_ieee, &why));
    assert_int_equal(why, KERNEL_SHORT);
    assert_null(kernel_next(scratch, sizeof(scratch), first, crc32_ieee, &why));
    assert_int_equal(why, KERNEL_BAD_MAGIC);
}

TEST(counts_are_linear)
{
    const struct kernel_count count = {KERNEL_RANGE, 0, -1, 2, 10, 1ll << 21};

    assert_int_equal(kernel_count_low(&count, 1), 1);
    assert_int_equal(kernel_count_low(&count, 1000), 1999);
    assert_int_equal(kernel_count_high(&count, 3), 10 + 3 * (1ll << 21));
    assert_int_equal(kernel_count_high(&count, KERNEL_N_MAX), 10 + (1ll << 61));
}

TEST(faults_have_sentences)
{
    for (unsigned fault = 0; fault < KERNEL_FAULTS; fault++)
        assert_true(strlen(kernel_fault_text(fault)) > 0);
    assert_string_equal(kernel_fault_text(KERNEL_FAULTS), "unknown fault");
}
