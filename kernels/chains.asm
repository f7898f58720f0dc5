; SPDX-License-Identifier: BSD-2-Clause
;
; Chains in which each instruction waits for the one before: latency, not throughput. The loop's own
; dec and jnz do not depend on the chain and run beside it.

FAMILY chains

; Adds a register, not an immediate: recent cores take immediate adds out at rename.
KERNEL add_chain, "n times: 16 dependent register adds"
KNOWN
DEFAULT_N 1000
CLOBBERS rbx, rdi, r10
DECLARE_LOOP 0, 18
PREPARE
    mov ebx, 1
    mov r10d, 3
    ret
ENTRY
.again:
    times 16 add rbx, r10
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL imul_chain, "n times: 8 dependent 64-bit multiplications"
KNOWN
DEFAULT_N 1000
CLOBBERS rbx, rdi, r10
DECLARE_LOOP 0, 10
PREPARE
    mov ebx, 1
    mov r10d, 3
    ret
ENTRY
.again:
    times 8 imul rbx, r10
    dec rdi
    jnz .again
    ret
END_KERNEL
