/* SPDX-License-Identifier: BSD-2-Clause */
#include "evidence.h"
#include "msr.h"

/* A register, the feature that promises it (0: it is asked for itself), and where it is kept. */
static const struct {
    uint32_t flag;
    uint32_t msr;
    uint32_t feature;
    size_t at;
} REGISTERS[] = {
    {CPU_HAS_SMI_COUNT, MSR_SMI_COUNT, 0, offsetof(struct surroundings, smis)},
    {CPU_HAS_THERM_STATUS, MSR_IA32_THERM_STATUS, FEATURE_THERMAL,
     offsetof(struct surroundings, therm_status)},
    {CPU_HAS_PACKAGE_THERM_STATUS, MSR_IA32_PACKAGE_THERM_STATUS, FEATURE_PACKAGE_THERMAL,
     offsetof(struct surroundings, package_therm_status)},
    {CPU_HAS_PERF_STATUS, MSR_IA32_PERF_STATUS, 0, offsetof(struct surroundings, perf_status)},
};
#define REGISTERS_COUNT (sizeof(REGISTERS) / sizeof(REGISTERS[0]))

uint32_t evidence_probe(const struct msr_port *port, const struct cpu_caps *caps)
{
    uint32_t flags = 0;
    uint64_t value;

    for (unsigned i = 0; i < REGISTERS_COUNT; i++)
        if (caps_has(caps, REGISTERS[i].feature) &&
            port->read(port->context, REGISTERS[i].msr, &value))
            flags |= REGISTERS[i].flag;
    return flags;
}

struct surroundings evidence_read(const struct msr_port *port, uint32_t flags, uint32_t nmis)
{
    struct surroundings now = {.nmis = nmis};

    for (unsigned i = 0; i < REGISTERS_COUNT; i++)
        if (flags & REGISTERS[i].flag)
            port->read(port->context, REGISTERS[i].msr,
                       (uint64_t *)(void *)((char *)&now + REGISTERS[i].at));
    return now;
}

static bool was_hot(uint64_t before, uint64_t after)
{
    return (before | after) & THERM_STATUS_NOW || after & ~before & THERM_STATUS_LOG;
}

uint8_t evidence_between(const struct surroundings *before, const struct surroundings *after)
{
    unsigned evidence = 0;

    if (before->smis != after->smis)
        evidence |= EVIDENCE_SMI;
    if (before->nmis != after->nmis)
        evidence |= EVIDENCE_NMI;
    if (was_hot(before->therm_status, after->therm_status) ||
        was_hot(before->package_therm_status, after->package_therm_status))
        evidence |= EVIDENCE_THERMAL;
    if (PERF_STATUS_RATIO(before->perf_status) != PERF_STATUS_RATIO(after->perf_status))
        evidence |= EVIDENCE_CLOCK;
    return (uint8_t)evidence;
}

/* Log bits are cleared by zeros; ones leave them as they are. */
static void clear_log(const struct msr_port *port, uint32_t msr, uint64_t before, uint64_t after)
{
    if (after & ~before & THERM_STATUS_LOG)
        port->write(port->context, msr, after & ~THERM_STATUS_LOG);
}

void evidence_clear(const struct msr_port *port, const struct surroundings *before,
                    const struct surroundings *after)
{
    clear_log(port, MSR_IA32_THERM_STATUS, before->therm_status, after->therm_status);
    clear_log(port, MSR_IA32_PACKAGE_THERM_STATUS, before->package_therm_status,
              after->package_therm_status);
}

void evidence_words(unsigned evidence, struct out *out)
{
    static const struct {
        unsigned bit;
        const char *word;
    } WORDS[] = {
        {EVIDENCE_SMI, "smi"},           {EVIDENCE_NMI, "nmi"},
        {EVIDENCE_OVERFLOW, "overflow"}, {EVIDENCE_REGISTER, "register"},
        {EVIDENCE_THERMAL, "thermal"},   {EVIDENCE_CLOCK, "clock"},
    };
    bool first = true;

    for (unsigned i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        if (!(evidence & WORDS[i].bit))
            continue;
        out_printf(out, "%s%s", first ? "" : " ", WORDS[i].word);
        first = false;
    }
}
