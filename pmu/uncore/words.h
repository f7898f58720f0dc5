/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes uncore counters, events, registers and errors. */
#ifndef BARECOUNT_PMU_UNCORE_WORDS_H
#define BARECOUNT_PMU_UNCORE_WORDS_H

#include "pmu/base/out.h"
#include "pmu/uncore/uncore.h"

/* Writes the name of a slot's counter: "cha2", "energy0"; for a sum of two events "imc0+imc1". */
void uncore_counter_name(const struct event *event, const struct slot *slot, struct out *out);

/*
 * Writes an event's encoding for results.csv, such as "uncore_cha/config=0x1134/". An event without
 * a select is written as "uncore_energy/counter=0/", and a sum of two events as
 * "uncore_imc/config=0xcf05/+uncore_imc/config=0xcf06/". Writes nothing if the event is unknown or
 * its text is malformed, or if its kind is KIND_NONE.
 */
void uncore_event_encoding(const struct event *event, struct out *out);

/*
 * Writes an uncore event in words, with the manuals' field names: "package: cha, event 34H, unit
 * mask 11H; register E05H is 1E20000H", or for a sum of two events "package: imc, event 05H, unit
 * mask CFH + event 06H, unit mask CFH".
 */
void uncore_event_words(const struct event *event, struct out *out);

/*
 * Writes the names of the fields to which the bits in `lacks` belong. A unit's select does not
 * contain these bits. If the select contains other bits of such a field (`has`), adds the field's
 * largest value: "cmask (at most 1f), others".
 */
void uncore_lacking_words(uint64_t has, uint64_t lacks, struct out *out);

/* Writes a register's address: "PCI 00:0a.2+f4", "MSR 0x391", "MMIO 0xfed15000". */
void uncore_register_words(const struct uncore_error *error, struct out *out);

/* Writes an error and its register, and for STATUS_UNCORE_KEPT the values written and read. */
void uncore_error_words(const struct uncore_error *error, struct out *out);

/* Writes the first fault of a group: "cha2 of unit 13: a counter does not keep what is written". */
void uncore_fault_words(const struct uncore_record_group *group, struct out *out);

/*
 * Whether a group's counters cannot be trusted. False if they were not tested. A missing PMI is
 * ignored, because the program needs no PMI. Some Westmere packages cannot notify all of their six
 * cores, because the field EN_PMI_CORE is only four bits wide.
 */
static inline bool uncore_group_fails(const struct uncore_record_group *group)
{
    return group->fault != UNCORE_RIGHT && group->fault != UNCORE_UNTESTED &&
           group->fault != UNCORE_NO_PMI;
}

#endif
