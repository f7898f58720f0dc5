/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks kernel files that consist of arbitrary bytes, mostly with a valid checksum. An accepted
 * kernel must lie within the bytes, and its declared counts must be valid for five values of n.
 */
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/asserts.h"

#include "kernels/check.h"
#include "pmu/base/bytes.h"

static void check_counts(const struct kernel_record *kernel)
{
    static const uint64_t N[] = {1, 2, 1000, KERNEL_N_MAX / 2, KERNEL_N_MAX};

    for (unsigned d = 0; d < KERNEL_COUNTS; d++)
        for (unsigned i = 0; i < sizeof(N) / sizeof(N[0]); i++) {
            const struct kernel_count count = kernel_declares(kernel, d);
            int64_t low = kernel_count_low(&count, N[i]), high = kernel_count_high(&count, N[i]);

            FUZZ_CHECK(low >= 0 && low <= high && count.kind <= KERNEL_RANGE);
            FUZZ_CHECK(count.kind != KERNEL_EXACT || low == high);
        }
}

static void check_accepted(const struct kernel_record *kernel, size_t size)
{
    const uint64_t code_end = kernel->record_bytes + (uint64_t)kernel->code_bytes;
    const uint32_t offset[] = {kernel->entry_offset, kernel->prepare_offset, kernel->second_offset};

    FUZZ_CHECK(kernel->size_bytes <= size && code_end <= kernel->size_bytes);
    for (unsigned i = 0; i < 3; i++)
        FUZZ_CHECK((i > 0 && offset[i] == 0) ||
                   (offset[i] >= kernel->record_bytes && offset[i] < code_end));
    FUZZ_CHECK(strnlen(kernel->name, sizeof(kernel->name)) < sizeof(kernel->name));
    FUZZ_CHECK(strnlen(kernel->title, sizeof(kernel->title)) < sizeof(kernel->title));
    FUZZ_CHECK(strnlen(kernel->family, sizeof(kernel->family)) < sizeof(kernel->family));
    FUZZ_CHECK(strnlen(kernel->argument, sizeof(kernel->argument)) < sizeof(kernel->argument));
    check_counts(kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + (size == 0)); /* this copy is aligned, and ASan finds overruns */
    const struct kernel_record *kernel = NULL;
    enum kernel_fault fault;

    FUZZ_CHECK(bytes);
    memcpy(bytes, data, size);
    fault = kernel_check_file(bytes, size, crc32_ieee);
    FUZZ_CHECK(fault < KERNEL_FAULTS && strlen(kernel_fault_text(fault)) > 1);
    if (fault == KERNEL_OK)
        check_accepted((const struct kernel_record *)(const void *)bytes, size);
    while ((kernel = kernel_next(bytes, size, kernel, crc32_ieee, &fault)))
        check_accepted(kernel, size - (size_t)((const uint8_t *)kernel - bytes));
    free(bytes);
    return 0;
}

#define MADE_BYTES (sizeof(struct kernel_record) + 2 * KERNEL_ALIGN)

static size_t make_kernel(uint8_t *data)
{
    static const struct kernel_count LIST[] = {
        {KERNEL_EXACT, PROPERTY_NEAR_CALLS, 0, 1, 0, 1},
        {KERNEL_NO_OTHERS, PROPERTY_END, 0, 0, 0, 0},
    };
    struct kernel_record kernel = {
        .magic = {'B', 'C', 'K', 'E', 'R', 'N', 'E', 'L'},
        .abi = KERNEL_ABI,
        .record_bytes = sizeof(kernel) + sizeof(LIST),
        .size_bytes = MADE_BYTES,
        .entry_offset = sizeof(kernel) + sizeof(LIST),
        .code_bytes = 1,
        .code_align = KERNEL_ALIGN,
        .default_n = 1000,
        .buffer_bytes = 4096,
        .buffer_align = 64,
        .name = "fuzzed",
        .title = "A kernel of the fuzzer",
        .family = "fuzz",
        .argument = "size",
        .argument_default = 8,
        .argument_low = 4,
        .argument_high = 12,
        .argument_step = 2,
        .declared = {{.kind = KERNEL_EXACT, .low_c0 = 1, .low_c1 = 2, .high_c0 = 1, .high_c1 = 2},
                     {.kind = KERNEL_RANGE, .low_c1 = 1, .high_c0 = 5, .high_c1 = 2}},
    };

    memset(data, 0, MADE_BYTES);
    memcpy(data, &kernel, sizeof(kernel));
    memcpy(data + sizeof(kernel), LIST, sizeof(LIST));
    data[kernel.entry_offset] = 0xc3;
    return MADE_BYTES;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
    static alignas(8) uint8_t bytes[1 << 16];
    struct kernel_record *kernel = (struct kernel_record *)(void *)bytes;
    uint64_t value = EDGES[seed / 64 % EDGES_COUNT];
    size_t width = (size_t)1 << seed % 4, covered;

    if (size_max > sizeof(bytes))
        size_max = sizeof(bytes);
    if (size < sizeof(*kernel) && size_max >= MADE_BYTES)
        size = make_kernel(data);
    if (seed / 4 % 4 == 0 && size >= sizeof(*kernel))
        memcpy(data + seed / 4096 % (sizeof(*kernel) / width) * width, &value, width);
    else
        size = LLVMFuzzerMutate(data, size, size_max);
    if (size < sizeof(*kernel) || seed / 16 % 16 == 0)
        return size;
    memcpy(bytes, data, size);
    covered = kernel->size_bytes <= size ? kernel->size_bytes : size;
    kernel->crc32 = 0;
    kernel->crc32 = crc32_ieee(0, bytes, covered);
    memcpy(data, bytes, size);
    return size;
}
