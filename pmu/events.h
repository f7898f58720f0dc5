/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in events: the fixed counters, the architectural events, and the retired loads, stores
 * and taken branches of Skylake and its successors. Names are Intel perfmon's.
 */
#ifndef BARECOUNT_PMU_EVENTS_H
#define BARECOUNT_PMU_EVENTS_H

#include <stdint.h>

#include "caps.h"
#include "status.h"

#define EVENTS_MAX       16u
#define EVENT_NAME_BYTES 40u
#define EVENT_NOT_FIXED  (-1)
#define EVENT_NOT_ARCH   (-1)
#define EVENT_UNDECLARED (-1)

enum event_unit { UNIT_COUNT, UNIT_CYCLES, UNIT_REFERENCE_CYCLES };

/* Written to the journal as it is, so that a later program can render an earlier one's run. */
struct event {
    char name[EVENT_NAME_BYTES];
    uint8_t code;
    uint8_t umask;
    int8_t arch;      /* index of the architectural event, or EVENT_NOT_ARCH */
    int8_t fixed;     /* the fixed counter that counts it, or EVENT_NOT_FIXED */
    int8_t declared;  /* the kernels' declaration it must meet, or EVENT_UNDECLARED */
    uint8_t unit;     /* enum event_unit */
    uint8_t counters; /* general counters that can count it, bit i; 0: all */
    uint8_t reserved;
};
_Static_assert(sizeof(struct event) == 48, "journal layout");

/*
 * What the kernels declare, in the order of their record (kernels/kernel.h, which tests compare).
 */
enum event_declared {
    DECLARED_INSTRUCTIONS,
    DECLARED_BRANCHES,
    DECLARED_TAKEN_BRANCHES,
    DECLARED_LOADS,
    DECLARED_STORES,
    DECLARED_COUNT,
};

extern const struct event EVENTS[];
extern const unsigned EVENTS_COUNT;

/* Whether a CPU can count an event: STATUS_OK, or why not. */
enum status event_available(const struct event *event, const struct cpu_caps *caps);

/* "count", "cycles" or "reference cycles". */
const char *event_unit_name(const struct event *event);

#endif
