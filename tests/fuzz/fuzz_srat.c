/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads arbitrary bytes as an SRAT. Computed numbers must be within their limits. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/asserts.h"

#include "pmu/cpu/srat.h"

#define LENGTH_AT   4u
#define CHECKSUM_AT 9u
#define HEAD_BYTES  48u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct srat srat;
    uint8_t *table = malloc(size + (size == 0));
    struct span span = {size > 8 ? data[8] : 0, size > 16 ? (uint64_t)data[16] << 40 : 0};
    uint64_t place = 1;

    FUZZ_CHECK(table);
    memcpy(table, data, size);
    if (srat_read(table, size, &srat))
        FUZZ_CHECK(srat.cpus <= SRAT_CPUS_MAX && srat.ranges <= SRAT_RANGES_MAX);
    else
        FUZZ_CHECK(srat.cpus == 0 && srat.ranges == 0);
    for (uint32_t i = 0; i < srat.ranges; i++)
        FUZZ_CHECK(srat.range[i].span.start < srat.range[i].span.end);
    for (uint32_t i = 0; i < srat.cpus; i++)
        srat_cpu_node(&srat, srat.cpu[i].apic_id);
    srat_memory_node(&srat, span);
    for (uint64_t align = 1; align <= 1ull << 30; align <<= 10)
        if (srat_place(&srat, 0, span, 4096, align, SRAT_LOWEST, &place))
            FUZZ_CHECK(place % align == 0 && place >= span.start && place + 4096 <= span.end);
    free(table);
    return 0;
}

/* Mutates a table, then usually corrects its signature, its checksum and its length. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
    uint32_t length;
    uint8_t sum = 0;

    size = LLVMFuzzerMutate(data, size, size_max);
    if (size < HEAD_BYTES || seed % 16 == 0)
        return size;
    length = (uint32_t)size;
    memcpy(data, "SRAT", 4);
    if (seed % 8 != 0)
        memcpy(data + LENGTH_AT, &length, sizeof(length));
    data[CHECKSUM_AT] = 0;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + data[i]);
    data[CHECKSUM_AT] = (uint8_t)-sum;
    return size;
}
