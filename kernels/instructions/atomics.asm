; SPDX-License-Identifier: BSD-2-Clause
;
; Atomic instructions, some of them also without LOCK, on lines that only this CPU uses.

FAMILY atomics

%macro COMPARED_IN_RDX_RAX 0
    ONCE xor eax, eax
    ONCE xor edx, edx
    ONCE xor ecx, ecx
%endmacro

; XCHG with a memory operand is always locked.
ROWS int
ROWS_BUFFER 4096, 64
BOTH lock_add_m64, "lock add [mem], r64", {lock add [MEM], S64}, 1, 1
BOTH lock_inc_m64, "lock inc qword [mem]", {lock inc qword [MEM]}, 1, 1
BOTH lock_or_m32, "lock or [mem], r32", {lock or [MEM], S32}, 1, 1
BOTH lock_bts_m64, "lock bts qword [mem], 5", {lock bts qword [MEM], 5}, 1, 1
BOTH lock_xadd_m64, "lock xadd [mem], r64", {lock xadd [MEM], D64}, 1, 1
BOTH xadd_m64, "xadd [mem], r64, not locked", {xadd [MEM], D64}, 1, 1
BOTH xchg_m64, "xchg [mem], r64", {xchg [MEM], D64}, 1, 1

; Each comparison succeeds and stores 0, so the number of stores is known. After a failed
; comparison, a store may or may not retire.
%macro NOTHING_TO_STORE 0
    xor r10d, r10d
    xor ebx, ebx
    mov qword [rsi], 0
%endmacro
ROWS int
ROWS_BUFFER 4096, 64
ROWS_PREPARE NOTHING_TO_STORE
ROWS_BEFORE ONCE xor eax, eax
LATENCY lock_cmpxchg_m64, "lock cmpxchg [mem], r64", {lock cmpxchg [MEM], r10}, 1, 1
LATENCY cmpxchg_m64, "cmpxchg [mem], r64, not locked", {cmpxchg [MEM], r10}, 1, 1

ROWS int
ROWS_BUFFER 4096, 64
ROWS_PREPARE NOTHING_TO_STORE
ROWS_BEFORE COMPARED_IN_RDX_RAX
LATENCY lock_cmpxchg8b, "lock cmpxchg8b [mem]", {lock cmpxchg8b [MEM]}, 1, 1

ROWS_REASON "microcode: how often it loads and stores differs from core to core"
ROWS_NEED cx16
LATENCY lock_cmpxchg16b, "lock cmpxchg16b [mem]", {lock cmpxchg16b [MEM]}, ?, ?
