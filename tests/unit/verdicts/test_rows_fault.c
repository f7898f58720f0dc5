/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a kernel that did not return, or that changed what it must preserve. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run.h"

static struct row row;

/* As older programs record a kernel: the offsets of its parts are 0. */
#define PLAIN                                                                                      \
    (struct known_kernel)                                                                          \
    {                                                                                              \
        .n = RUN_N                                                                                 \
    }
static struct known_kernel kernel = {.n = RUN_N};

static void expect(struct result result, enum verdict verdict, const char *reason)
{
    run_begin(NULL, "");
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    run_cpu(3, NULL);
    run_calibration();
    result.cpu = run_cpu_record.cpu;
    result.stride_bytes = sizeof(struct sample);
    run_append(RECORD_RESULT, &result, sizeof(result));
    run_look();
    row_make(&run_view, run_last, 0, &row);
    assert_int_equal(row.verdict, verdict);
    assert_string_equal(row.reason, reason);
}

/* Names: Intel SDM vol. 3A, "Exceptions and Interrupts". */
TEST(exceptions_by_name)
{
    static const struct {
        uint32_t vector;
        const char *name;
    } ROWS[] = {
        {0, "#DE (0)"},    {1, "#DB (1)"},    {3, "#BP (3)"},   {4, "#OF (4)"},    {5, "#BR (5)"},
        {6, "#UD (6)"},    {7, "#NM (7)"},    {8, "#DF (8)"},   {9, "vector 9"},   {10, "#TS (10)"},
        {11, "#NP (11)"},  {12, "#SS (12)"},  {13, "#GP (13)"}, {15, "vector 15"}, {16, "#MF (16)"},
        {17, "#AC (17)"},  {18, "#MC (18)"},  {19, "#XM (19)"}, {20, "#VE (20)"},  {21, "#CP (21)"},
        {22, "vector 22"}, {31, "vector 31"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const char *reason = formatted(
            "the kernel raised an exception: %s, error code 0x0, at offset 0x1c4", ROWS[i].name);

        expect((struct result){.status = STATUS_FAULT,
                               .vector = ROWS[i].vector,
                               .fault_offset = 0x1c4,
                               .fault_address = 0xdead},
               VERDICT_FAULT, reason);
    }
}

TEST(page_faults_have_an_address)
{
    struct result result = {.status = STATUS_FAULT,
                            .vector = 14,
                            .error_code = 2,
                            .fault_offset = 0x1c4,
                            .fault_address = 0xfedcba9876543210};

    expect(result, VERDICT_FAULT,
           "the kernel raised an exception: #PF (14), error code 0x2, at offset 0x1c4, address "
           "0xfedcba9876543210");
    result.vector |= VECTOR_OUTSIDE;
    result.fault_offset = 0x123456789abcdef0;
    expect(result, VERDICT_FAULT,
           "the kernel raised an exception: #PF (14), error code 0x2, at address "
           "0x123456789abcdef0, outside the kernel, address 0xfedcba9876543210");
    result.fault_offset = result.fault_address;
    expect(result, VERDICT_FAULT,
           "the kernel raised an exception: #PF (14), error code 0x2, at address "
           "0xfedcba9876543210, outside the kernel");
}

/* An offset is relative to the last part of the kernel that begins at or before it. */
TEST(places_by_the_lines_of_the_source)
{
    static const struct {
        uint64_t offset;
        const char *place;
    } ROWS[] = {
        {0x1bf, "offset 0x1bf"}, {0x1c0, "PREPARE+0x0"}, {0x1ff, "PREPARE+0x3f"},
        {0x200, "ENTRY+0x0"},    {0x21c, "ENTRY+0x1c"},  {0x240, "SECOND+0x0"},
        {0x24f, "SECOND+0xf"},
    };

    kernel = (struct known_kernel){
        .n = 1, .prepare_offset = 0x1c0, .entry_offset = 0x200, .second_offset = 0x240};
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct result fault = {
            .status = STATUS_FAULT, .vector = 6, .fault_offset = ROWS[i].offset};
        const struct result hang = {
            .status = STATUS_HANG, .vector = 2, .fault_offset = ROWS[i].offset};

        expect(fault, VERDICT_FAULT,
               formatted("the kernel raised an exception: #UD (6), error code 0x0, at %s",
                         ROWS[i].place));
        expect(hang, VERDICT_TIMEOUT,
               formatted("the kernel did not return within its time limit; an NMI ended it, at %s",
                         ROWS[i].place));
    }
    kernel = PLAIN;
}

/*
 * As laid out by kernels/code.c: 28 bytes of setup, 2 of init=, 6 that set the loop, and 4 copies
 * of 3 bytes (for 2n, 8 copies).
 */
