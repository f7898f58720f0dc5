/* SPDX-License-Identifier: BSD-2-Clause */
/* What is outside the cores, in words: counters, events, registers and what went wrong with one. */
#ifndef BARECOUNT_PMU_PACKAGE_WORDS_H
#define BARECOUNT_PMU_PACKAGE_WORDS_H

#include "out.h"
#include "package.h"

/* A counter of each unit of an event's kind: "cha2", "energy0". */
void package_counter_name(const struct event *event, unsigned counter, struct out *out);

/*
 * How a results.csv names the event: "uncore_cha/config=0x1134/", or "uncore_energy/counter=0/" for
 * what has no select; nothing for an event that no kind of unit is known to count.
 */
void package_event_encoding(const struct event *event, struct out *out);

/*
 * What an event outside the cores is, with the manuals' names for the fields, e.g.
 * "package: cha, event 34H, unit mask 11H; register E05H is 1E20000H".
 */
void package_event_words(const struct event *event, struct out *out);

/* A register: "PCI 00:0a.2+f4", "MSR 0x391", "MMIO 0xfed15000". */
void package_register_words(const struct package_error *error, struct out *out);

/* An error with its register, and what was written and read where it was kept otherwise. */
void package_error_words(const struct package_error *error, struct out *out);

/* The first register that would be where memory is, of a group that is refused for that. */
void package_memory_words(const struct package_record_group *group, struct out *out);

/* What the test of a group found: "cha2 of unit 13: a counter does not keep what is written". */
void package_fault_words(const struct package_record_group *group, struct out *out);

/*
 * Whether a group's counters cannot be believed. Nothing here waits for a PMI, and EN_PMI_CORE
 * names four cores, while some packages of Westmere have six.
 */
static inline bool package_group_fails(const struct package_record_group *group)
{
    return group->fault != PACKAGE_RIGHT && group->fault != PACKAGE_UNTESTED &&
           group->fault != PACKAGE_NO_PMI;
}

#endif
