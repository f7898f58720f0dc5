/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID's hypervisor leaves: first another hypervisor's block, then the model machine's. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_EMULATED_H
#define BARECOUNT_TESTS_UNIT_FAKES_EMULATED_H

#include <string.h>

#include "pmu/events/emulation.h"

#define HYPERVISORS_FIRST 0x40000000u
#define HYPERVISORS_MODEL 0x40000300u /* not the first block */
#define HYPERVISORS_RULES 8u

static const char *hypervisors_first, *hypervisors_model; /* signatures; null: no such block */
static uint32_t hypervisors_umask2;                       /* UMASK2 of the queries */
static uint32_t hypervisors_model_last;
static uint32_t hypervisors_rule[HYPERVISORS_RULES]; /* the queries with a rule */
static unsigned hypervisors_asked;

static inline void hypervisors_are(const char *first, const char *model)
{
    hypervisors_first = first;
    hypervisors_model = model;
    hypervisors_model_last = HYPERVISORS_MODEL + 2;
    memset(hypervisors_rule, 0, sizeof(hypervisors_rule));
    hypervisors_asked = 0;
}

static inline void hypervisors_name(const char *signature, struct cpuid_regs *regs)
{
    uint32_t word[3] = {0};

    memcpy(word, signature, strlen(signature));
    regs->ebx = word[0];
    regs->ecx = word[1];
    regs->edx = word[2];
}

/* A leaf that belongs to no hypervisor returns junk, as on Intel CPUs. */
static inline void hypervisors_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    *regs = (struct cpuid_regs){0x11111111, 0x22222222, 0x33333333, 0x44444444};
    hypervisors_asked++;
    if (leaf == HYPERVISORS_FIRST && hypervisors_first) {
        regs->eax = leaf + 1;
        hypervisors_name(hypervisors_first, regs);
    } else if (leaf == HYPERVISORS_MODEL && hypervisors_model) {
        regs->eax = hypervisors_model_last;
        hypervisors_name(hypervisors_model, regs);
    } else if (leaf >= HYPERVISORS_MODEL + 2 && leaf < HYPERVISORS_MODEL + 256 &&
               hypervisors_model) {
        regs->eax = 0;
        for (unsigned i = 0; i < HYPERVISORS_RULES; i++)
            if (hypervisors_rule[i] && hypervisors_rule[i] == subleaf &&
                leaf == HYPERVISORS_MODEL + 2 + hypervisors_umask2)
                regs->eax = 1;
    }
}

#endif
