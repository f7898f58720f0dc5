; SPDX-License-Identifier: BSD-2-Clause
;
; Nested calls and their returns. Returns are mispredicted when the depth exceeds the return stack
; buffer (16 to 32 entries on most cores).

FAMILY call_depth

; Argument: the depth.
%macro CALL_DEPTH 1
%defstr depth_text %1
%strcat depth_title "n times: ", depth_text, " nested calls, and their returns"
KERNEL call_depth_%1, depth_title
DEFAULT_N 100
COPIES %1
CLOBBERS rdi
DECLARE branches, exact, 0, 2 * %1 + 1
DECLARE taken_branches, exact, -1, 2 * %1 + 1
DECLARE_LOOP 0, 2 * %1 + 2, %1, %1
ENTRY
.again:
    call .functions
    dec rdi
    jnz .again
    ret
    align 16, int3
.functions:
%rep %1 - 1
    call $ + 16
    ret
    align 16, int3
%endrep
    ret
END_KERNEL
%endmacro

CALL_DEPTH 1
CALL_DEPTH 4
CALL_DEPTH 8
CALL_DEPTH 12
CALL_DEPTH 16
CALL_DEPTH 20
CALL_DEPTH 24
CALL_DEPTH 32
CALL_DEPTH 48
CALL_DEPTH 64
