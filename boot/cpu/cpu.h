/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU taken from the firmware for a while: its local interrupt sources masked and what was
 * pending delivered (pending interrupts behind CLI can slow some cores), interrupts off, the task
 * priority so high that the APIC keeps back what comes from elsewhere (I/O APIC, MSI), our own
 * exception handling, vector state enabled. Everything between cpu_enter() and cpu_leave() runs on
 * that CPU and calls no firmware. What was kept back is delivered after cpu_leave().
 */
#ifndef BARECOUNT_BOOT_CPU_CPU_H
#define BARECOUNT_BOOT_CPU_CPU_H

#include "boot/cpu/apic.h"
#include "boot/cpu/instructions.h"
#include "pmu/cpu/caps.h"
#include "pmu/cpu/nearby.h"
#include "pmu/counters/program.h"

#define TRAP_VECTORS 32u /* the exceptions; no interrupt comes while IF is 0 */

/* An entry of the interrupt descriptor table, Intel SDM vol. 3A "64-Bit Mode IDT". */
struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint16_t type; /* 8E00h: present, DPL 0, interrupt gate; [2:0]: the stack in the TSS */
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t reserved;
};

/*
 * What belongs to one CPU. The table comes first: the handler finds the context by SIDT. 16-byte
 * aligned memory of its own for each CPU, which may still use it after it did not answer in time.
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
    uint32_t pending;       /* interrupts that no cpu_enter() could get delivered, at the most */
    uint64_t recovery;      /* stack to come back to from a kernel that is ended; 0: in none */
    uint32_t nmis;          /* counted since cpu_enter() */

    /* For who watches it from another CPU: odd while a kernel, or its `prepare`, may be running. */
    volatile uint32_t windows;
    /* The next NMI ends the kernel, as a fault of vector 2, if `windows` is this; 0: none does. */
    volatile uint32_t end_asked;
    volatile bool has_ender; /* another CPU is about to send that NMI, or sees that it need not */
    volatile bool end_sent;  /* one has since cpu_enter(); it may still be on its way */
    uint64_t spare_status; /* so does one with this bit of IA32_PERF_GLOBAL_STATUS; 0: none does */

    /* of the last kernel that faulted */
    uint32_t vector;
    uint64_t error_code;
    uint64_t fault_rip;
    uint64_t fault_address; /* CR2 */
    struct nearby fault_nearby;
};

void cpu_enter(struct cpu_context *context, const struct cpu_caps *caps);
void cpu_leave(struct cpu_context *context, const struct cpu_caps *caps);

/*
 * Lets SSE instructions run on this CPU: pmu/base/stats.c has some, and not every firmware has
 * CR4.OSFXSR set. Undone by writing CR4 back.
 */
void cpu_sse_on(void);

/*
 * Reads one MSR of this CPU, outside of cpu_enter() and cpu_leave(). False: it raises #GP. Writes
 * no MSR.
 */
bool cpu_peek_msr(struct cpu_context *context, uint32_t msr, uint64_t *value);

/* CPUID in the form that caps_read() wants. */
void cpu_read_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);

/* Access to an MSR of this CPU, between cpu_enter() and cpu_leave(). False: it raised #GP. */
__attribute__((sysv_abi)) bool msr_read(uint32_t msr, uint64_t *value);
__attribute__((sysv_abi)) bool msr_write(uint32_t msr, uint64_t value);

/* The same as the port that pmu/counters/program.h wants. */
extern const struct msr_port CPU_MSRS;

#endif
