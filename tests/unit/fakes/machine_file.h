/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine with the contents of a machine.txt (docs/machine-file.md). One CPU answers at a time.
 * Files of other collectors, with only the sections `cpu` and `msrs`, can be read too. A counter
 * register that such a file lacks reads as 0. If a line of a known section is not understood, the
 * program ends.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_MACHINE_FILE_H
#define BARECOUNT_TESTS_UNIT_FAKES_MACHINE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/files/machine_file.h"

#define TOLD_LINES_MAX 262144u
#define TOLD_CPUS_MAX  1024u
#define TOLD_BYTES_MAX 65536u

enum told_kind { TOLD_LEAF, TOLD_MSR, TOLD_UNCORE, TOLD_KINDS };

struct told_line {
    bool absent;
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
    struct machine_read read;
};

struct told_table {
    char name[8];
    uint8_t bytes[TOLD_BYTES_MAX];
    size_t size, used; /* size: bytes of the table; used: bytes that were read so far */
};

static struct {
    bool is_whole; /* the file is a machine.txt, and lists all that the machine has */
    struct told_line line[TOLD_LINES_MAX];
    unsigned lines;
    unsigned cpu[TOLD_CPUS_MAX];
    unsigned cpus;
    struct {
        unsigned first, end;
    } section[TOLD_CPUS_MAX][TOLD_KINDS];
    struct told_table table[3]; /* APIC, MCFG, SRAT */
    unsigned now;               /* the CPU that answers */
    unsigned unknown;           /* reads of unlisted registers */
    unsigned unknown_leaves;    /* reads of unlisted leaves */
} told;

static inline void told_bad(const char *line)
{
    fprintf(stderr, "not understood: %s\n", line);
    exit(2);
}

static inline void told_value(const char *text, struct machine_read *read)
{
    read->refused = strncmp(text, "fault", 5) == 0;
    read->value = read->refused ? 0 : strtoull(text, NULL, 16);
}

static inline bool told_leaf(const char *text, struct told_line *line)
{
    struct cpuid_regs *r = &line->regs;

    if (sscanf(text, "%x %x %x %x %x %x", &line->leaf, &line->subleaf, &r->eax, &r->ebx, &r->ecx,
               &r->edx) == 6)
        return true;
    line->absent = true;
    return sscanf(text, "%x %x", &line->leaf, &line->subleaf) == 2 && strstr(text, " absent");
}

static inline bool told_msr(const char *text, struct told_line *line)
{
    unsigned long long address;
    char value[24];

    line->read.space = SPACE_MSR;
    if (sscanf(text, "%llx %23s", &address, value) != 2)
        return false;
    line->read.address = address;
    told_value(value, &line->read);
    return true;
}

static inline bool told_uncore(const char *text, struct told_line *line)
{
    unsigned long long address;
    unsigned bytes;
    char space[8], value[24];

    if (sscanf(text, "%7s %llx %u %23s", space, &address, &bytes, value) != 4)
        return false;
    line->read.space = space[1] == 's' ? SPACE_MSR : space[0] == 'p' ? SPACE_PCI : SPACE_MMIO;
    line->read.address = address;
    line->read.bytes = (uint8_t)bytes;
    told_value(value, &line->read);
    return true;
}

static inline void told_bytes(struct told_table *table, const char *text)
{
    unsigned at, byte;
    int used = 0;

    if (sscanf(text, "%x %n", &at, &used) != 1 || at != table->used)
        told_bad(text);
    for (text += used; sscanf(text, "%2x", &byte) == 1 && table->used < TOLD_BYTES_MAX; text += 2)
        table->bytes[table->used++] = (uint8_t)byte;
}

/* `text` follows "acpi": NAME BYTES REVISION. Null: the table is unknown or too large. */
static inline struct told_table *told_acpi(const char *text)
{
    static const char *const NAMES[] = {"APIC", "MCFG", "SRAT"};
    char name[8];
    unsigned bytes;

    if (sscanf(text, "acpi %7s %u", name, &bytes) != 2)
        told_bad(text);
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(name, NAMES[i]) == 0 && bytes <= TOLD_BYTES_MAX) {
            strcpy(told.table[i].name, name);
            told.table[i].size = bytes;
            told.table[i].used = 0;
            return &told.table[i];
        }
    return NULL;
}

static inline void told_section(enum told_kind kind, unsigned cpu)
{
    if (cpu >= TOLD_CPUS_MAX)
        told_bad("a CPU's number");
    if (kind == TOLD_LEAF)
        told.cpu[told.cpus++] = cpu;
    told.section[cpu][kind].first = told.section[cpu][kind].end = told.lines;
}

