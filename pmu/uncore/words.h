/* SPDX-License-Identifier: BSD-2-Clause */
/* What is outside the cores, in words: counters, events, registers and what went wrong with one. */
#ifndef BARECOUNT_PMU_UNCORE_WORDS_H
#define BARECOUNT_PMU_UNCORE_WORDS_H

#include "pmu/base/out.h"
#include "pmu/uncore/uncore.h"

/* A counter of each unit of an event's kind: "cha2", "energy0"; of a sum of two "imc0+imc1". */
void uncore_counter_name(const struct event *event, const struct slot *slot, struct out *out);

/*
 * How a results.csv names the event: "uncore_cha/config=0x1134/", or "uncore_energy/counter=0/" for
 * what has no select; "uncore_imc/config=0xcf05/+uncore_imc/config=0xcf06/" for a sum of two;
 * nothing for an event that is not known, or that no kind of unit is known to count.
 */
void uncore_event_encoding(const struct event *event, struct out *out);

/*
 * What an event outside the cores is, with the manuals' names for the fields, e.g.
 * "package: cha, event 34H, unit mask 11H; register E05H is 1E20000H", or
 * "package: imc, event 5H, unit mask CFH + event 6H, unit mask CFH".
 */
void uncore_event_words(const struct event *event, struct out *out);

/* Which bits a select has that its unit lacks, by fields: "cmask (at most 1f), others". */
void uncore_lacking_words(uint64_t has, uint64_t lacks, struct out *out);

/* A register: "PCI 00:0a.2+f4", "MSR 0x391", "MMIO 0xfed15000". */
void uncore_register_words(const struct uncore_error *error, struct out *out);

/* An error with its register, and what was written and read where it was kept otherwise. */
void uncore_error_words(const struct uncore_error *error, struct out *out);

/* What the test of a group found: "cha2 of unit 13: a counter does not keep what is written". */
void uncore_fault_words(const struct uncore_record_group *group, struct out *out);

/*
 * Whether a group's counters cannot be believed. Nothing here waits for a PMI, and EN_PMI_CORE
 * names four cores, while some packages of Westmere have six.
 */
static inline bool uncore_group_fails(const struct uncore_record_group *group)
{
    return group->fault != UNCORE_RIGHT && group->fault != UNCORE_UNTESTED &&
           group->fault != UNCORE_NO_PMI;
}

#endif
