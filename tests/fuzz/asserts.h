/* SPDX-License-Identifier: BSD-2-Clause */
/* The cmocka assertions that the unit tests' helpers use, for programs without cmocka. */
#ifndef BARECOUNT_FUZZ_ASSERTS_H
#define BARECOUNT_FUZZ_ASSERTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: Assertion failed: %s\n", __FILE__, __LINE__, #condition);      \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
#define assert_true(condition)    FUZZ_CHECK(condition)
#define assert_non_null(pointer)  FUZZ_CHECK((pointer) != NULL)
#define assert_int_equal(is, was) FUZZ_CHECK((is) == (was))
#define fail_msg(...)             (fprintf(stderr, "Assertion failed: " __VA_ARGS__), abort())

/*
 * Every fuzzer defines LLVMFuzzerTestOneInput(), and some define the mutator. libFuzzer defines
 * LLVMFuzzerMutate().
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max);

static const uint64_t EDGES[] = {
    0,          1,         2,          3,          7,          8,         12,         16,
    24,         56,        255,        511,        512,        1023,      1024,       0xffff,
    1ull << 31, INT32_MAX, UINT32_MAX, 1ull << 52, 1ull << 62, INT64_MAX, 1ull << 63, UINT64_MAX};
#define EDGES_COUNT (sizeof(EDGES) / sizeof(EDGES[0]))

#endif
