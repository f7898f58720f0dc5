/* SPDX-License-Identifier: BSD-2-Clause */
/* A built-in kernel that tests change, and the faults that the checker must then find. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_KERNEL_H
#define BARECOUNT_TESTS_UNIT_FAKES_KERNEL_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/check.h"
#include "pmu/base/bytes.h"

#define AT(field) offsetof(struct kernel_record, field)

static alignas(8) uint8_t table[4 << 20];
static size_t table_bytes;

/* rep_movsb has `prepare`, a buffer, and both declared and undeclared counts. */
static const char EXAMPLE[] = "rep_movsb";
static const size_t EXAMPLE_BYTES = 576;

static alignas(8) uint8_t scratch[4096];
static struct kernel_record *const record = (struct kernel_record *)scratch;

static inline void seal(void)
{
    record->crc32 = 0;
    if (record->size_bytes <= sizeof(scratch))
        record->crc32 = crc32_ieee(0, scratch, record->size_bytes);
}

static inline void fresh(void)
{
    const struct kernel_record *kernel = NULL;
    enum kernel_fault why;

    memset(scratch, 0, sizeof(scratch));
    while ((kernel = kernel_next(table, table_bytes, kernel, crc32_ieee, &why)) != NULL) {
        if (strcmp(kernel->name, EXAMPLE) == 0 && kernel->size_bytes == EXAMPLE_BYTES) {
            memcpy(scratch, kernel, kernel->size_bytes);
            /* a round would not fit every buffer size that tests set */
            record->round_of = record->round_step = 0;
            seal();
            return;
        }
    }
    fail_msg("there is no kernel %s", EXAMPLE);
}

static inline void expect(enum kernel_fault fault, const char *row)
{
    enum kernel_fault got;

    seal();
    got = kernel_check(scratch, sizeof(scratch), crc32_ieee);
    if (got != fault)
        fail_msg("%s: expected \"%s\", got \"%s\"", row, kernel_fault_text(fault),
                 kernel_fault_text(got));
}

struct patch {
    size_t at;
    size_t bytes;
    uint64_t value;
};

#define PATCHES_MAX 5u

#define SET(field, value)                                                                          \
    {                                                                                              \
        AT(field), sizeof(record->field), value                                                    \
    }

struct field_row {
    const char *row;
    enum kernel_fault fault;
    struct patch patches[PATCHES_MAX];
};

static inline void expect_rows(const struct field_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fresh();
        for (size_t k = 0; k < PATCHES_MAX; k++) /* records are little-endian, like the host */
            memcpy(scratch + rows[i].patches[k].at, &rows[i].patches[k].value,
                   rows[i].patches[k].bytes);
        expect(rows[i].fault, rows[i].row);
    }
}

static inline void read_kernels(void)
{
    FILE *file = fopen("build/kernels.bin", "rb");

    assert_non_null(file);
    table_bytes = fread(table, 1, sizeof(table), file);
    fclose(file);
}

#endif
