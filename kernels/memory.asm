; SPDX-License-Identifier: BSD-2-Clause
;
; Loads and stores in ascending order. RBX is the current address. R10 is the buffer's end, rounded
; down to a multiple of the step. When RBX reaches the end, cmove sets RBX back to the buffer's
; start without a branch.

FAMILY memory

KERNEL load, "n sequential loads of 4 bytes"
KNOWN
DEFAULT_N 1000
BUFFER 4000, 64
ROUND buffer, 4
CLOBBERS rax, rbx, rdi, r8, r10
DECLARE_LOOP 0, 1 + WALK_NEXT_INSTRUCTIONS, 1, 0
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
PREPARE
    WALK_PREPARE 4
ENTRY
.again:
    mov [rbx], edi
    WALK_NEXT 4, rsi
    ret
END_KERNEL

; The add to memory is both a load and a store. The separate load makes the number of loads differ
; from the number of stores, so that a swap of the two events would be noticed.
KERNEL load_store, "n times: a load, and an add to memory"
KNOWN
DEFAULT_N 1000
BUFFER 8000, 64
ROUND buffer, 8
CLOBBERS rax, rbx, rdi, r8, r10
DECLARE_LOOP 0, 2 + WALK_NEXT_INSTRUCTIONS, 2, 1
PREPARE
    WALK_PREPARE 8
ENTRY
.again:
    mov eax, [rbx]
    add [rbx + 4], edi
    WALK_NEXT 8, rsi
    ret
END_KERNEL
