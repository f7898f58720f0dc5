/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's IDT: handles exceptions and NMIs during a task. */
#include "boot/cpu/traps.h"
#include "boot/cpu/trip.h"
#include "pmu/cpu/machine_check.h"
#include "pmu/cpu/msr.h"

#define VECTOR_GP            13u
#define GATE_PRESENT_AND_INT 0x8e00u
#define GATE_DPL_SHIFT       13u
#define SELECTOR_RPL         3u

/* The values that boot/cpu/traps.asm pushes, followed by those that the CPU has pushed. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
    uint64_t vector;
    uint64_t error_code;
    uint64_t rip, cs, rflags, rsp, ss;
};

/* Defined in boot/cpu/traps.asm. */
extern const char trap_first[], space_trap_first[];
extern const uint32_t trap_entry_offset[TRAP_VECTORS], space_trap_offset[TRAP_VECTORS];
extern const char msrs_text[], msrs_text_end[];
bool port_read_all(void *context, const uint32_t *msr, uint64_t count, uint64_t *values);
bool port_write_all(void *context, const struct msr_value *to, uint64_t count);
uint64_t port_look(void *context, struct msr_look *looks, uint64_t count);

__attribute__((sysv_abi, used)) void trap_handle(struct trap_frame *frame);
__attribute__((sysv_abi, used)) bool space_trap_handle(struct trap_frame *frame,
                                                       struct cpu_context *context);

const struct msr_port CPU_MSRS = {.read = port_read,
                                  .write = port_write,
                                  .read_all = port_read_all,
                                  .write_all = port_write_all,
                                  .look = port_look};

_Static_assert(SLOTS_MAX == 14 && PRESETS_MAX == 45 && EVIDENCE_NOWHERE == 39, "EACH");
_Static_assert(sizeof(struct msr_value) == 16 && offsetof(struct msr_value, value) == 8, "WRITE");
_Static_assert(sizeof(struct msr_look) == 32 && offsetof(struct msr_look, calm) == 8 &&
                   offsetof(struct msr_look, cares) == 16 && offsetof(struct msr_look, value) == 24,
               "LOOK");
_Static_assert(offsetof(struct clocks, mperf) == 8 && offsetof(struct clocks, tsc_first) == 16 &&
                   offsetof(struct clocks, tsc_last) == 24,
               "cpu_clocks");

#define RDMSR_CODE       0x320fu
#define WRMSR_CODE       0x300fu
#define MSR_ACCESS_BYTES 2u

static bool is_msr_access(const struct trap_frame *frame)
{
    const uint8_t *at = (const uint8_t *)frame->rip;
    unsigned code;

    if (frame->vector != VECTOR_GP || frame->rip < (uint64_t)msrs_text ||
        frame->rip >= (uint64_t)msrs_text_end)
        return false;
    code = at[0] | (unsigned)at[1] << 8;
    return code == RDMSR_CODE || code == WRMSR_CODE;
}

/* Skips the instruction and sets the registers as boot/cpu/traps.asm expects. */
static void refuse(struct trap_frame *frame)
{
    frame->rip += MSR_ACCESS_BYTES;
    frame->rax = frame->rdx = 0;
    frame->r11 = ~0ull;
}

static bool ends_kernel(struct cpu_context *context)
{
    bool is_asked = context->end_asked && context->end_asked == context->windows;

    context->end_asked = 0;
    return is_asked || spare_is_over(&CPU_MSRS, &context->spare);
}

static void look_at_banks(struct machine_checks *found)
{
    for (uint32_t i = 0; i < found->banks; i++)
        msr_read(MSR_IA32_MC0_STATUS + MC_BANK_MSRS * i, &found->status[i]);
}

/* Records the errors that the banks already contain, because they must not end the task. */
static void remember_banks(struct cpu_context *context)
{
    context->mcg_cap = 0;
    msr_read(MSR_IA32_MCG_CAP, &context->mcg_cap);
    context->found_banks.banks = evidence_count_banks(&CPU_MSRS);
    look_at_banks(&context->found_banks);
}

uint64_t traps_new_error(const struct cpu_context *context, uint32_t bank)
{
    uint64_t status = 0;

    msr_read(MSR_IA32_MC0_STATUS + MC_BANK_MSRS * bank, &status);
    return mc_new_error(context->found_banks.status[bank], status);
}

