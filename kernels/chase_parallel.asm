; SPDX-License-Identifier: BSD-2-Clause
;
; Memory-level parallelism: independent random rings, each in its own slice of the buffer. The time
; divided by n rises when there are more rings than misses that a core can overlap.

FAMILY chase_parallel

%define ring_registers rbx, rbp, r8, r9, r11, r12, r14, r15

%macro RING_STEPS 9
    %rep %1
    %rotate 1
    mov %1, [%1]
    %endrep
%endmacro

; Sets each ring's register to a random slot. RCX is the generator's state, and RSI moves from slice
; to slice.
%macro RING_BEGINNINGS 9
    %rep %1
    %rotate 1
    DRAW rcx
    mov rax, rcx
    mul r10
    SLOT_line %1, rdx
    mov rax, r10
    shl rax, 6
    add rsi, rax
    %endrep
%endmacro

; Arguments: number of rings, its binary logarithm. R13 saves RSI.
%macro CHASE_PARALLEL 2
%defstr rings_text %1
%strcat rings_title "n steps along each of ", rings_text, " random rings at once"
KERNEL chase_parallel_%1, rings_title
DEFAULT_N 1024
COPIES %1
BUFFER 16384, 4096
ROUND buffer, 64 * %1
CLOBBERS rax, rcx, rdx, rbx, rbp, rdi, r8, r9, r10, r11, r12, r13, r14, r15
DECLARE_LOOP 0, %1 + 2, %1, 0
PREPARE
    mov r10, r8
    shr r10, 6 + %2
    mov r13, rsi
    RING_IS_LINKED .linked
    mov r14d, %1
.slice:
    LINK_random line
    mov rax, r10
    shl rax, 6
    add rsi, rax
    dec r14d
    jnz .slice
    mov rsi, r13
    RING_LINKED
.linked:
    mov rcx, [rsi + RING_DRAWN]
    RING_BEGINNINGS %1, ring_registers
    mov rsi, r13
    cmp rdi, r10
    jae .goes_round
    mov [rsi + RING_DRAWN], rcx
.goes_round:
    ret
ENTRY
.again:
    RING_STEPS %1, ring_registers
    dec rdi
    jnz .again
    ret
END_KERNEL
%endmacro

CHASE_PARALLEL 1, 0
CHASE_PARALLEL 2, 1
CHASE_PARALLEL 4, 2
CHASE_PARALLEL 8, 3
