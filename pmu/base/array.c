/* SPDX-License-Identifier: BSD-2-Clause */
/* Grows arrays by doubling. */
#include "pmu/base/array.h"

#define FIRST_ROOM 16u

void *array_grow(void *array, size_t element_bytes, uint32_t count, uint32_t *room,
                 array_memory *memory)
{
    uint32_t larger = *room ? 2 * *room : FIRST_ROOM;
    void *copy;

    if (count < *room)
        return array;
    copy = memory(larger * element_bytes);
    if (!copy)
        return 0;
    if (count > 0)
        __builtin_memcpy(copy, array, count * element_bytes);
    *room = larger;
    return copy;
}
