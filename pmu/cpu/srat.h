/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which memory is near which CPU: the System Resource Affinity Table (ACPI specification 6.5,
 * section 5.2.16), whose proximity domains are called nodes here. And where in free memory a buffer
 * can stand so that it is near.
 */
#ifndef BARECOUNT_PMU_CPU_SRAT_H
#define BARECOUNT_PMU_CPU_SRAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SRAT_CPUS_MAX   1024u /* more than there is room for are left out: of unknown node */
#define SRAT_RANGES_MAX 256u
#define NODE_UNKNOWN    0xffffffffu

struct span {
    uint64_t start, end; /* end is the first byte behind it */
};

struct srat {
    uint32_t cpus;
    struct {
        uint32_t apic_id, node;
    } cpu[SRAT_CPUS_MAX];
    uint32_t ranges;
    struct {
        struct span span;
        uint32_t node;
    } range[SRAT_RANGES_MAX];
};

/*
 * Reads a table of which `bytes` are there. False, and nothing is known, when it is no SRAT, is
 * longer than that, or its checksum is wrong. A structure that reaches beyond the table's end, or
 * has no length, ends it; what was read before stays. Only what is enabled is taken.
 */
bool srat_read(const uint8_t *table, size_t bytes, struct srat *srat);

/* The node of a CPU, or of a range of memory that is on one as a whole; or NODE_UNKNOWN. */
uint32_t srat_cpu_node(const struct srat *srat, uint64_t apic_id);
uint32_t srat_memory_node(const struct srat *srat, struct span memory);

/*
 * The highest multiple of `align` (a power of two) where `bytes` are free and on
 * the node, NODE_UNKNOWN standing for any. False: there is none.
 */
bool srat_place(const struct srat *srat, uint32_t node, struct span free, uint64_t bytes,
                uint64_t align, uint64_t *place);

#endif
