/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel file contains exactly one complete kernel. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "kernels/check.h"
#include "pmu/base/bytes.h"

#define CODE_BYTES   1u
#define KERNEL_BYTES (sizeof(struct kernel_record) + KERNEL_ALIGN)

static char *make(size_t size)
{
    char *bytes = calloc(1, size);
    struct kernel_record *kernel = (struct kernel_record *)bytes;

    assert_non_null(bytes);
    *kernel = (struct kernel_record){.abi = KERNEL_ABI,
                                     .record_bytes = sizeof(*kernel),
                                     .size_bytes = KERNEL_BYTES,
                                     .entry_offset = sizeof(*kernel),
                                     .code_bytes = CODE_BYTES,
                                     .code_align = KERNEL_ALIGN,
                                     .default_n = 1,
                                     .name = "name",
                                     .title = "Title",
                                     .family = "mine"};
    memcpy(kernel->magic, KERNEL_MAGIC, sizeof(kernel->magic));
    kernel->crc32 = crc32_ieee(0, bytes, KERNEL_BYTES);
    return bytes;
}

static void expect(size_t size, enum kernel_fault fault)
{
    size_t there = size < KERNEL_BYTES ? KERNEL_BYTES : size;
    char *bytes = make(there), *file = copy_of(bytes, size);

    assert_string_equal(kernel_fault_text(kernel_check_file(file, size, crc32_ieee)),
                        kernel_fault_text(fault));
    free(file);
    free(bytes);
}

TEST(of_every_size)
{
    expect(0, KERNEL_SHORT);
    expect(sizeof(struct kernel_record) - 1, KERNEL_SHORT);
    expect(sizeof(struct kernel_record), KERNEL_TRUNCATED);
    expect(KERNEL_BYTES - 1, KERNEL_TRUNCATED);
    expect(KERNEL_BYTES, KERNEL_OK);
    expect(KERNEL_BYTES + 1, KERNEL_TRAILING);
    expect(2 * KERNEL_BYTES, KERNEL_TRAILING);
    expect(KERNEL_FILE_BYTES_MAX, KERNEL_TRAILING);
    expect(KERNEL_FILE_BYTES_MAX + 1, KERNEL_TOO_LARGE);
}

TEST(a_damaged_kernel_with_more_behind_it)
{
    char *bytes = make(2 * KERNEL_BYTES);

    bytes[KERNEL_BYTES - 1] ^= 1;
    assert_int_equal(kernel_check_file(bytes, 2 * KERNEL_BYTES, crc32_ieee), KERNEL_BAD_CRC);
    free(bytes);
}
