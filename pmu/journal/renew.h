/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Journals of other versions of this program. All readers know only the current layout, so journals
 * of older schemas are first converted, in memory, to what the current version would have written.
 * Fields that an older schema lacks are 0, and the comment at a field says what 0 means; only
 * result.partner and result.node are CPU_NONE and NODE_UNKNOWN.
 *
 * Payloads change according to these rules, so that no further layouts are needed here:
 * - The first 32 bytes of RUN (schema, number, version) never change.
 * - New fields are appended to the payload, in RESULT to struct result, in multiples of 8 bytes,
 *   and 0 must mean "none" or "not known". RECORD_SCHEMA does not change: a program that does not
 *   know a field ignores it, and one that does reads 0 where it is missing.
 * - Structures that occur several times in a payload or inside another structure never grow: struct
 *   event, pass, slot, sample, msr_result, expect, state_item, tested_counter, cpu_caps, pmu_found,
 *   pmu_error, uncore_error, linux_record, uncore_record_group, the buckets of struct noise.
 * Additions to them go into a new record type; unknown types are skipped.
 * - Numbers in payloads (enum status etc.) never change their meaning; new ones are appended.
 * - Anything else requires a new RECORD_SCHEMA, and a conversion in pmu/journal/renew.c.
 */
#ifndef BARECOUNT_PMU_JOURNAL_RENEW_H
#define BARECOUNT_PMU_JOURNAL_RENEW_H

#include "pmu/journal/journal.h"
#include "pmu/base/out.h"
#include "pmu/journal/record.h"

/* Schema 1 had no names of events and only one schedule, and cannot be converted. */
#define RENEW_SCHEMA_OLDEST 2u

enum renew_need {
    RENEW_NOTHING, /* current layout: read directly */
    RENEW_ANEW,    /* readable after conversion */
    RENEW_NO_RUN,  /* from here on not readable, as renew_why() explains */
    RENEW_TOO_OLD,
    RENEW_TOO_NEW,
    RENEW_STRANGE, /* a record does not match its schema */
};

struct renewal {
    enum renew_need need;
    uint32_t schema;  /* 0: no run */
    char version[24]; /* the program that wrote it; printable, or "?" */
    size_t bytes;     /* size after conversion, with RENEW_ANEW */
};

/*
 * Examines a journal, 8-byte aligned, for the functions below. None of these modifies the journal.
 */
struct renewal renew_look(const void *journal, size_t journal_bytes);

/* Whether a journal can be rendered, converted or as it is. */
static inline bool renew_can(const struct renewal *renewal)
{
    return renewal->need == RENEW_NOTHING || renewal->need == RENEW_ANEW;
}

/* Why a journal cannot be rendered, and what to do. */
void renew_why(const struct renewal *renewal, struct out *out);

/*
 * Converts a journal to `to`, which is empty and has the size from renew_look(), and adds a remark
 * after RUN. False: `to` is too small.
 */
bool renew_write(const void *journal, size_t journal_bytes, struct journal *to);

#endif
