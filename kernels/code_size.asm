; SPDX-License-Identifier: BSD-2-Clause
;
; Instructions per cycle drop when the code exceeds the micro-op cache, and again when it exceeds
; the first-level instruction cache. 8-byte nops keep the fetch unit busier than the decoders.

FAMILY code_size

%define nop_of_4 db 0x0f, 0x1f, 0x40, 0x00                              ; nop [rax + disp8]
%define nop_of_8 db 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00      ; nop [rax + rax + disp32]

%macro CODE_SIZE 2
%defstr nop_text %1
%defstr kib_text %2
%strcat code_title "n rounds through ", kib_text, " KiB of nops of ", nop_text, " bytes"
KERNEL code_nop%1_%2k, code_title
DEFAULT_N 10
CLOBBERS rdi
DECLARE_LOOP 0, %2 * 1024 / %1 + 2
ENTRY
.again:
%rep %2 * 1024 / %1
    nop_of_%1
%endrep
    dec rdi
    jnz .again
    ret
END_KERNEL
%endmacro

%macro CODE_SIZES 1
    CODE_SIZE %1, 1
    CODE_SIZE %1, 2
    CODE_SIZE %1, 4
    CODE_SIZE %1, 8
    CODE_SIZE %1, 16
    CODE_SIZE %1, 32
    CODE_SIZE %1, 64
%endmacro

CODE_SIZES 4
CODE_SIZES 8
