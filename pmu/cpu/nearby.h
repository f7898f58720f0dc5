/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an address lies relative to what a kernel was given. */
#ifndef BARECOUNT_PMU_CPU_NEARBY_H
#define BARECOUNT_PMU_CPU_NEARBY_H

#include <stdint.h>

/* Numbers of the journal. */
enum nearby_area {
    NEARBY_NOTHING,
    NEARBY_BUFFER,
    NEARBY_FIRST_BUFFER, /* of the first role, for one that has another */
    NEARBY_STACK,
    NEARBY_CODE, /* the kernel's record and code */
    NEARBY_AREAS
};

/* Within an area, or less than this before or after it. */
#define NEARBY_BYTES (1u << 20)

struct nearby {
    uint32_t area; /* enum nearby_area */
    uint32_t reserved;
    int64_t from;   /* its first byte to the address; negative: the address is below it */
    uint64_t bytes; /* of the area */
};

/* An area of an address space; bytes 0: there is none. */
struct nearby_place {
    uint32_t area;
    uint64_t at, bytes;
};

/* The area that an address is in, or else the nearest. */
struct nearby nearby_find(uint64_t address, const struct nearby_place *place, unsigned places);

#endif
