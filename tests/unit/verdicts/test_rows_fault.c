/* SPDX-License-Identifier: BSD-2-Clause */
/* How rows tell of a kernel that did not return, or changed what it must leave alone. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run.h"

static struct row row;

static void expect(struct result result, enum verdict verdict, const char *reason)
{
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
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

/* Vectors with their names, Intel SDM vol. 3A "Exceptions and Interrupts". */
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
}

TEST(hangs)
{
    struct result result = {.status = STATUS_HANG, .vector = 2, .fault_offset = 0x1c2};

    expect(result, VERDICT_TIMEOUT,
           "the kernel did not return within its bound; an NMI ended it, at offset 0x1c2");
    result.vector |= VECTOR_OUTSIDE;
    expect(result, VERDICT_TIMEOUT,
           "the kernel did not return within its bound; an NMI ended it, at address 0x1c2, outside "
           "the kernel");
}

TEST(changes_by_name)
{
    expect((struct result){.status = STATUS_CHANGED, .changed = 1u << 3 | 1u << 18 | 1u << 22},
           VERDICT_FAULT, "the kernel changed what it must leave alone: RBX, MXCSR, CR4");
}
