; SPDX-License-Identifier: BSD-2-Clause
;
; Indirect branches through a table in the buffer. The argument `targets` is the number of targets.
; The table has one entry for each target in turn, or 1024 entries for random targets. Each run
; writes the table anew, because the code may have moved.

FAMILY branch_indirect

INDIRECT_TARGETS equ 256
INDIRECT_TARGET_BYTES equ 16
INDIRECT_ORDER equ 1024

; Output: RBX = RSI, and R10 is the end of the table. For a random table, R11 is the generator's
; state, and bits 127:64 of the product R11 * R9 are the number of a target.
%macro TABLE_in_turn 0
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

%macro TABLE_random 0
    lea r10, [rsi + 8 * INDIRECT_ORDER]
    mov rbx, rsi
    lea rcx, [rel .targets]
    mov r11, 0x9e3779b97f4a7c15
.entry_of_table:
    DRAW r11
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

; Each unit of n uses one entry of the table. DEFAULT_N is one round of a random table.
%macro TABLE_ROUND_in_turn 0
ROUND argument, 1
%endmacro
%macro TABLE_ROUND_random 0
%endmacro

; Arguments: jmp or call, order of the table, title, loads per n, stores per n, how a target
; returns.
%macro INDIRECT 6
KERNEL indirect_%1_%2, %3
DEFAULT_N INDIRECT_ORDER
BUFFER 8 * INDIRECT_ORDER, 64
TABLE_ROUND_%2
ARGUMENT targets, 16, 1, INDIRECT_TARGETS, 1
CLOBBERS rax, rcx, rdx, rbx, rdi, r10, r11
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 2 + WALK_NEXT_INSTRUCTIONS, %4, %5
PREPARE
    TABLE_%2
    ret
ENTRY
.again:
    %1 [rbx]
.back:
    WALK_NEXT 8, rsi
    ret
    align INDIRECT_TARGET_BYTES, int3
.targets:
    %rep INDIRECT_TARGETS
    %6
    align INDIRECT_TARGET_BYTES, int3
    %endrep
END_KERNEL
%endmacro

INDIRECT jmp, in_turn, "n indirect jumps to targets in turn", 1, 0, {jmp .back}
INDIRECT jmp, random, "n indirect jumps to targets in a repeated random order", 1, 0, {jmp .back}
INDIRECT call, in_turn, "n indirect calls of targets in turn", 2, 1, ret
INDIRECT call, random, "n indirect calls of targets in a repeated random order", 2, 1, ret
