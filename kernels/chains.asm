; SPDX-License-Identifier: BSD-2-Clause
;
; Chains of dependent instructions, which measure latency.

FAMILY chains

; Used after DEFAULT_N. Arguments: number of copies, the instruction, which is applied to RBX and
; R10.
%macro CHAIN 2
COPIES %1
CLOBBERS rbx, rdi, r10
DECLARE_LOOP 0, %1 + 2
PREPARE
    mov ebx, 1
    mov r10d, 3
    ret
ENTRY
.again:
    times %1 %2 rbx, r10
    dec rdi
    jnz .again
    ret
END_KERNEL
%endmacro

; The operand is a register, because some cores eliminate adds of immediates at rename.
KERNEL add_chain, "n times: 16 dependent register adds"
KNOWN
DEFAULT_N 1000
CHAIN 16, add

KERNEL imul_chain, "n times: 8 dependent 64-bit multiplications"
KNOWN
DEFAULT_N 1000
CHAIN 8, imul
