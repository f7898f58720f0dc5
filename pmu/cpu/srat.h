/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which memory is local to which CPU: the System Resource Affinity Table (ACPI specification 6.5,
 * section 5.2.16). Nodes are the table's proximity domains.
 */
#ifndef BARECOUNT_PMU_CPU_SRAT_H
#define BARECOUNT_PMU_CPU_SRAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SRAT_CPUS_MAX   1024u /* further CPUs get NODE_UNKNOWN */
#define SRAT_RANGES_MAX 256u
#define NODE_UNKNOWN    0xffffffffu

struct span {
    uint64_t start, end; /* end is exclusive */
};

struct srat {
    uint32_t cpus;
    struct {
        uint32_t apic_id, node;
    } cpu[SRAT_CPUS_MAX];
    uint32_t ranges; /* ranges of one node neither overlap nor adjoin */
    struct {
        struct span span;
        uint32_t node;
    } range[SRAT_RANGES_MAX];
};

/*
 * Reads a table. If the table is not a valid SRAT, returns false and leaves *srat empty. Ignores
 * disabled entries and persistent memory.
 */
bool srat_read(const uint8_t *table, size_t bytes, struct srat *srat);

/* NODE_UNKNOWN if the table lacks the CPU, or if no single node contains all of the memory. */
uint32_t srat_cpu_node(const struct srat *srat, uint64_t apic_id);
uint32_t srat_memory_node(const struct srat *srat, struct span memory);

/*
 * Finds the lowest or highest address in `free` from which `bytes` bytes are on the node. If `node`
 * is NODE_UNKNOWN, the bytes may be on any nodes. `align` is a power of two.
 */
enum srat_end { SRAT_LOWEST, SRAT_HIGHEST };
bool srat_place(const struct srat *srat, uint32_t node, struct span free, uint64_t bytes,
                uint64_t align, enum srat_end end, uint64_t *place);

#endif
