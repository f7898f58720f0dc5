/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides arrays that grow on demand. */
#ifndef BARECOUNT_PMU_BASE_ARRAY_H
#define BARECOUNT_PMU_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Allocates memory, which the array's user never frees; null when there is none left. */
typedef void *array_memory(size_t bytes);

/*
 * Returns `array` itself if it has room for an element more than `count`; otherwise a copy with
 * twice the room, or room for 16 elements at first, and updates *room. Null if out of memory; the
 * array is unchanged.
 */
void *array_grow(void *array, size_t element_bytes, uint32_t count, uint32_t *room,
                 array_memory *memory);

#endif
