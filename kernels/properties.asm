; SPDX-License-Identifier: BSD-2-Clause
;
; Kernels that execute what the properties of names.inc count. No two properties have the same
; counts in all kernels of the plan `trust`.

FAMILY properties

; The return belongs to no call.
KERNEL indirect_jumps, "n times: two indirect jumps, and a return as a jump"
DEFAULT_N 1000
CLOBBERS rax, rdi, r10, r11
DECLARE indirect_branches, exact, 0, 2
DECLARE indirect_jumps, exact, 0, 2
DECLARE near_returns, exact, 0, 1
DECLARE branches, exact, 0, 4
DECLARE taken_branches, exact, -1, 4
DECLARE_LOOP 0, 7, 1, 1
DECLARE_BRANCH_OF_LOOP
PREPARE
    lea r10, [rel .first]
    lea r11, [rel .second]
    ret
ENTRY
.again:
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
END_KERNEL

KERNEL indirect_calls, "n near calls through a register"
DEFAULT_N 1000
CLOBBERS rbx, rdi
DECLARE indirect_branches, exact, 0, 1
DECLARE indirect_calls, exact, 0, 1
DECLARE near_calls, exact, 0, 1
DECLARE near_returns, exact, 0, 1
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 4, 1, 1
DECLARE_BRANCH_OF_LOOP
PREPARE
    lea rbx, [rel .leaf]
    ret
ENTRY
.again:
    call rbx
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

; XOR clears the flags that JC, JS and JO test, so none of these three branches is taken.
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

; XCHG with memory is locked without a prefix. The second kernel executes different numbers of NOPs
; and locked instructions.
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

; Floating-point operations on zeros. MOVAPS, ANDPS and CVTDQ2PS do not count as floating-point
; operations.
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

; Each fused multiplication counts twice.
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

; One further load and two further stores stay within a line.
KERNEL split_accesses, "n times: three loads and five stores that cross a line"
DEFAULT_N 1000
BUFFER 128, 64
CLOBBERS rax, rdi
DECLARE_LOOP 0, 13, 4, 7
DECLARE split_loads, exact, 0, 3
DECLARE split_stores, exact, 0, 5
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    mov rax, [rsi + 57]
    mov eax, [rsi + 62]
    mov ax, [rsi + 63]
    mov rax, [rsi]
    mov [rsi + 57], rax
    mov [rsi + 60], rax
    mov [rsi + 63], rax
    mov [rsi + 62], eax
    mov [rsi + 63], ax
    mov [rsi + 56], rax
    mov [rsi + 60], eax
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL prefetches_t0, "n times: a PREFETCHNTA, two PREFETCHT0"
DEFAULT_N 1000
BUFFER 64, 64
CLOBBERS rdi
NOT_DECLARED loads, "a core may count a prefetch as a load"
NOT_DECLARED stores, "a core may count a prefetch as a store"
DECLARE_LOOP 0, 5
DECLARE prefetch_nta, exact, 0, 1
DECLARE prefetch_t0, exact, 0, 2
DECLARE prefetch_t, exact, 0, 2
DECLARE prefetches, exact, 0, 3
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    prefetchnta [rsi]
    prefetcht0 [rsi]
    prefetcht0 [rsi]
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL prefetches_w, "n times: two PREFETCHT1, a PREFETCHT2, four PREFETCHW"
NEEDS prefetchw
DEFAULT_N 1000
BUFFER 64, 64
CLOBBERS rdi
NOT_DECLARED loads, "a core may count a prefetch as a load"
NOT_DECLARED stores, "a core may count a prefetch as a store"
DECLARE_LOOP 0, 9
DECLARE prefetch_t1_t2, exact, 0, 3
DECLARE prefetch_t, exact, 0, 3
DECLARE prefetch_w, exact, 0, 4
DECLARE prefetches, exact, 0, 7
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    prefetcht1 [rsi]
    prefetcht1 [rsi]
    prefetcht2 [rsi]
    %rep 4
    prefetchw [rsi]
    %endrep
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL flushes_and_reads, "n times: two CLFLUSH, three RDTSC"
DEFAULT_N 1000
BUFFER 128, 64
CLOBBERS rax, rdx, rdi
NOT_DECLARED loads, "a core may count CLFLUSH as a load"
NOT_DECLARED stores, "a core may count CLFLUSH as a store"
DECLARE_LOOP 0, 7
DECLARE line_flushes, exact, 0, 2
DECLARE counter_reads, exact, 0, 3
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    clflush [rsi]
    clflush [rsi + 64]
    %rep 3
    rdtsc
    %endrep
    dec rdi
    jnz .again
    ret