TEST(places_by_the_bytes_of_a_code)
{
    static const struct {
        uint64_t offset; /* from an entry */
        const char *place, *twice;
    } ROWS[] = {
        {0, "ENTRY+0x0", "ENTRY+0x0"},
        {28, "init+0x0", "init+0x0"},
        {29, "init+0x1", "init+0x1"},
        {30, "ENTRY+0x1e", "ENTRY+0x1e"},
        {36, "code+0x0, in copy 1 of 4", "code+0x0, in copy 1 of 8"},
        {36 + 3 + 2, "code+0x2, in copy 2 of 4", "code+0x2, in copy 2 of 8"},
        {36 + 11, "code+0x2, in copy 4 of 4", "code+0x2, in copy 4 of 8"},
        {36 + 12, "the end, after the last copy of code=", "code+0x0, in copy 5 of 8"},
        {36 + 24, "the end, after the last copy of code=", "the end, after the last copy of code="},
    };
    const uint32_t entry = 0x1c0, twice = 0x200;

    kernel = (struct known_kernel){.n = 4,
                                   .entry_offset = entry,
                                   .twice_offset = twice,
                                   .init_at = 28,
                                   .init_bytes = 2,
                                   .copy_at = 36,
                                   .copy_bytes = 3,
                                   .unroll = 4};
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (unsigned is_twice = 0; is_twice < 2; is_twice++)
            expect((struct result){.status = STATUS_FAULT,
                                   .vector = 6,
                                   .fault_offset = (is_twice ? twice : entry) + ROWS[i].offset},
                   VERDICT_FAULT,
                   formatted("the kernel raised an exception: #UD (6), error code 0x0, at %s",
                             is_twice ? ROWS[i].twice : ROWS[i].place));
    kernel = PLAIN;
}

TEST(addresses_by_what_they_are_near)
{
    static const struct {
        struct nearby near;
        const char *address;
    } ROWS[] = {
        {{NEARBY_NOTHING, 0, 64, 64}, "0x7f8000001040"},
        {{NEARBY_BUFFER, 0, 0, 4096}, "buffer+0x0"},
        {{NEARBY_BUFFER, 0, 4095, 4096}, "buffer+0xfff"},
        {{NEARBY_BUFFER, 0, 4096, 4096}, "buffer+0x1000, just past its end"},
        {{NEARBY_BUFFER, 0, 4097, 4096}, "buffer+0x1001, 1 byte past its end"},
        {{NEARBY_BUFFER, 0, 0x1040, 4096}, "buffer+0x1040, 64 bytes past its end"},
        {{NEARBY_FIRST_BUFFER, 0, -64, 4096}, "the first CPU's buffer-0x40, 64 bytes below it"},
        {{NEARBY_STACK, 0, -8, 16384}, "stack-0x8, 8 bytes below it"},
        {{NEARBY_STACK, 0, -1, 16384}, "stack-0x1, 1 byte below it"},
        {{NEARBY_CODE, 0, 0x1c4, 0x200}, "ENTRY+0x4"},
        {{NEARBY_CODE, 0, 0x200, 0x200}, "kernel+0x200, just past its end"},
        {{NEARBY_AREAS, 0, 0, 64}, "0x7f8000001040"},
    };
    struct result result = {.status = STATUS_FAULT,
                            .vector = 14,
                            .error_code = 2,
                            .fault_offset = 0x1c8,
                            .fault_address = 0x7f8000001040};

    kernel = (struct known_kernel){.n = 1, .entry_offset = 0x1c0};
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        result.fault_nearby = ROWS[i].near;
        expect(result, VERDICT_FAULT,
               formatted("the kernel raised an exception: #PF (14), error code 0x2, at "
                         "ENTRY+0x8, address %s",
                         ROWS[i].address));
    }
    result.vector |= VECTOR_OUTSIDE;
    result.fault_offset = result.fault_address;
    result.fault_nearby = (struct nearby){NEARBY_BUFFER, 0, 64, 4096};
    expect(result, VERDICT_FAULT,
           "the kernel raised an exception: #PF (14), error code 0x2, at address buffer+0x40, "
           "outside the kernel");
    kernel = PLAIN;
}

TEST(hangs)
{
    struct result result = {.status = STATUS_HANG, .vector = 2, .fault_offset = 0x1c2};

    expect(result, VERDICT_TIMEOUT,
           "the kernel did not return within its time limit; an NMI ended it, at offset 0x1c2");
    result.vector |= VECTOR_OUTSIDE;
    expect(result, VERDICT_TIMEOUT,
           "the kernel did not return within its time limit; an NMI ended it, at address 0x1c2, "
           "outside the kernel");
}

TEST(changes_by_name)
{
    expect((struct result){.status = STATUS_CHANGED, .changed = 1u << 3 | 1u << 18 | 1u << 22},
           VERDICT_FAULT, "the kernel changed what it must leave alone: RBX, MXCSR, CR4");
}
