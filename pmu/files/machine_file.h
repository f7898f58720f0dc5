/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.txt: what CPUID, registers, firmware tables and PCI say about a machine.
 * docs/machine-file.md defines the grammar and what the file never contains.
 */
#ifndef BARECOUNT_PMU_FILES_MACHINE_FILE_H
#define BARECOUNT_PMU_FILES_MACHINE_FILE_H

#include "pmu/cpu/memory_map.h"
#include "pmu/files/render.h"

#define MACHINE_FILE_VERSION 1u
#define MACHINE_LEAVES_MAX   256u
#define MACHINE_MSRS_MAX     512u  /* registers read to inspect a CPU */
#define MACHINE_UNCORE_MAX   8192u /* registers read to find uncore units */

struct machine_leaf {
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
};
struct machine_leaves {
    uint32_t count, lost; /* lost: leaves that did not fit */
    struct machine_leaf leaf[MACHINE_LEAVES_MAX];
};

/*
 * The first reading of a register. Serial numbers and registers of absent PCI functions are left
 * out.
 */
struct machine_read {
    uint64_t address, value;
    uint8_t space; /* enum uncore_space */
    uint8_t bytes;
    bool refused; /* #GP, or no such register */
};
struct machine_reads {
    uint32_t count, room, lost;
    struct machine_read *read;
};

/* What was read to inspect a CPU. Large: never on a stack. */
struct machine_cpu {
    struct machine_leaves leaves;
    struct machine_reads registers; /* in `msr` */
    struct machine_read msr[MACHINE_MSRS_MAX];
};

/* Reads all basic, hypervisor and extended leaves of the current CPU, except the serial number. */
void machine_leaves_read(cpuid_read *cpuid, struct machine_leaves *leaves);

/* Passes accesses on to the port `to`, and stores the first reading of each register in `reads`. */
struct machine_msrs {
    struct msr_port port;
    const struct msr_port *to;
    struct machine_reads *reads;
};
void machine_msrs_start(struct machine_msrs *msrs, const struct msr_port *to,
                        struct machine_reads *reads);
struct machine_uncore {
    struct uncore_port port;
    const struct uncore_port *to;
    struct machine_reads *reads;
};
void machine_uncore_start(struct machine_uncore *uncore, const struct uncore_port *to,
                          struct machine_reads *reads);

/* The functions below write the sections of the file, in this order. */
void machine_file_start(const struct run_record *run, struct out *out);
void machine_file_memory(const struct memory_map *map, struct out *out);

struct machine_pci {
    uint32_t segment, bus, device, function;
    uint32_t vendor_id, device_id;
    uint32_t class_code; /* class, subclass, interface */
};
void machine_file_pci(const struct machine_pci *pci, struct out *out);

/*
 * Writes an ACPI table's name, size and revision. The contents follow for an APIC, MCFG or SRAT
 * table of at most 64 KiB.
 */
void machine_file_acpi(const uint8_t *table, uint32_t bytes, struct out *out);

/*
 * Write a CPU's sections. machine_file_cpu() leaves out what is the same on `first`, the first CPU
 * in the file. For that CPU itself, `first` is null.
 */
void machine_file_cpu(unsigned number, const struct machine_cpu *cpu,
                      const struct machine_cpu *first, struct out *out);
void machine_file_uncore(unsigned number, const struct machine_reads *uncore, struct out *out);

/*
 * Renders the file from the journal's RECORD_MACHINEs, or nothing if there are none. Flushes `out`;
 * false: output was lost.
 */
bool render_machine_txt(const struct render *render, struct out *out);

/* Whether the journal contains a RECORD_MACHINE. */
bool render_has_machine(const struct render *render);

#endif
