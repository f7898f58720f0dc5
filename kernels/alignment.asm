; SPDX-License-Identifier: BSD-2-Clause
;
; 16 kernels that differ only in the position of their 17-byte loop in a cache line: the loop begins
; at byte 0, 4, 8 and so on. The times show the cost of a loop that spans two lines or two 32-byte
; blocks. The times also show the cost of a branch that crosses the end of a 32-byte block, which is
; slow on cores whose microcode works around an erratum. 4-byte nops before the loop move it to its
; position; these nops are executed only once.

FAMILY alignment

%macro ALIGNED 1
%defstr place_text %1
%strcat aligned_title "n times: a loop of 6 instructions, ", place_text, " bytes into a line"
KERNEL align_%1, aligned_title
DEFAULT_N 1000
CLOBBERS rbx, rdi, r10, r11, r12, r13
DECLARE_LOOP %1 / 4, 6
PREPARE
    mov r13d, 3
    ret
ENTRY
%rep %1 / 4
    db 0x0f, 0x1f, 0x40, 0x00
%endrep
.again:
    add rbx, r13
    add r10, r13
    add r11, r13
    add r12, r13
    dec rdi
    jnz .again
    ret
END_KERNEL
%endmacro

%assign place_in_line 0
%rep 16
    ALIGNED place_in_line
    %assign place_in_line place_in_line + 4
%endrep
