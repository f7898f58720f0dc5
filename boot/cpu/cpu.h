/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes a CPU from the firmware for a measurement, and gives it back. cpu_enter() masks the local
 * interrupt sources and lets pending interrupts be delivered, because pending interrupts can slow
 * some cores even when IF is clear. cpu_enter() also clears IF, installs the program's exception
 * handlers, enables SSE and AVX state, and raises the task priority, so that the APIC holds back
 * MSIs and interrupts from I/O APICs until cpu_leave(). No firmware is called between cpu_enter()
 * and cpu_leave().
 */
#ifndef BARECOUNT_BOOT_CPU_CPU_H
#define BARECOUNT_BOOT_CPU_CPU_H

#include "boot/cpu/apic.h"
#include "boot/cpu/instructions.h"
#include "pmu/cpu/caps.h"
#include "pmu/cpu/nearby.h"
#include "pmu/counters/spare.h"
#include "pmu/journal/evidence.h"

#define TRAP_VECTORS 32u /* exceptions only: no interrupt is taken while IF is 0 */

/* An entry of the interrupt descriptor table, Intel SDM vol. 3A "64-Bit Mode IDT". */
struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint16_t type; /* 8E00h: present, DPL 0, interrupt gate; bits 2:0: stack in the TSS, 0: none */
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t reserved;
};

/* The machine-check banks, starting with bank 0. */
struct machine_checks {
    uint32_t banks;
    uint64_t status[EVIDENCE_BANKS_MAX];
};

/* What the machine-check banks hold after a #MC that ended a kernel. */
struct machine_check {
    uint64_t mcg_status;      /* IA32_MCG_STATUS, read in the #MC handler */
    uint64_t status, address; /* registers of `bank`; address 0: none reported */
    uint32_t bank;            /* number of the first bank that is counted in `banks` */
    uint32_t banks; /* number of banks with an uncorrected error or, if none, with any error */
};

/*
 * The state of one CPU. The gates come first, so that the IDT's base, which the handler reads with
 * SIDT, is also the address of the context. Each CPU needs its own context, aligned to 16 bytes.
 * The context of a CPU that did not answer in time is not freed, because the CPU may still use it.
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
    uint32_t pending;       /* largest number of interrupts left pending by a cpu_enter() */
    uint32_t nmis;          /* NMIs since cpu_enter(), except those that ended a kernel */
    uint32_t machine_checks; /* machine checks handled since cpu_enter() or the last sample */

    /*
     * `windows` is incremented before and after each `prepare` and window of a sample, so it is odd
     * while code of a kernel may be running. Other CPUs read `windows` to watch this CPU.
     */
    volatile uint32_t windows;
    /*
     * An NMI that arrives while `windows` has this value ends the kernel, like an exception with
     * vector 2. 0: no request.
     */
    volatile uint32_t end_asked;
    volatile bool has_ender;  /* another CPU is deciding whether to send an NMI to this CPU */
    volatile bool end_sent;   /* an NMI may have been sent since cpu_enter(), and may still come */
    struct spare_watch spare; /* reserved counter: after its overflow, any NMI ends the kernel */

    /* The exception that ended the last kernel that faulted. */
    uint32_t vector;
    uint64_t error_code;
    uint64_t fault_rip;
    uint64_t fault_address; /* CR2 */
    struct nearby fault_nearby;
    struct machine_check check;        /* only if the fault was a #MC */
    struct machine_checks found_banks; /* contents at traps_install() or at the last survived #MC */
    uint64_t mcg_cap;                  /* IA32_MCG_CAP */
};

void cpu_enter(struct cpu_context *context, const struct cpu_caps *caps);
void cpu_leave(struct cpu_context *context, const struct cpu_caps *caps);

/*
 * Enables SSE instructions. pmu/base/stats.c needs them, and some firmware leaves them disabled. To
 * disable them again, write back the old CR4.
 */
void cpu_sse_on(void);

/*
 * Reads an MSR of this CPU, for callers that are not between cpu_enter() and cpu_leave(). False if
 * the read raised #GP.
 */
bool cpu_peek_msr(struct cpu_context *context, uint32_t msr, uint64_t *value);

/* Executes CPUID; callers pass this function to caps_read(). */
void cpu_read_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);

/* Two of the functions of CPU_MSRS; boot/cpu/traps.asm defines them. */
bool port_read(void *context, uint32_t msr, uint64_t *value);
bool port_write(void *context, uint32_t msr, uint64_t value);

/* Read or write an MSR between cpu_enter() and cpu_leave(). False if the access raised #GP. */
static inline bool msr_read(uint32_t msr, uint64_t *value)
{
    return port_read(NULL, msr, value);
}

static inline bool msr_write(uint32_t msr, uint64_t value)
{
    return port_write(NULL, msr, value);
}

/* Access to the current CPU's MSRs, for pmu/counters/program.h. */
extern const struct msr_port CPU_MSRS;

/*
 * Reads the clocks of a CPU that has IA32_APERF, between cpu_enter() and cpu_leave(). In a pass
 * without uncore counters, make this the last call before the window opens and the first call after
 * it closes.
 */
void cpu_clocks(struct clocks *now);

#endif