static inline void told_read(FILE *file)
{
    static const struct {
        const char *name;
        bool (*take)(const char *, struct told_line *);
    } SECTIONS[TOLD_KINDS] = {{"cpu", told_leaf}, {"msrs", told_msr}, {"uncore", told_uncore}};
    static char text[512];
    struct told_table *table = NULL;
    unsigned kind = TOLD_KINDS, cpu = 0;

    memset(&told, 0, sizeof(told));
    while (fgets(text, sizeof(text), file)) {
        char name[16] = "";
        unsigned number = 0, begun = 0;

        told.is_whole |= strncmp(text, "barecount machine file", 22) == 0;
        if (text[0] == '#' || text[0] == '\n' || strncmp(text, "end ", 4) == 0)
            continue;
        if (strncmp(text, "acpi ", 5) == 0) {
            table = told_acpi(text);
            kind = TOLD_KINDS;
            continue;
        }
        sscanf(text, "%15s %u", name, &number);
        while (begun < TOLD_KINDS && strcmp(name, SECTIONS[begun].name) != 0)
            begun++;
        if (begun < TOLD_KINDS) {
            kind = begun;
            cpu = number;
            told_section(kind, cpu);
        } else if (kind < TOLD_KINDS) {
            if (told.lines == TOLD_LINES_MAX || !SECTIONS[kind].take(text, &told.line[told.lines]))
                told_bad(text);
            told.section[cpu][kind].end = ++told.lines;
        } else if (table) {
            told_bytes(table, text);
        }
    }
}

static inline const struct told_line *told_find(unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
    for (unsigned i = told.section[cpu][TOLD_LEAF].first; i < told.section[cpu][TOLD_LEAF].end; i++)
        if (told.line[i].leaf == leaf && told.line[i].subleaf == subleaf)
            return &told.line[i];
    return NULL;
}

/* If the file lacks the leaf for the CPU `told.now`, the first CPU's leaf is used. */
static inline void told_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct told_line *line = told_find(told.now, leaf, subleaf);

    if (!line)
        line = told_find(told.cpu[0], leaf, subleaf);
    told.unknown_leaves += !line && subleaf == 0;
    *regs = line && !line->absent ? line->regs : (struct cpuid_regs){0};
}

static inline const struct told_line *told_register(unsigned cpu, enum told_kind kind,
                                                    unsigned space, uint64_t address)
{
    for (unsigned i = told.section[cpu][kind].first; i < told.section[cpu][kind].end; i++)
        if (told.line[i].read.space == space && told.line[i].read.address == address)
            return &told.line[i];
    return NULL;
}

/*
 * Whether the MSR is a counter register of Intel SDM vol. 4, "Architectural MSRs", or a register of
 * offcore, latency or frontend events.
 */
static inline bool told_is_of_counters(uint32_t msr)
{
    return (msr >= 0xc1 && msr <= 0xca) || (msr >= 0x186 && msr <= 0x18f) || msr == 0x1a6 ||
           msr == 0x1a7 || msr == 0x1d9 || (msr >= 0x309 && msr <= 0x30f) ||
           (msr >= 0x38d && msr <= 0x392) || msr == 0x3f1 || msr == 0x3f6 || msr == 0x3f7;
}

/* The line of the CPU `told.now`, or else of the first CPU; null: none. */
static inline const struct told_line *told_msr_line(uint32_t msr)
{
    const struct told_line *line = told_register(told.now, TOLD_MSR, SPACE_MSR, msr);

    return line ? line : told_register(told.cpu[0], TOLD_MSR, SPACE_MSR, msr);
}

static inline bool told_read_msr(void *context, uint32_t msr, uint64_t *value)
{
    const struct told_line *line = told_msr_line(msr);

    (void)context;
    told.unknown += !line;
    *value = line ? line->read.value : 0;
    return line ? !line->read.refused : !told.is_whole && told_is_of_counters(msr);
}

static inline bool told_write_msr(void *context, uint32_t msr, uint64_t value)
{
    (void)context;
    (void)msr;
    (void)value;
    return true;
}

static const struct msr_port TOLD_MSRS = {.read = told_read_msr, .write = told_write_msr};

/* A PCI register that is not in the file reads as all ones, as if its function did not exist. */
static inline bool told_read_uncore(void *context, enum uncore_space space, uint64_t address,
                                    unsigned bytes, uint64_t *value)
{
    const struct told_line *line = told_register(told.now, TOLD_UNCORE, space, address);

    (void)context;
    (void)bytes;
    if (!line && space == SPACE_MSR)
        line = told_msr_line((uint32_t)address);
    *value = line ? line->read.value : 0xffffffffu;
    return line ? !line->read.refused : space == SPACE_PCI;
}

static inline bool told_write_uncore(void *context, enum uncore_space space, uint64_t address,
                                     unsigned bytes, uint64_t value)
{
    (void)context;
    (void)space;
    (void)address;
    (void)bytes;
    (void)value;
    return true;
}

#endif
