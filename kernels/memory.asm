; SPDX-License-Identifier: BSD-2-Clause
;
; Loads and stores in ascending order, again and again through the buffer.

FAMILY memory

KERNEL load, "n sequential loads of 4 bytes"
KNOWN
DEFAULT_N 1000
BUFFER 4000, 64
ROUND buffer, 4
CLOBBERS rax, rbx, rdi, r8, r10
DECLARE_LOOP 0, 1 + WALK_NEXT_INSTRUCTIONS, 1, 0
DECLARE_BRANCH_OF_LOOP
PREPARE
    WALK_PREPARE 4
ENTRY
.again:
    mov eax, [rbx]
    WALK_NEXT 4, rsi
    ret
END_KERNEL

KERNEL store, "n sequential stores of 4 bytes"
KNOWN
DEFAULT_N 1000
BUFFER 4000, 64
ROUND buffer, 4
CLOBBERS rbx, rdi, r8, r10
DECLARE_LOOP 0, 1 + WALK_NEXT_INSTRUCTIONS, 0, 1
DECLARE_BRANCH_OF_LOOP
PREPARE
    WALK_PREPARE 4
ENTRY
.again:
    mov [rbx], edi
    WALK_NEXT 4, rsi
    ret
END_KERNEL

; Loads and stores differ in number, so that a swap of the two events would be noticed.
KERNEL load_store, "n times: a load, and an add to memory"
KNOWN
DEFAULT_N 1000
BUFFER 8000, 64
ROUND buffer, 8
CLOBBERS rax, rbx, rdi, r8, r10
DECLARE_LOOP 0, 2 + WALK_NEXT_INSTRUCTIONS, 2, 1
DECLARE_BRANCH_OF_LOOP
PREPARE
    WALK_PREPARE 8
ENTRY
.again:
    mov eax, [rbx]
    add [rbx + 4], edi
    WALK_NEXT 8, rsi
    ret
END_KERNEL
