/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Journals of other versions of this program. Everything that reads a journal knows today's layout
 * alone; what an older program left is first written anew, in memory, as today's would have written
 * it. What an older schema did not have is 0, which its field's comment gives a meaning, but for
 * result.partner and result.node, which are CPU_NONE and NODE_UNKNOWN.
 *
 * The rules for whoever changes a payload, so that no further layout has to be kept here:
 * - the first 32 bytes of RUN (schema, number, version) never change;
 * - a field that is added stands at the end of its payload, of RESULT at the end of struct result,
 *   in multiples of 8 bytes, and means nothing as 0. RECORD_SCHEMA stays as it is: a program that
 *   does not know the field does not read it, one that knows it finds 0 in a payload without it;
 * - what stands several times in a payload, or inside another structure, never grows: struct
 *   event, pass, slot, sample, msr_result, expect, state_item, tested_counter, cpu_caps, pmu_found,
 *   pmu_error, uncore_error, linux_record, uncore_record_group, the buckets of struct noise. What
 *   is new about them is a record of a new type; a type that a program does not know is passed
 *   over;
 * - numbers that stand in a payload (enum status and the like) keep their meaning; new ones are
 *   added at the end;
 * - what cannot be done so raises RECORD_SCHEMA, and gets its rows in pmu/journal/renew.c.
 */
#ifndef BARECOUNT_PMU_JOURNAL_RENEW_H
#define BARECOUNT_PMU_JOURNAL_RENEW_H

#include "pmu/journal/journal.h"
#include "pmu/base/out.h"
#include "pmu/journal/record.h"

/* Schema 1 knew neither events by name nor more than one schedule: nothing of it fits today. */
#define RENEW_SCHEMA_OLDEST 2u

enum renew_need {
    RENEW_NOTHING, /* today's layout: it is read as it stands */
    RENEW_ANEW,    /* readable once it is written anew */
    RENEW_NO_RUN,  /* the rest: not readable, as renew_why() says */
    RENEW_TOO_OLD,
    RENEW_TOO_NEW,
    RENEW_STRANGE, /* a record is not as its schema has it */
};

struct renewal {
    enum renew_need need;
    uint32_t schema;  /* 0: no run */
    char version[24]; /* of the program that wrote it: printable, or "?" */
    size_t bytes;     /* that the renewed journal takes, with RENEW_ANEW */
};

/* What a journal needs. It is only read, as all of these do; 8-byte aligned. */
struct renewal renew_look(const void *journal, size_t journal_bytes);

/* Whether a journal can be rendered, renewed or as it stands. */
static inline bool renew_can(const struct renewal *renewal)
{
    return renewal->need == RENEW_NOTHING || renewal->need == RENEW_ANEW;
}

/* Why not, and what to do. */
void renew_why(const struct renewal *renewal, struct out *out);

/*
 * Writes a journal anew to `to`, which is empty and has room for what renew_look() said; a remark
 * behind RUN tells of it. False: it has not.
 */
bool renew_write(const void *journal, size_t journal_bytes, struct journal *to);

#endif