END_KERNEL

; Divisions of 1 by 1.
KERNEL waits_and_divisions, "n times: a PAUSE, two jumps, three divisions, four LFENCE"
DEFAULT_N 1000
CLOBBERS rax, rdx, rdi, r10
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 14
DECLARE pauses, exact, 0, 1
DECLARE direct_jumps, exact, 0, 2
DECLARE divisions, exact, 0, 3
DECLARE lfences, exact, 0, 4
DECLARE_BRANCH_OF_LOOP
PREPARE
    mov r10d, 1
    ret
ENTRY
.again:
    pause
    jmp .first
.first:
    jmp .second
.second:
    mov eax, r10d
    xor edx, edx
    div r10d
    div r10d
    idiv r10d
    %rep 4
    lfence
    %endrep
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL x87_additions, "n times: two x87 additions"
DEFAULT_N 1000
CLOBBERS rdi, x87
DECLARE_LOOP 0, 4
DECLARE x87, exact, 0, 2
DECLARE_BRANCH_OF_LOOP
PREPARE
    fninit
    fldz
    fldz
    ret
ENTRY
.again:
    fadd st0, st1
    fadd st0, st1
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL mmx_additions, "n times: three MMX additions"
DEFAULT_N 1000
CLOBBERS rdi, x87
DECLARE_LOOP 0, 5
DECLARE mmx, exact, 0, 3
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    paddb mm0, mm1
    paddb mm2, mm1
    paddb mm3, mm1
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL vector_integers, "n times: three additions and three multiplications of packed integers"
NEEDS avx2
DEFAULT_N 1000
CLOBBERS rdi, vectors
DECLARE_LOOP 0, 8
DECLARE vector_add_128, exact, 0, 1
DECLARE vector_add_256, exact, 0, 2
DECLARE vector_multiply_256, exact, 0, 3
DECLARE vector_256, exact, 0, 5
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    vpaddd xmm0, xmm1, xmm2
    vpaddd ymm0, ymm1, ymm2
    vpsubw ymm3, ymm1, ymm2
    vpmullw ymm0, ymm1, ymm2
    vpmullw ymm3, ymm1, ymm2
    vpmulhw ymm4, ymm1, ymm2
    dec rdi
    jnz .again
    ret
END_KERNEL

; NASM 2.16.01 supports only the EVEX form of VPDPBUSD, so the bytes of the VEX form are given.
KERNEL vector_dots, "n times: a VPDPBUSD of 128 bits, two of 256 bits"
NEEDS avx_vnni
DEFAULT_N 1000
CLOBBERS rdi, vectors
DECLARE_LOOP 0, 5
DECLARE vnni_128, exact, 0, 1
DECLARE vnni_256, exact, 0, 2
DECLARE vector_256, exact, 0, 2
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    db 0xc4, 0xe2, 0x71, 0x50, 0xe2     ; vpdpbusd xmm4, xmm1, xmm2
    db 0xc4, 0xe2, 0x75, 0x50, 0xc2     ; vpdpbusd ymm0, ymm1, ymm2
    db 0xc4, 0xe2, 0x75, 0x50, 0xda     ; vpdpbusd ymm3, ymm1, ymm2
    dec rdi
    jnz .again
    ret
END_KERNEL
