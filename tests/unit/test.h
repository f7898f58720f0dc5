/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of unit tests: cmocka runs each TEST(name) { … } in the order of the file. */
#ifndef BARECOUNT_TESTS_TEST_H
#define BARECOUNT_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* TEST() fills this section. The linker defines the symbols at the section's ends. */
extern const struct CMUnitTest __start_unit_tests[], __stop_unit_tests[];

/* Without the alignment, gcc would leave gaps in the section. */
#define TEST(name)                                                                                 \
    static void name(__attribute__((unused)) void **state);                                        \
    static const struct CMUnitTest test_##name                                                     \
        __attribute__((used, section("unit_tests"), aligned(_Alignof(struct CMUnitTest)))) = {     \
            #name, name, test_set_up, NULL, NULL};                                                 \
    static void name(__attribute__((unused)) void **state)

/* BEFORE_ALL(f) runs f once, before all tests. BEFORE_EACH(f) runs f before each test. */
#define BEFORE_ALL(function)  static void (*before_all)(void) = function
#define BEFORE_EACH(function) static void (*before_each)(void) = function
static void (*before_all)(void), (*before_each)(void);

static int test_set_up(void **state)
{
    (void)state;
    if (before_each)
        before_each();
    return 0;
}

/* A text formatted as by printf(). The eighth call after this one overwrites it. */
__attribute__((format(printf, 1, 2))) static inline const char *formatted(const char *format, ...)
{
    static char texts[8][2048];
    static unsigned next;
    char *text = texts[next++ % 8];
    va_list values;
    int size;

    va_start(values, format);
    size = vsnprintf(text, sizeof(texts[0]), format, values);
    va_end(values);
    assert_in_range(size, 0, sizeof(texts[0]) - 1);
    return text;
}

/* A copy of exactly this size, so that overruns are caught. The caller frees it. */
static inline void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size + (size == 0));

    assert_non_null(copy);
    return memcpy(copy, bytes, size);
}

/* Asserts that `call` writes the text `expected` to `&out`. */
#define assert_written(call, expected)                                                             \
    do {                                                                                           \
        char written[2048];                                                                        \
        struct out out = out_buffer(written, sizeof(written));                                     \
        call;                                                                                      \
        assert_string_equal(out_end(&out), expected);                                              \
    } while (0)

int main(void)
{
    if (before_all)
        before_all();
    return _cmocka_run_group_tests("tests", __start_unit_tests,
                                   __stop_unit_tests - __start_unit_tests, NULL, NULL);
}

#endif
