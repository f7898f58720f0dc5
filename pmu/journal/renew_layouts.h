/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the layouts of all readable schemas. Only for pmu/journal/renew.c. */
#ifndef BARECOUNT_PMU_JOURNAL_RENEW_LAYOUTS_H
#define BARECOUNT_PMU_JOURNAL_RENEW_LAYOUTS_H

#include "pmu/journal/renew.h"

#define STRETCHES_MAX 6u

/* From this schema on, fields are appended without a new schema. */
#define APPENDING_SCHEMA 6u

struct old_pass {
    uint32_t slots;
    uint32_t extras;
    struct slot slot[12];
    struct pass_extra extra[4];
};
_Static_assert(sizeof(struct old_pass) == 168, "schemas 2 to 6");

/* Consecutive bytes of the old payload, and their offset in today's payload. */
struct stretch {
    uint16_t to; /* STRETCH_DROPPED: none */
    uint16_t bytes;
};
#define STRETCH_DROPPED 0xffffu

/*
 * The layout of a payload in schemas `first` to `last`. For RECORD_RESULT, the layout is only that
 * of struct result, with which the payload begins.
 */
struct layout {
    uint8_t type; /* enum record_type */
    uint8_t first, last;
    uint16_t bytes; /* total size of all stretches */
    uint16_t today; /* size of today's payload */
    struct stretch stretch[STRETCHES_MAX];
};

/* Null if records of the type have no layout, as with RECORD_PLAN. */
const struct layout *layout_of(uint32_t type, uint32_t schema);

/* The size of a sample in a schema, without its raw counts. */
uint32_t layout_sample_bytes(uint32_t schema);

/* Converts an old payload of `count` bytes to today's layout. Missing fields become 0. */
void layout_take(const struct layout *layout, const char *from, size_t count, char *to);

/* Converts each status to today's number. The payload already has today's layout. */
void layout_statuses(uint32_t type, uint32_t schema, char *payload, size_t bytes);

#endif
