; SPDX-License-Identifier: BSD-2-Clause
;
; Kernels that execute what the properties of names.inc count. No two properties have the same
; counts in all kernels of the plan `trust`.

FAMILY properties

; Calls, returns and indirect branches differ in number: one of the returns belongs to no call.
KERNEL indirect_jumps, "n times: an indirect call, two indirect jumps, and a return as a jump"
DEFAULT_N 1000
CLOBBERS rax, rbx, rdi, r10, r11
DECLARE branches, exact, 0, 6
DECLARE taken_branches, exact, -1, 6
DECLARE_LOOP 0, 9, 2, 2
DECLARE near_calls, exact, 0, 1
DECLARE near_returns, exact, 0, 2
DECLARE indirect_branches, exact, 0, 3
DECLARE_BRANCH_OF_LOOP
PREPARE
    lea rbx, [rel .leaf]
    lea r10, [rel .first]
    lea r11, [rel .second]
    ret
ENTRY
.again:
    call rbx
    jmp r10
.first:
    jmp r11
.second:
    lea rax, [rel .third]
    push rax
    ret
.third:
    dec rdi
    jnz .again
    ret
.leaf:
    ret
END_KERNEL

; RETFQ goes to the same code segment, so it needs no particular ring.
KERNEL far_returns, "n far returns to the next instruction"
DEFAULT_N 1000
CLOBBERS rdi, r10, r11
DECLARE branches, exact, 0, 2
NOT_DECLARED taken_branches, "AMD's event counts far branches, Intel's does not"
NOT_DECLARED loads, "microcode: how often RETFQ loads differs from core to core"
DECLARE_LOOP 0, 5, 0, 2
DECLARE far_branches, exact, 0, 1
DECLARE_BRANCH_OF_LOOP
PREPARE
    mov r10d, cs
    lea r11, [rel .next]
    ret
ENTRY
.again:
    push r10
    push r11
    retfq
.next:
    dec rdi
    jnz .again
    ret
END_KERNEL

; RAX is 0, so none of the three flags is set.
KERNEL never_taken, "n times: two far returns, and three branches that are never taken"
DEFAULT_N 1000
CLOBBERS rax, rbx, rdi, r10, r11
DECLARE branches, exact, 0, 6
NOT_DECLARED taken_branches, "AMD's event counts far branches, Intel's does not"
NOT_DECLARED loads, "microcode: how often RETFQ loads differs from core to core"
DECLARE_LOOP 0, 12, 0, 4
DECLARE conditional_branches, exact, 0, 4
DECLARE conditional_taken, exact, -1, 1
DECLARE not_taken, exact, 1, 3
DECLARE far_branches, exact, 0, 2
NO_OTHERS
PREPARE
    mov r10d, cs
    lea r11, [rel .first]
    lea rbx, [rel .second]
    ret
ENTRY
.again:
    push r10
    push r11
    retfq
.first:
    push r10
    push rbx
    retfq
.second:
    xor eax, eax
    jc .last
    js .last
    jo .last
.last:
    dec rdi
    jnz .again
    ret
END_KERNEL

; XCHG with memory is locked without a prefix. The second kernel has other numbers.
KERNEL nops_and_locks, "n times: three NOPs of 1, 2 and 4 bytes, two locked instructions"
DEFAULT_N 1000
BUFFER 64, 64
CLOBBERS rax, rdi
DECLARE_LOOP 0, 7, 2, 2
DECLARE nops, exact, 0, 3
DECLARE locked_loads, exact, 0, 2
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    nop
    db 0x66, 0x90
    db 0x0f, 0x1f, 0x40, 0x00
    lock add [rsi], rdi
    xchg [rsi + 8], rax
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL locks_and_nop, "n times: a NOP, three locked instructions, an unlocked XADD"
DEFAULT_N 1000
BUFFER 64, 64
CLOBBERS rax, rdi
DECLARE_LOOP 0, 7, 4, 4
DECLARE nops, exact, 0, 1
DECLARE locked_loads, exact, 0, 3
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    nop
    lock inc qword [rsi]
    lock xadd [rsi + 8], rax
    xchg [rsi + 16], rax
    xadd [rsi + 24], rax
    dec rdi
    jnz .again
    ret
