/* SPDX-License-Identifier: BSD-2-Clause */
/* Locates an address relative to a kernel's areas. */
#ifndef BARECOUNT_PMU_CPU_NEARBY_H
#define BARECOUNT_PMU_CPU_NEARBY_H

#include <stdint.h>

/* Stored in journals. */
enum nearby_area {
    NEARBY_NOTHING,
    NEARBY_BUFFER,
    NEARBY_FIRST_BUFFER, /* the first CPU's buffer, which kernels on other CPUs use too */
    NEARBY_STACK,
    NEARBY_CODE, /* the kernel's record and code */
    NEARBY_AREAS
};

/* Up to this distance in bytes, an address is near an area. */
#define NEARBY_BYTES (1u << 20)

struct nearby {
    uint32_t area; /* enum nearby_area */
    uint32_t reserved;
    int64_t from;   /* offset of the address from the area's start */
    uint64_t bytes; /* size of the area */
};

/* `bytes` 0: the area does not exist. */
struct nearby_place {
    uint32_t area;
    uint64_t at, bytes;
};

/*
 * The area that contains an address, or else the nearest area; NEARBY_NOTHING if no area is near.
 */
struct nearby nearby_find(uint64_t address, const struct nearby_place *place, unsigned places);

#endif
