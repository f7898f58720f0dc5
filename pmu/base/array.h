/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow on demand. */
#ifndef BARECOUNT_PMU_BASE_ARRAY_H
#define BARECOUNT_PMU_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Allocates memory that is never freed; null if no memory is left. */
typedef void *array_memory(size_t bytes);

/*
 * Makes room for one more element than `count`. Returns `array` if it has the room, else a copy
 * with twice the room, and updates *room. If no memory is left, returns null and leaves the array
 * unchanged.
 */
void *array_grow(void *array, size_t element_bytes, uint32_t count, uint32_t *room,
                 array_memory *memory);

#endif
