; SPDX-License-Identifier: BSD-2-Clause
;
; Branches: one that predictors learn at once, one that they cannot learn, calls and returns. Except
; at the end of a loop, each conditional branch goes to the very next instruction, so that the same
; instructions retire whether the branch is taken or not.

FAMILY branches

; Each n is two iterations of the loop, so `prepare` doubles RDI. The branch is taken in one
; iteration and not in the other, so that counts are linear in n even for odd n.
KERNEL branch_alternating, "2n times a branch that is taken every second time"
KNOWN
DEFAULT_N 1000
COPIES 2
CLOBBERS rbx, rdi
DECLARE branches, exact, 0, 4
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 8
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

; js depends on the sign bit of a linear congruential generator. jns has the opposite condition, so
; that exactly one of the two is taken and every count is exact. About half of the n executions of
; js are mispredicted. Predictors learn that jns does the opposite of the js before it.
;
; The first 8 bytes of the buffer are the seed of a run. prepare changes the seed for each run,
; outside the window. No two runs branch alike; otherwise a predictor, which can remember thousands
; of outcomes, would learn the outcomes. The sequence of seeds is the same on every CPU and after
; every boot. Multiplier and increment are those of Knuth's MMIX generator. The seeds are the
; multiples of 2^64 / golden ratio, modulo 2^64.
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

; A call stores its return address and a return loads it.
KERNEL call_ret, "n near calls of a function that only returns"
KNOWN
DEFAULT_N 1000
CLOBBERS rdi
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 3
DECLARE_LOOP 0, 4, 1, 1
ENTRY
.again:
    call .leaf
    dec rdi
    jnz .again
    ret
.leaf:
    ret
END_KERNEL
