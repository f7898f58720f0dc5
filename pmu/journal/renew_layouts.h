/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files that renew journals: the layouts of all schemas that can be read. */
#ifndef BARECOUNT_PMU_JOURNAL_RENEW_LAYOUTS_H
#define BARECOUNT_PMU_JOURNAL_RENEW_LAYOUTS_H

#include "pmu/journal/renew.h"

#define STRETCHES_MAX 4u

/* Bytes of a payload, in the order of the old one, and where they stand today. */
struct stretch {
    uint16_t to; /* STRETCH_DROPPED: nowhere */
    uint16_t bytes;
};
#define STRETCH_DROPPED 0xffffu

/* A payload, or what stands in front of a RESULT's samples, in the schemas first to last. */
struct layout {
    uint8_t type; /* enum record_type */
    uint8_t first, last;
    uint16_t bytes; /* of the old one: all its stretches */
    uint16_t today; /* bytes of today's */
    struct stretch stretch[STRETCHES_MAX];
};

/* The layout of a type in a schema; null: of a type that has no structure of its own. */
const struct layout *layout_of(uint32_t type, uint32_t schema);

/* What precedes the raw counts of a sample. */
uint32_t layout_sample_bytes(uint32_t schema);

/* Zeros of today's size with the old bytes where they belong; at most `count` are there. */
void layout_take(const struct layout *layout, const char *from, size_t count, char *to);

/* Makes the enum status of a renewed payload today's, wherever it has one. */
void layout_statuses(uint32_t type, uint32_t schema, char *payload, size_t bytes);

#endif
