; SPDX-License-Identifier: BSD-2-Clause
;
; Small counted loops. The branch is not taken in the last iteration.

FAMILY loops

KERNEL loop_dec_jnz, "n times: dec, jnz"
KNOWN
DEFAULT_N 1000
CLOBBERS rdi
DECLARE_LOOP 0, 2
DECLARE_BRANCH_OF_LOOP
ENTRY
.again:
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL guide_loop_4, "n times: add, inc, cmp, jb"
KNOWN
DEFAULT_N 1000
CLOBBERS rbx, r10
DECLARE_LOOP 0, 4
PREPARE
    xor ebx, ebx
    xor r10d, r10d
    ret
ENTRY
.again:
    add rbx, r10
    inc r10
    cmp r10, rdi
    jb .again
    ret
END_KERNEL

; Like a volatile counter in C.
KERNEL guide_loop_6, "n times: a counter in memory, incremented and compared"
KNOWN
DEFAULT_N 1000
BUFFER 64, 64
CLOBBERS rax
DECLARE_LOOP 0, 6, 2, 1
PREPARE
    mov qword [rsi], 0
    ret
ENTRY
.again:
    mov rax, [rsi]
    add rax, 1
    mov [rsi], rax
    mov rax, [rsi]
    cmp rax, rdi
    jb .again
    ret
END_KERNEL
