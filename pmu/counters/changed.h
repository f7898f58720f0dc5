/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of result.changed: what the kernel changed but must not change. */
#ifndef BARECOUNT_PMU_COUNTERS_CHANGED_H
#define BARECOUNT_PMU_COUNTERS_CHANGED_H

/* Bit number, name, description. Bits 0 to 15 are the general registers. */
#define CHANGED_LIST(X)                                                                            \
    X(0, RAX, "RAX")                                                                               \
    X(1, RCX, "RCX")                                                                               \
    X(2, RDX, "RDX")                                                                               \
    X(3, RBX, "RBX")                                                                               \
    X(4, RSP, "RSP")                                                                               \
    X(5, RBP, "RBP")                                                                               \
    X(6, RSI, "RSI")                                                                               \
    X(7, RDI, "RDI")                                                                               \
    X(8, R8, "R8")                                                                                 \
    X(9, R9, "R9")                                                                                 \
    X(10, R10, "R10")                                                                              \
    X(11, R11, "R11")                                                                              \
    X(12, R12, "R12")                                                                              \
    X(13, R13, "R13")                                                                              \
    X(14, R14, "R14")                                                                              \
    X(15, R15, "R15")                                                                              \
    X(16, STACK, "the stack above its frame")                                                      \
    X(17, RFLAGS, "RFLAGS")                                                                        \
    X(18, MXCSR, "MXCSR")                                                                          \
    X(19, FCW, "the x87 control word")                                                             \
    X(20, CR0, "CR0")                                                                              \
    X(21, CR3, "CR3")                                                                              \
    X(22, CR4, "CR4")                                                                              \
    X(23, CR8, "CR8")                                                                              \
    X(24, XCR0, "XCR0")                                                                            \
    X(25, IDT, "IDTR")                                                                             \
    X(26, GDT, "GDTR")                                                                             \
    X(27, TR, "TR")                                                                                \
    X(28, SEGMENTS, "a segment register")                                                          \
    X(29, EFER, "IA32_EFER")                                                                       \
    X(30, GATES, "the interrupt table")                                                            \
    X(31, DR7, "DR7")

enum {
#define CHANGED_ENUM(bit, name, word) CHANGED_##name = bit,
    CHANGED_LIST(CHANGED_ENUM)
#undef CHANGED_ENUM
};

#endif
