/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow, in memory that is asked for when it is needed. */
#ifndef BARECOUNT_PMU_BASE_ARRAY_H
#define BARECOUNT_PMU_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Memory that its giver takes back, never the array's user; null: there is none. */
typedef void *array_memory(size_t bytes);

/*
 * The array with room for one element more than `count`: itself, or a copy twice as large, and
 * *room says how many it has room for. Null: there is no memory, and the array is as it was.
 */
void *array_grow(void *array, size_t element_bytes, uint32_t count, uint32_t *room,
                 array_memory *memory);

#endif
