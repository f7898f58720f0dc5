; SPDX-License-Identifier: BSD-2-Clause
;
; Branches, calls and returns. A conditional branch inside a loop goes to the next instruction, so
; the same instructions retire whether it is taken or not.

FAMILY branches

; Each unit of n is two iterations, and the branch is taken in one of the two, so counts are linear
; in n.
KERNEL branch_alternating, "2n times a branch that is taken every second time"
KNOWN
DEFAULT_N 1000
COPIES 2
CLOBBERS rbx, rdi
DECLARE branches, exact, 0, 4
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 8
DECLARE conditional_branches, exact, 0, 4
DECLARE conditional_taken, exact, -1, 3
DECLARE not_taken, exact, 1, 1
DECLARE forward_taken, exact, 0, 1
NO_OTHERS
PREPARE
    add rdi, rdi
    xor ebx, ebx
    ret
ENTRY
.again:
    xor ebx, 1
    jz .either
.either:
    dec rdi
    jnz .again
    ret
END_KERNEL

; JS depends on the sign bit of Knuth's MMIX generator, so about half of the n JS instructions are
; mispredicted. JNS has the opposite condition, so predictors can infer its outcome. `prepare` gives
; each run another seed, a multiple of 2^64 / golden ratio, so that predictors cannot learn the
; outcomes.
KERNEL branch_random, "n times a branch on a random bit, and its opposite"
KNOWN
DEFAULT_N 1000
BUFFER 64, 64
CLOBBERS rbx, rdi, r10, r11
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 2
DECLARE_LOOP 0, 6
PREPARE
    mov r10, 0x9e3779b97f4a7c15
    add [rsi], r10
    mov rbx, [rsi]
    mov r10, 6364136223846793005
    mov r11, 1442695040888963407
    ret
ENTRY
.again:
    imul rbx, r10
    add rbx, r11
    js .negative
.negative:
    jns .positive
.positive:
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL call_ret, "n near calls of a function that only returns"
KNOWN
DEFAULT_N 1000
CLOBBERS rdi
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 4, 1, 1
DECLARE near_calls, exact, 0, 1
DECLARE near_returns, exact, 0, 1
DECLARE direct_calls, exact, 0, 1
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    call .leaf
    dec rdi
    jnz .again
    ret
.leaf:
    ret
END_KERNEL
