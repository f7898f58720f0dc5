/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that C cannot express, safe at CPL 0 on any x86-64 CPU except as noted. */
#ifndef BARECOUNT_BOOT_CPU_INSTRUCTIONS_H
#define BARECOUNT_BOOT_CPU_INSTRUCTIONS_H

#include <stdint.h>

#define RFLAGS_FIXED   (1ull << 1)
#define RFLAGS_IF      (1ull << 9)
#define CR0_WP         (1ull << 16)
#define CR0_AM         (1ull << 18)
#define CR4_PGE        (1ull << 7)
#define CR4_OSFXSR     (1ull << 9)
#define CR4_OSXMMEXCPT (1ull << 10)
#define CR4_LA57       (1ull << 12)
#define CR4_OSXSAVE    (1ull << 18)
#define CR4_CET        (1ull << 23)

/* The operand of LIDT, SIDT, LGDT and SGDT. */
struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    uint64_t base;
};

#define CPU_DO(name, text)                                                                         \
    static inline void cpu_##name(void)                                                            \
    {                                                                                              \
        __asm__ volatile(text : : : "memory");                                                     \
    }
#define CPU_READ(type, name, text, to)                                                             \
    static inline type cpu_##name(void)                                                            \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        __asm__ volatile(text " %0" : to(value));                                                  \
        return value;                                                                              \
    }

#define CPU_GET(name) CPU_READ(uint64_t, name, "movq %%" #name ",", "=r")

#define CPU_SET(name)                                                                              \
    static inline void cpu_set_##name(uint64_t value)                                              \
    {                                                                                              \
        __asm__ volatile("movq %0, %%" #name : : "r"(value) : "memory");                           \
    }

#define CPU_TABLE(name)                                                                            \
    static inline void cpu_l##name(const struct table_pointer *table)                              \
    {                                                                                              \
        __asm__ volatile("l" #name " %0" : : "m"(*table) : "memory");                              \
    }                                                                                              \
    CPU_READ(struct table_pointer, s##name, "s" #name, "=m")

static inline void cpu_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3])
                     : "a"(leaf), "c"(subleaf));
}

static inline uint64_t cpu_tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint32_t cpu_port_in32(uint16_t port)
{
    uint32_t value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint64_t cpu_flags_then_cli(void)
{
    uint64_t flags;

    __asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
    return flags;
}

static inline uint64_t cpu_efer(void)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(0xc0000080));
    return (uint64_t)high << 32 | low;
}

CPU_DO(sti, "sti")
CPU_DO(pause, "pause")
CPU_DO(raise_mc, "int $18")

/* Call this only if MONITOR exists: every 64-bit CPU that has MONITOR also has CLFLUSH. */
static inline void cpu_clflush(const volatile void *line)
{
    __asm__ volatile("mfence; clflush (%0); mfence" : : "r"(line) : "memory");
}

/* MONITOR and MWAIT exist only if CPUID.01H:ECX[3] is set. */
static inline void cpu_monitor(const volatile void *line)
{
    __asm__ volatile("monitor" : : "a"(line), "c"(0), "d"(0) : "memory");
}

/*
 * MWAIT returns when the monitored line is written, or when an unmasked interrupt, an NMI or an SMI
 * arrives. MWAIT may also return for no such reason. (A masked interrupt does not end it, because
 * ECX is 0.) The NOP lets a debugger tell a sleeping CPU from one that jumped to the next
 * instruction.
 */
static inline void cpu_mwait(uint32_t hint)
{
    __asm__ volatile("mwait; nop" : : "a"(hint), "c"(0) : "memory");
}

CPU_DO(fence, "mfence; lfence")

CPU_TABLE(idt)
CPU_TABLE(gdt)

/* The selector must refer to an available TSS, which becomes busy. */
static inline void cpu_ltr(uint16_t selector)
{
    __asm__ volatile("ltr %0" : : "r"(selector) : "memory");
}

CPU_READ(uint16_t, tr, "str", "=r")

/* The segment registers that an IRET or an interrupt may clear when it changes the ring. */
struct data_segments {
    uint16_t ss, ds, es, fs, gs;
};

static inline struct data_segments cpu_segments(void)
{
    struct data_segments s;

    __asm__ volatile("movw %%ss, %0; movw %%ds, %1; movw %%es, %2; movw %%fs, %3; movw %%gs, %4"
                     : "=r"(s.ss), "=r"(s.ds), "=r"(s.es), "=r"(s.fs), "=r"(s.gs));
    return s;
}

/* May change the bases of FS and GS: a null selector clears the base on some CPUs. */
static inline void cpu_set_segments(struct data_segments s)
{
    __asm__ volatile("movw %0, %%ss; movw %1, %%ds; movw %2, %%es; movw %3, %%fs; movw %4, %%gs"
                     :
                     : "r"(s.ss), "r"(s.ds), "r"(s.es), "r"(s.fs), "r"(s.gs)
                     : "memory");
}

CPU_READ(uint16_t, cs, "movw %%cs,", "=r")

CPU_GET(cr0)
CPU_GET(cr2)
CPU_GET(cr3)
CPU_GET(dr7)
CPU_SET(dr7)

/* CR8[3:0]: task priority. */
CPU_GET(cr8)
CPU_SET(cr8)

CPU_GET(cr4)
/* Callers must not change CR4.CET, because this function could then not return. */
CPU_SET(cr4)

/* Needs CR4.OSXSAVE. */
static inline uint64_t cpu_xcr0(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static inline void cpu_set_xcr0(uint64_t value)
{
    __asm__ volatile("xsetbv"
                     :
                     : "c"(0), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

CPU_DO(wbinvd, "wbinvd")

/* Needs CR4.OSFXSR. */
CPU_READ(uint32_t, mxcsr, "stmxcsr", "=m")

static inline void cpu_set_mxcsr(uint32_t value)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(value) : "memory");
}

/* The x87 control word. */
CPU_READ(uint16_t, fcw, "fnstcw", "=m")

static inline void cpu_start_x87(uint16_t fcw)
{
    __asm__ volatile("fninit; fldcw %0" : : "m"(fcw) : "memory");
}

/* `area` has 512 bytes and is aligned to 16 bytes. */
static inline void cpu_fxsave(void *area)
{
    __asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
}

static inline void cpu_fxrstor(const void *area)
{
    __asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
}

#endif
