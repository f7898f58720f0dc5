/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for uncore counters, events, registers and errors. */
#ifndef BARECOUNT_PMU_UNCORE_WORDS_H
#define BARECOUNT_PMU_UNCORE_WORDS_H

#include "pmu/base/out.h"
#include "pmu/uncore/uncore.h"

/* Writes "cha2", or "imc0+imc1" for a sum of two events. */
void uncore_counter_name(const struct event *event, const struct slot *slot, struct out *out);

/*
 * Writes the encoding for results.csv: "uncore_cha/config=0x1134/", "uncore_energy/counter=0/" or
 * "uncore_imc/config=0xcf05/+uncore_imc/config=0xcf06/". Writes nothing for an event that is
 * unknown or malformed.
 */
void uncore_event_encoding(const struct event *event, struct out *out);

/* Writes "package: cha, event 34H, unit mask 11H; register E05H is 1E20000H". */
void uncore_event_words(const struct event *event, struct out *out);

/*
 * Writes the names of the select fields with bits in `lacks`. If a field also has bits in `has`,
 * its largest value follows its name: "cmask (at most 1f), others".
 */
void uncore_lacking_words(uint64_t has, uint64_t lacks, struct out *out);

/* Writes "PCI 00:0a.2+f4", "MSR 0x391" or "MMIO 0xfed15000". */
void uncore_register_words(const struct uncore_error *error, struct out *out);

/* Writes an error and its register; for STATUS_UNCORE_KEPT also the values written and read. */
void uncore_error_words(const struct uncore_error *error, struct out *out);

/* Writes "cha2 of unit 13: a counter does not keep what is written". */
void uncore_fault_words(const struct uncore_record_group *group, struct out *out);

/*
 * A missing PMI is not a failure, because the program needs no PMI. On Westmere, some cores cannot
 * get a PMI: EN_PMI_CORE has four bits, but there are up to six cores.
 */
static inline bool uncore_group_fails(const struct uncore_record_group *group)
{
    return group->fault != UNCORE_RIGHT && group->fault != UNCORE_UNTESTED &&
           group->fault != UNCORE_NO_PMI;
}

#endif
