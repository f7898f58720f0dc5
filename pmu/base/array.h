/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides arrays that grow on demand. */
#ifndef BARECOUNT_PMU_BASE_ARRAY_H
#define BARECOUNT_PMU_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Allocates memory, which the array's user never frees; null when there is none left. */
typedef void *array_memory(size_t bytes);

/*
 * Returns an array with room for at least one element more than `count`: the same one, or a copy
 * twice as large, with *room updated. Null: out of memory, and the array is unchanged.
 */
void *array_grow(void *array, size_t element_bytes, uint32_t count, uint32_t *room,
                 array_memory *memory);

#endif
