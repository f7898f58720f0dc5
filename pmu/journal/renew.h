/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts journals of other versions, in memory, to the current layout, because readers know only
 * this layout. Fields that the older layout lacks become 0, but result.partner becomes CPU_NONE,
 * and result.node becomes NODE_UNKNOWN.
 *
 * Changes to payloads must follow these rules; otherwise, renew.c must convert one more layout:
 * - The first 32 bytes of RUN (schema, number, version) never change.
 * - New fields are appended to the payload or, in RESULT, to struct result, and RECORD_SCHEMA does
 *   not change. The total size of new fields is a multiple of 8 bytes, and 0 must mean "none" or
 *   "not known", because a newer program reads 0 for a missing field.
 * - Structures that occur several times in a payload or inside another structure never grow: struct
 *   event, pass, pass_extra, slot, sample, msr_result, expect, state_item, tested_counter,
 *   cpu_caps, cpu_cache, pmu_found, pmu_error, uncore_error, nearby, smbios, linux_record,
 *   uncore_record_group, the buckets of struct noise. Additions go into a new record type; programs
 *   skip record types that they do not know.
 * - Numbers in payloads (enum status etc.) never change their meaning; new numbers are appended.
 * - A change that breaks these rules requires a new RECORD_SCHEMA, and a conversion in
 *   pmu/journal/renew.c.
 */
#ifndef BARECOUNT_PMU_JOURNAL_RENEW_H
#define BARECOUNT_PMU_JOURNAL_RENEW_H

#include "pmu/journal/journal.h"
#include "pmu/base/out.h"
#include "pmu/journal/record.h"

/* Journals of schema 1 contain no names of events. */
#define RENEW_SCHEMA_OLDEST 2u

enum renew_need {
    RENEW_NOTHING, /* current layout: read directly */
    RENEW_ANEW,    /* readable after conversion */
    RENEW_NO_RUN,  /* this and all later values: not readable; see renew_why() */
    RENEW_TOO_OLD,
    RENEW_TOO_NEW,
    RENEW_STRANGE, /* a record contradicts the schema */
};

struct renewal {
    enum renew_need need;
    uint32_t schema;  /* 0: no RUN */
    char version[24]; /* of the program that wrote the journal; "?": not printable; "": no RUN */
    size_t bytes;     /* of the converted journal */
};

/* Examines a journal without changing it. The journal must be 8-byte aligned. */
struct renewal renew_look(const void *journal, size_t journal_bytes);

static inline bool renew_can(const struct renewal *renewal)
{
    return renewal->need == RENEW_NOTHING || renewal->need == RENEW_ANEW;
}

/* Writes why a journal cannot be rendered, and which version's scripts/recover may read it. */
void renew_why(const struct renewal *renewal, struct out *out);

/*
 * Converts a journal, and adds a remark after RUN if the journal's schema is older. `to` must be
 * empty, with renewal.bytes of room. False if `to` is too small, or if there is no RUN.
 */
bool renew_write(const void *journal, size_t journal_bytes, struct journal *to);

#endif