END_KERNEL

; Floating-point operations on zeros. MOVAPS, ANDPS and CVTDQ2PS are none.
; Arguments: name, title, instructions per n.
%macro FLOAT 3
KERNEL float_%1, %2
DEFAULT_N 1000
CLOBBERS rdi, vectors
DECLARE_LOOP 0, %3
%endmacro

%macro FLOAT_ENTRY 0
DECLARE_BRANCH_OF_LOOP
PREPARE
    %assign float_register 0
    %rep 6
        pxor xmm%+float_register, xmm%+float_register
        %assign float_register float_register + 1
    %endrep
    ret
ENTRY
.again:
%endmacro

FLOAT sse, "n times: 1 to 4 SSE operations of each width and precision", 15
DECLARE fp_scalar_double, exact, 0, 1
DECLARE fp_scalar_single, exact, 0, 2
DECLARE fp_128_double, exact, 0, 3
DECLARE fp_128_single, exact, 0, 4
FLOAT_ENTRY
    addsd xmm0, xmm1
    mulss xmm0, xmm1
    sqrtss xmm2, xmm1
    addpd xmm0, xmm1
    subpd xmm2, xmm1
    maxpd xmm3, xmm1
    addps xmm0, xmm1
    mulps xmm2, xmm1
    minps xmm3, xmm1
    subps xmm4, xmm1
    movaps xmm5, xmm1
    andps xmm5, xmm1
    cvtdq2ps xmm5, xmm1
    dec rdi
    jnz .again
    ret
END_KERNEL

FLOAT avx, "n times: 1 to 4 AVX operations of each width and precision", 12
NEEDS avx
DECLARE fp_scalar_double, exact, 0, 3
DECLARE fp_scalar_single, exact, 0, 1
DECLARE fp_256_double, exact, 0, 4
DECLARE fp_256_single, exact, 0, 2
FLOAT_ENTRY
    vaddsd xmm0, xmm1, xmm2
    vsubsd xmm0, xmm1, xmm2
    vsqrtsd xmm0, xmm1, xmm2
    vmulss xmm3, xmm1, xmm2
    vaddpd ymm0, ymm1, ymm2
    vmulpd ymm3, ymm1, ymm2
    vmaxpd ymm4, ymm1, ymm2
    vhaddpd ymm5, ymm1, ymm2
    vaddps ymm0, ymm1, ymm2
    vsubps ymm3, ymm1, ymm2
    dec rdi
    jnz .again
    ret
END_KERNEL

; Each of these counts twice.
FLOAT fma, "n times: three fused multiplications of each width and precision", 11
NEEDS fma
DECLARE fp_128_double, exact, 0, 6
DECLARE fp_256_double, exact, 0, 6
DECLARE fp_256_single, exact, 0, 6
FLOAT_ENTRY
    vfmadd231pd xmm0, xmm1, xmm2
    vfmsub213pd xmm3, xmm1, xmm2
    vfnmadd132pd xmm4, xmm1, xmm2
    vfmadd231pd ymm0, ymm1, ymm2
    vfnmsub231pd ymm3, ymm1, ymm2
    vfmaddsub213pd ymm4, ymm1, ymm2
    vfmadd132ps ymm0, ymm1, ymm2
    vfmsubadd231ps ymm3, ymm1, ymm2
    vfmadd213ps ymm5, ymm1, ymm2
    dec rdi
    jnz .again
    ret
END_KERNEL

FLOAT avx512, "n times: an AVX-512 operation of double, three of single precision", 6
NEEDS avx512f
DECLARE fp_512_double, exact, 0, 1
DECLARE fp_512_single, exact, 0, 4
FLOAT_ENTRY
    vaddpd zmm0, zmm1, zmm2
    vmulps zmm3, zmm1, zmm2
    vsubps zmm4, zmm1, zmm2
    vfmadd231ps zmm5, zmm1, zmm2
    dec rdi
    jnz .again
    ret
END_KERNEL
