/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds which memory is local to which CPU, and where free memory has room for a local buffer.
 * Reads the System Resource Affinity Table (ACPI specification 6.5, section 5.2.16). The table's
 * proximity domains are called nodes here.
 */
#ifndef BARECOUNT_PMU_CPU_SRAT_H
#define BARECOUNT_PMU_CPU_SRAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SRAT_CPUS_MAX   1024u /* the nodes of further CPUs are not known */
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
    uint32_t ranges; /* number of ranges; those of one node neither overlap nor adjoin */
    struct {
        struct span span;
        uint32_t node;
    } range[SRAT_RANGES_MAX];
};

/*
 * Reads a table in a buffer of `bytes` bytes. If the table is not an SRAT, or if its length or
 * checksum is wrong, returns false and leaves *srat empty. Stops at a structure that exceeds the
 * table or is shorter than 2 bytes. Ignores disabled entries and persistent memory.
 */
bool srat_read(const uint8_t *table, size_t bytes, struct srat *srat);

/*
 * The node of a CPU, or of a memory range that is on one node; NODE_UNKNOWN if the table gives no
 * such node.
 */
uint32_t srat_cpu_node(const struct srat *srat, uint64_t apic_id);
uint32_t srat_memory_node(const struct srat *srat, struct span memory);

/*
 * Finds the lowest or highest address at which `bytes` bytes fit into `free` and are on the node.
 * The address is a multiple of `align`, a power of two. If the node is NODE_UNKNOWN, the bytes may
 * be on any nodes. False if `free` contains no suitable address.
 */
enum srat_end { SRAT_LOWEST, SRAT_HIGHEST };
bool srat_place(const struct srat *srat, uint32_t node, struct span free, uint64_t bytes,
                uint64_t align, enum srat_end end, uint64_t *place);

#endif
