; SPDX-License-Identifier: BSD-2-Clause
;
; Kernels whose results are known in advance.

FAMILY known_answers

; UD2 faults and does not retire. Each iteration retires ADD, IRETQ, DEC and JNZ. LIDT retires
; before and after the loop.
UD2_OLD     equ 0                       ; in the buffer: the result of SIDT, ten bytes
UD2_NEW     equ 16                      ; the operand of LIDT
UD2_TABLE   equ 64
UD2_TABLE_BYTES equ 4096

KERNEL ud2_handled, "n times an undefined opcode, and the handler that steps over it"
DEFAULT_N 100
BUFFER UD2_TABLE + UD2_TABLE_BYTES, 64
RING0
CLOBBERS rax, rcx, rdx, rbx, rdi, r10
DECLARE instructions, exact, 2, 4
NOT_DECLARED branches, "AMD counts exceptions as branches (PPR, PMCx0C2), Intel does not"
NOT_DECLARED taken_branches, "AMD counts exceptions and IRETQ, Intel counts near branches only"
NOT_DECLARED loads, "cores differ in whether they count LIDT and IRETQ as loads"
NOT_DECLARED stores, "cores differ in whether they count the exception's pushes as stores"
PREPARE
    sidt [rsi + UD2_OLD]
    movzx ecx, word [rsi + UD2_OLD]
    inc ecx
    mov eax, UD2_TABLE_BYTES
    cmp ecx, eax
    cmova ecx, eax
    mov r10, [rsi + UD2_OLD + 2]
    lea rbx, [rsi + UD2_TABLE]
    mov [rsi + UD2_NEW + 2], rbx
    lea eax, [rcx - 1]
    mov [rsi + UD2_NEW], ax
.copy:
    mov al, [r10 + rcx - 1]
    mov [rbx + rcx - 1], al
    dec ecx
    jnz .copy
    lea rax, [rel .handler]
    add rbx, 6 * 16
    mov [rbx], ax
    mov [rbx + 2], cs
    mov word [rbx + 4], 0x8e00
    shr rax, 16
    mov [rbx + 6], ax
    shr rax, 16
    mov [rbx + 8], rax
    ret
ENTRY
    lidt [rsi + UD2_NEW]
.again:
    ud2
    dec rdi
    jnz .again
    lidt [rsi + UD2_OLD]
    ret
    align 16, int3
.handler:
    add qword [rsp], 2
    iretq
END_KERNEL

; Spins for n time stamp ticks or slightly more. The core's frequency is core cycles over reference
; cycles, times the time stamp's frequency.
KERNEL spin_tsc, "spins until the time stamp has advanced by n"
DEFAULT_N 1000000
CLOBBERS rax, rdx, rbx, rdi
NOT_DECLARED instructions, "as many rounds as fit into the time"
NOT_DECLARED branches, "as many rounds as fit into the time"
NOT_DECLARED taken_branches, "as many rounds as fit into the time"
DECLARE loads, exact, 0, 0
DECLARE stores, exact, 0, 0
ENTRY
    rdtsc
    shl rdx, 32
    or rax, rdx
    mov rbx, rax
.again:
    rdtsc
    shl rdx, 32
    or rax, rdx
    sub rax, rbx
    cmp rax, rdi
    jb .again
    ret
END_KERNEL
