; SPDX-License-Identifier: BSD-2-Clause
;
; Conditional branches in patterns, to find the longest pattern that a predictor can learn. Most
; branches are followed by a branch on the opposite condition, whose outcome predictors can infer.
; Exactly one branch of each pair is taken, so every count is exact.

FAMILY branch_patterns

; Arguments: always or never, the branches' condition code, and the taken branches per n, which
; include the loop's own branch.
%macro BRANCHES_TO_NEXT 3
%defstr way_text %1
%strcat branches_title "n times: 8 conditional branches that are ", way_text, " taken"
KERNEL branch_%1, branches_title
DEFAULT_N 1000
COPIES 8
CLOBBERS rdi
DECLARE branches, exact, 0, 9
DECLARE taken_branches, exact, -1, %3
DECLARE_LOOP 0, 11
ENTRY
.again:
    cmp rsp, rsp
    %rep 8
    j%2 short $ + 2
    %endrep
    dec rdi
    jnz .again
    ret
END_KERNEL
%endmacro

BRANCHES_TO_NEXT always, e, 9
BRANCHES_TO_NEXT never, ne, 1

; Register %1 holds the length of a period.
%macro BRANCH_BY_PERIOD 1
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 2
DECLARE_LOOP 0, 6
ENTRY
.again:
    dec rbx
    jz .last
.last:
    jnz .not_last
.not_last:
    cmovz rbx, %1
    dec rdi
    jnz .again
    ret
END_KERNEL
%endmacro

KERNEL branch_period, "n times a branch that is taken once in a period, and its opposite"
DEFAULT_N 1000
ARGUMENT period, 8, 1, 65536, 1
ROUND argument, 1
CLOBBERS rbx, rdi
PREPARE
    mov rbx, r9
    ret
BRANCH_BY_PERIOD r9

%macro BRANCH_PERIOD 1
%defstr period_text %1
%strcat period_title "n times a branch that is taken once in ", period_text, ", and its opposite"
KERNEL branch_period_%1, period_title
DEFAULT_N 1000
CLOBBERS rbx, rdi, r10
PREPARE
    mov ebx, %1
    mov r10d, %1
    ret
BRANCH_BY_PERIOD r10
%endmacro

BRANCH_PERIOD 2
BRANCH_PERIOD 3
BRANCH_PERIOD 4
BRANCH_PERIOD 8
BRANCH_PERIOD 16
BRANCH_PERIOD 32
BRANCH_PERIOD 64
BRANCH_PERIOD 128

; A repeated pattern of `length` random bytes, each 0 or 1. Each byte is the highest bit of a number
; from Knuth's MMIX generator. The 8 bytes at offset 65,592 contain the length of the pattern that
; `prepare` wrote last.
KERNEL branch_table, "n times a branch by a repeated random pattern, and its opposite"
DEFAULT_N 1024
BUFFER 65600, 64
ARGUMENT length, 256, 1, 65536, 1
ROUND argument, 1
CLOBBERS rax, rbx, rdx, rdi, r10, r11
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 2
DECLARE_LOOP 0, 8, 1, 0
PREPARE
    lea r10, [rsi + r9]
    cmp [rsi + 65592], r9
    je .made
    mov [rsi + 65592], r9
    mov rbx, rsi
    mov rax, 0x9e3779b97f4a7c15
    mov rdx, 6364136223846793005
    mov r11, 1442695040888963407
.bit:
    imul rax, rdx
    add rax, r11
    sets [rbx]
    inc rbx
    cmp rbx, r10
    jb .bit
.made:
    mov rbx, rsi
    ret
ENTRY
.again:
    cmp byte [rbx], 0
    je .zero
.zero:
    jne .one
.one:
    inc rbx
    cmp rbx, r10
    cmove rbx, rsi
    dec rdi
    jnz .again
    ret
END_KERNEL
