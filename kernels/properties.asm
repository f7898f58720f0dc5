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
