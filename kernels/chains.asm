; SPDX-License-Identifier: BSD-2-Clause
;
; Chains in which each instruction depends on the one before. The chains measure latency, not
; throughput. The loop's own dec and jnz do not depend on the chain and run in parallel.

FAMILY chains

; Used after DEFAULT_N. Arguments: the number of copies of an instruction on RBX and R10, and its
; name. frequency.asm uses this macro for long runs.
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

; Adds a register, because some recent cores eliminate adds of immediates at rename.
KERNEL add_chain, "n times: 16 dependent register adds"
KNOWN
DEFAULT_N 1000
CHAIN 16, add

KERNEL imul_chain, "n times: 8 dependent 64-bit multiplications"
KNOWN
DEFAULT_N 1000
CHAIN 8, imul
