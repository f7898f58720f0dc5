; SPDX-License-Identifier: BSD-2-Clause
;
; A string instruction with a repeat prefix retires as a single instruction.

FAMILY strings

; Copies n bytes, at most half the buffer. The kernel itself sets RCX, because the window overwrites
; an RCX that `prepare` sets.
KERNEL rep_movsb, "rep movsb of n bytes, at most half the buffer"
KNOWN
DEFAULT_N 1024
BUFFER 2048, 64
CLOBBERS rcx, rsi, rdi, r8, r10
NOT_DECLARED loads, "cores differ in how many loads they count for one REP instruction"
NOT_DECLARED stores, "cores differ in how many stores they count for one REP instruction"
DECLARE_STRAIGHT 2
PREPARE
    shr r8, 1
    mov r10, rdi
    cmp r10, r8
    cmova r10, r8
    lea rdi, [rsi + r8]
    ret
ENTRY
    mov rcx, r10
    rep movsb
    ret
END_KERNEL
