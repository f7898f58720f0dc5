/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes a CPU from the firmware for a measurement, and gives it back. Between cpu_enter() and
 * cpu_leave(), interrupts are held back, SSE and AVX are enabled, and the program handles
 * exceptions. No firmware may be called in between. cpu_enter() first lets pending interrupts be
 * delivered, because pending interrupts can slow some cores even when IF is clear.
 */
#ifndef BARECOUNT_BOOT_CPU_CPU_H
#define BARECOUNT_BOOT_CPU_CPU_H

#include "boot/cpu/apic.h"
#include "boot/cpu/instructions.h"
#include "pmu/cpu/caps.h"
#include "pmu/cpu/nearby.h"
#include "pmu/counters/spare.h"
#include "pmu/journal/evidence.h"

#define TRAP_VECTORS 32u /* exceptions only */

/* An entry of the interrupt descriptor table, Intel SDM vol. 3A "64-Bit Mode IDT". */
struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint16_t type; /* 8E00h: present interrupt gate, DPL 0; bits 2:0: TSS stack; 0: none */
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t reserved;
};

struct machine_checks {
    uint32_t banks;
    uint64_t status[EVIDENCE_BANKS_MAX];
};

/* The machine-check banks after a #MC that ended a kernel. */
struct machine_check {
    uint64_t mcg_status;
    uint64_t status, address; /* IA32_MCi_STATUS and _ADDR of `bank`; address 0: not reported */
    uint32_t bank;            /* index of the first bank that `banks` counts */
    /* Number of banks with an uncorrected error or, if no bank has one, of banks with any error. */
    uint32_t banks;
};

/*
 * The state of one CPU, aligned to 16 bytes. The gates are the first field, so the context begins
 * at the IDT's base, where the handler of exceptions finds it. The context of a CPU that did not
 * answer in time is not freed, because the CPU may still use it.
 */
struct cpu_context {
    struct gate gates[TRAP_VECTORS];
    uint8_t fx_state[512] __attribute__((aligned(16)));
    struct table_pointer firmware_idt;
    struct apic_state apic;
    uint64_t flags;
    uint64_t cr4;
    uint64_t xcr0;
    uint64_t task_priority; /* CR8 */
    uint64_t recovery;      /* stack to resume on when a kernel is ended; 0: no kernel is running */
    uint32_t pending;       /* largest number of interrupts still pending after any cpu_enter() */
    uint32_t nmis;          /* number of NMIs since cpu_enter() that ended no kernel */
    uint32_t machine_checks; /* number of #MCs handled since cpu_enter() or the last sample */

    /*
     * Incremented before and after each `prepare` and each window of a sample. Therefore it is odd
     * while a kernel may be running. Other CPUs read this number to notice a kernel that hangs.
     */
    volatile uint32_t windows;
    /*
     * An NMI ends the kernel if it arrives while `windows` has this value. 0: no CPU has asked to
     * end the kernel.
     */
    volatile uint32_t end_asked;
    volatile bool has_ender;  /* another CPU is deciding whether to send an NMI to this CPU */
    volatile bool end_sent;   /* an NMI was sent since cpu_enter() and may still arrive */
    struct spare_watch spare; /* reserved counter: after its overflow, any NMI ends the kernel */

    /* The last exception that ended a kernel. */
    uint32_t vector;
    uint64_t error_code;
    uint64_t fault_rip;
    uint64_t fault_address; /* CR2 */
    struct nearby fault_nearby;
    struct machine_check check;        /* only after a #MC */
    struct machine_checks found_banks; /* read at traps_install() or at the last survived #MC */
    uint64_t mcg_cap;
};

void cpu_enter(struct cpu_context *context, const struct cpu_caps *caps);
void cpu_leave(struct cpu_context *context, const struct cpu_caps *caps);

/* Enables SSE, which some firmware leaves disabled. To undo this, write the old CR4. */
void cpu_sse_on(void);

/* Reads an MSR before cpu_enter() or after cpu_leave(); false: the read raised #GP. */
bool cpu_peek_msr(struct cpu_context *context, uint32_t msr, uint64_t *value);

/* Executes CPUID. */
void cpu_read_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);

/* Defined in boot/cpu/traps.asm. */
bool port_read(void *context, uint32_t msr, uint64_t *value);
bool port_write(void *context, uint32_t msr, uint64_t value);

/* Call these between cpu_enter() and cpu_leave(). False: the access raised #GP. */
static inline bool msr_read(uint32_t msr, uint64_t *value)
{
    return port_read(NULL, msr, value);
}

static inline bool msr_write(uint32_t msr, uint64_t value)
{
    return port_write(NULL, msr, value);
}

/* The current CPU's MSRs. */
extern const struct msr_port CPU_MSRS;

/*
 * Reads the clocks of the current CPU, which must have IA32_APERF. Call this function between
 * cpu_enter() and cpu_leave(). In a pass without uncore counters, call no other function between
 * cpu_clocks() and the window.
 */
void cpu_clocks(struct clocks *now);

#endif
