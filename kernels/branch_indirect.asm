; SPDX-License-Identifier: BSD-2-Clause
;
; Indirect branches: by a table of addresses that prepare writes into the buffer, each of one of
; `targets` places that jump or return at once. In turn, or in a random order of 1024 that repeats.
; Each run writes the table anew: this code may lie elsewhere than in the run before.

FAMILY branch_indirect

INDIRECT_TARGETS equ 256
INDIRECT_TARGET_BYTES equ 16
INDIRECT_ORDER equ 1024

; RBX = RSI, R10 = the table's end. R11 is the number of a target, or draws it; it is the upper half
; of a product that makes it less than R9.
%macro TABLE_IN_TURN 0
    lea r10, [rsi + 8 * r9]
    mov rbx, rsi
    lea rax, [rel .targets]
.entry_of_table:
    mov [rbx], rax
    add rax, INDIRECT_TARGET_BYTES
    add rbx, 8
    cmp rbx, r10
    jb .entry_of_table
    mov rbx, rsi
%endmacro

%macro TABLE_AT_RANDOM 0
    lea r10, [rsi + 8 * INDIRECT_ORDER]
    mov rbx, rsi
    lea rcx, [rel .targets]
    mov r11, 0x9e3779b97f4a7c15
.entry_of_table:
    mov rdx, 6364136223846793005
    imul r11, rdx
    mov rdx, 1442695040888963407
    add r11, rdx
    mov rax, r11
    mul r9
    shl rdx, 4
    add rdx, rcx
    mov [rbx], rdx
    add rbx, 8
    cmp rbx, r10
    jb .entry_of_table
    mov rbx, rsi
%endmacro

; Suffix of the name, macro of the table, words for the title.
%macro INDIRECT_JUMP 3
%strcat indirect_title "n indirect jumps to targets ", %3
KERNEL indirect_jmp_%1, indirect_title
DEFAULT_N 1000
BUFFER 8 * INDIRECT_ORDER, 64
ARGUMENT targets, 16, 1, INDIRECT_TARGETS, 1
CLOBBERS rax, rcx, rdx, rbx, rdi, r10, r11
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 7, 1, 0
PREPARE
    %2
    ret
ENTRY
.again:
    jmp [rbx]
.back:
    add rbx, 8
    cmp rbx, r10
    cmove rbx, rsi
    dec rdi
    jnz .again
    ret
    align INDIRECT_TARGET_BYTES, int3
.targets:
    %rep INDIRECT_TARGETS
    jmp .back
    align INDIRECT_TARGET_BYTES, int3
    %endrep
END_KERNEL
%endmacro

; A call stores its return address; call and return load, from the table and the stack.
%macro INDIRECT_CALL 3
%strcat indirect_title "n indirect calls of targets ", %3
KERNEL indirect_call_%1, indirect_title
DEFAULT_N 1000
BUFFER 8 * INDIRECT_ORDER, 64
ARGUMENT targets, 16, 1, INDIRECT_TARGETS, 1
CLOBBERS rax, rcx, rdx, rbx, rdi, r10, r11
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 7, 2, 1
PREPARE
    %2
    ret
ENTRY
.again:
    call [rbx]
    add rbx, 8
    cmp rbx, r10
    cmove rbx, rsi
    dec rdi
    jnz .again
    ret
    align INDIRECT_TARGET_BYTES, int3
.targets:
    %rep INDIRECT_TARGETS
    ret
    align INDIRECT_TARGET_BYTES, int3
    %endrep
END_KERNEL
%endmacro

INDIRECT_JUMP in_turn, TABLE_IN_TURN, "in turn"
INDIRECT_JUMP random, TABLE_AT_RANDOM, "in a repeated random order"
INDIRECT_CALL in_turn, TABLE_IN_TURN, "in turn"
INDIRECT_CALL random, TABLE_AT_RANDOM, "in a repeated random order"
