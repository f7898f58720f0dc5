/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls built-in kernels in the test's own process, as kernels/kernel.h describes. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_CALL_KERNEL_H
#define BARECOUNT_TESTS_UNIT_FAKES_CALL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/check.h"
#include "kernels/choose.h"
#include "pmu/base/bytes.h"
#include "tests/prover/region.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, REGISTERS };

/* RSP is neither set nor read, and XMM0 is set to 0. */
struct registers {
    uint64_t is[REGISTERS];
};

void call_code(const void *code, struct registers *registers);

__asm__(".intel_syntax noprefix\n"
        ".globl call_code\n"
        "call_code:\n"
        "    push rbx; push rbp; push r12; push r13; push r14; push r15\n"
        "    push rsi\n"
        "    push rdi\n"
        "    pxor xmm0, xmm0\n"
        "    mov rax, rsi\n"
        "    mov rcx, [rax + 8]; mov rdx, [rax + 16]; mov rbx, [rax + 24]; mov rbp, [rax + 40]\n"
        "    mov rsi, [rax + 48]; mov rdi, [rax + 56]; mov r8, [rax + 64]; mov r9, [rax + 72]\n"
        "    mov r10, [rax + 80]; mov r11, [rax + 88]; mov r12, [rax + 96]\n"
        "    mov r13, [rax + 104]; mov r14, [rax + 112]; mov r15, [rax + 120]\n"
        "    mov rax, [rax]\n"
        "    call [rsp]\n"
        "    mov [rsp], rax\n"
        "    mov rax, [rsp + 8]\n"
        "    mov [rax + 8], rcx; mov [rax + 16], rdx; mov [rax + 24], rbx; mov [rax + 40], rbp\n"
        "    mov [rax + 48], rsi; mov [rax + 56], rdi; mov [rax + 64], r8; mov [rax + 72], r9\n"
        "    mov [rax + 80], r10; mov [rax + 88], r11; mov [rax + 96], r12\n"
        "    mov [rax + 104], r13; mov [rax + 112], r14; mov [rax + 120], r15\n"
        "    pop rcx\n"
        "    mov [rax], rcx\n"
        "    pop rsi\n"
        "    pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx\n"
        "    ret\n"
        ".att_syntax\n");

static _Alignas(64) uint8_t kernels_table[4 << 20];
static size_t kernels_bytes;

static inline void kernels_load(void)
{
    FILE *file = fopen("build/kernels.bin", "rb");

    assert_non_null(file);
    kernels_bytes = fread(kernels_table, 1, sizeof(kernels_table), file);
    fclose(file);
    assert_int_equal(mprotect((void *)((uintptr_t)kernels_table & ~4095ul),
                              sizeof(kernels_table) + 4096, PROT_READ | PROT_WRITE | PROT_EXEC),
                     0);
}

static inline const struct kernel_record *kernel_called(const char *name)
{
    const struct kernel_record *kernel = NULL;
    enum kernel_fault why;

    while ((kernel = kernel_next(kernels_table, kernels_bytes, kernel, crc32_ieee, &why)) != NULL) {
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    }
    fail_msg("there is no kernel %s", name);
    abort();
}

/* The inputs of prepare. */
struct given {
    uint64_t n;
    uint8_t *buffer;
    uint64_t bytes;
    uint64_t argument;
};

static inline struct registers kernel_prepare(const struct kernel_record *kernel,
                                              const struct given *given)
{
    struct registers registers = {{0}};

    registers.is[RDI] = given->n;
    registers.is[RSI] = registers.is[RDX] = (uintptr_t)given->buffer;
    registers.is[R8] = given->bytes;
    registers.is[R9] = given->argument;
    call_code((const uint8_t *)kernel + kernel->prepare_offset, &registers);
    return registers;
}

static inline void kernel_enter(const struct kernel_record *kernel, struct registers *registers)
{
    call_code((const uint8_t *)kernel + kernel->entry_offset, registers);
}

#endif
