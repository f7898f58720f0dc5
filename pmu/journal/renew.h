/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts journals that other versions of this program wrote. All readers know only the current
 * layout, so a journal with an older layout is first converted in memory to the current layout.
 * Fields that the older layout lacks become 0; a field's comment says what 0 means. Instead of 0,
 * result.partner becomes CPU_NONE, and result.node becomes NODE_UNKNOWN. Since schema 7, a pass can
 * contain 14 slots instead of 12, and a CPU can have ten general counters instead of eight.
 *
 * Changes to payloads must follow these rules; otherwise, renew.c must convert one more layout:
 * - The first 32 bytes of RUN (schema, number, version) never change.
 * - New fields are appended to the payload or, in RESULT, to struct result, and RECORD_SCHEMA does
 *   not change. The total size of new fields is a multiple of 8 bytes, and 0 must mean "none" or
 *   "not known". An older program ignores the new fields; a newer program reads 0 if they are
 *   missing.
 * - Structures that occur several times in a payload or inside another structure never grow: struct
 *   event, pass, pass_extra, slot, sample, msr_result, expect, state_item, tested_counter,
 *   cpu_caps, cpu_cache, pmu_found, pmu_error, uncore_error, nearby, smbios, linux_record,
 *   uncore_record_group, the buckets of struct noise. Additions to these structures go into a new
 *   record type. Programs skip record types that they do not know.
 * - Numbers in payloads (enum status etc.) never change their meaning; new numbers are appended.
 * - A change that breaks these rules requires a new RECORD_SCHEMA, and a conversion in
 *   pmu/journal/renew.c.
 */
#ifndef BARECOUNT_PMU_JOURNAL_RENEW_H
#define BARECOUNT_PMU_JOURNAL_RENEW_H

#include "pmu/journal/journal.h"
#include "pmu/base/out.h"
#include "pmu/journal/record.h"

/* Journals of schema 1 cannot be converted: they contain no names of events. */
#define RENEW_SCHEMA_OLDEST 2u

enum renew_need {
    RENEW_NOTHING, /* current layout: read directly */
    RENEW_ANEW,    /* readable after conversion */
    RENEW_NO_RUN,  /* this and all later values: not readable; renew_why() says why */
    RENEW_TOO_OLD,
    RENEW_TOO_NEW,
    RENEW_STRANGE, /* a record does not match the journal's schema */
};

struct renewal {
    enum renew_need need;
    uint32_t schema;  /* 0: no RUN */
    char version[24]; /* of the program that wrote the journal, or "?"; "" if no RUN */
    size_t bytes;     /* size after conversion, if `need` is RENEW_ANEW */
};

/*
 * Examines a journal, which must be 8-byte aligned. The functions in this file never modify the
 * journal.
 */
struct renewal renew_look(const void *journal, size_t journal_bytes);

/* Whether a journal can be rendered, either as it is or after conversion. */
static inline bool renew_can(const struct renewal *renewal)
{
    return renewal->need == RENEW_NOTHING || renewal->need == RENEW_ANEW;
}

/* Writes why a journal cannot be rendered, and which version's scripts/recover may read it. */
void renew_why(const struct renewal *renewal, struct out *out);

/*
 * Converts a journal. If the journal's schema is older than RECORD_SCHEMA, adds a remark about this
 * after RUN. `to` must be empty, with room for the bytes that renew_look() computed. False if `to`
 * is too small, or if there is no RUN.
 */
bool renew_write(const void *journal, size_t journal_bytes, struct journal *to);

#endif