/*
 * Whether the CPU can continue, because the error was another CPU's or left this CPU's state
 * intact. The banks are not cleared, because an operating system may log them later.
 */
static bool goes_on_after_check(struct cpu_context *context)
{
    uint64_t *mcg_status = &context->check.mcg_status;

    *mcg_status = 0;
    msr_read(MSR_IA32_MCG_STATUS, mcg_status);
    context->machine_checks++;
    for (uint32_t i = 0; i < context->found_banks.banks; i++)
        if (mc_is_fatal(context->mcg_cap, *mcg_status, traps_new_error(context, i)))
            return false;
    if (!(*mcg_status & MCG_STATUS_RIPV))
        return false;
    look_at_banks(&context->found_banks);
    return true;
}

/* Clears MCIP. While MCIP is set, a further machine check would shut the CPU down. */
static void end_check(void)
{
    msr_write(MSR_IA32_MCG_STATUS, 0);
}

/* Lets the firmware handle a machine check that occurred while no kernel was running. */
static _Noreturn void hand_over(const struct cpu_context *context)
{
    cpu_lidt(&context->firmware_idt);
    for (;;)
        cpu_raise_mc();
}

/*
 * Handles NMIs, faults of MSR accesses, and machine checks. For any other exception, loads the
 * firmware's IDT, so that the instruction faults again and the firmware handles the exception.
 */
void trap_handle(struct trap_frame *frame)
{
    struct cpu_context *context = (struct cpu_context *)cpu_sidt().base;

    if (frame->vector == TRAP_NMI) {
        context->end_asked = 0; /* no kernel is running */
        context->nmis++;
    } else if (is_msr_access(frame)) {
        refuse(frame);
    } else if (frame->vector != TRAP_MC) {
        cpu_lidt(&context->firmware_idt);
    } else if (goes_on_after_check(context)) {
        end_check();
    } else {
        hand_over(context);
    }
}

/*
 * Handles an exception in a space; returns true if the exception ended the kernel. NMIs that nobody
 * requested do not end the kernel, nor do machine checks after which the CPU can continue.
 */
bool space_trap_handle(struct trap_frame *frame, struct cpu_context *context)
{
    if (frame->vector == TRAP_NMI && (!ends_kernel(context) || context->recovery == 0)) {
        context->nmis++;
        return false;
    }
    if (frame->vector == TRAP_MC) {
        const bool goes_on = goes_on_after_check(context);

        if (!goes_on && context->recovery == 0)
            hand_over(context);
        end_check();
        if (goes_on)
            return false;
    }
    context->vector = (uint32_t)frame->vector;
    context->error_code = frame->error_code;
    context->fault_rip = frame->rip;
    context->fault_address = cpu_cr2();
    frame->rip = (uint64_t)trip_recover;
    frame->rsp = context->recovery;
    context->recovery = 0;
    frame->rflags = RFLAGS_FIXED;   /* clears TF and NT */
    if (frame->cs & SELECTOR_RPL) { /* came from CPL 3; at CPL 0, SS may be null */
        frame->cs = cpu_cs();
        frame->ss = 0;
    }
    return true;
}

struct gate trap_gate(uint64_t entry, unsigned dpl, unsigned stack)
{
    return (struct gate){
        .offset_low = (uint16_t)entry,
        .selector = cpu_cs(),
        .type = (uint16_t)(GATE_PRESENT_AND_INT | dpl << GATE_DPL_SHIFT | stack),
        .offset_middle = (uint16_t)(entry >> 16),
        .offset_high = (uint32_t)(entry >> 32),
    };
}

struct gate trap_space_gate(unsigned vector, unsigned dpl, unsigned stack)
{
    return trap_gate((uint64_t)space_trap_first + space_trap_offset[vector], dpl, stack);
}

void traps_install(struct cpu_context *context)
{
    struct table_pointer table = {.limit = sizeof(context->gates) - 1,
                                  .base = (uint64_t)context->gates};

    for (unsigned i = 0; i < TRAP_VECTORS; i++)
        context->gates[i] = trap_gate((uint64_t)trap_first + trap_entry_offset[i], 0, 0);
    context->firmware_idt = cpu_sidt();
    cpu_lidt(&table);
    remember_banks(context);
}

void traps_remove(struct cpu_context *context)
{
    cpu_lidt(&context->firmware_idt);
}
