; SPDX-License-Identifier: BSD-2-Clause
;
; The kernels differ only in the position of their 17-byte loop in a cache line. On cores whose
; microcode works around the JCC erratum, a branch is slow if it crosses or ends at a 32-byte
; boundary. Nops of 4 bytes move the loop to its position.

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
