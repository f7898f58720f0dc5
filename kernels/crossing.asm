; SPDX-License-Identifier: BSD-2-Clause
;
; Accesses at an offset into a page. An access crosses a line if the offset modulo 64 is above 64 -
; width, and a page if the offset is above 4096 - width.

FAMILY crossing

%define access_load_4   mov eax, [rbx]
%define access_load_8   mov rax, [rbx]
%define access_load_16  movdqu xmm0, [rbx]
%define access_load_32  vmovdqu ymm0, [rbx]
%define access_store_4  mov [rbx], eax
%define access_store_8  mov [rbx], rax
%define access_store_16 movdqu [rbx], xmm0
%define access_store_32 vmovdqu [rbx], ymm0

; Arguments: `load` or `store`; the numbers of bytes, loads and stores of one access.
%macro CROSSING 4
%defstr kind_text %1
%defstr width_text %2
%strcat crossing_title "4n times a ", kind_text, " of ", width_text, " bytes, by offset into a page"
KERNEL cross_%1_%2, crossing_title
DEFAULT_N 1000
COPIES 4
BUFFER 8192, 4096
ARGUMENT offset, 60, 0, 4095, 1
CLOBBERS rax, rbx, rdi
%assign upper %2 == 32 && %3
%if %2 == 32
    NEEDS avx
%endif
%if %2 >= 16
    CLOBBERS vectors
%endif
DECLARE_LOOP upper, 6, 4 * %3, 4 * %4
PREPARE
    lea rbx, [rsi + r9]
    ret
ENTRY
.again:
    %rep 4
    access_%1_%2
    %endrep
    dec rdi
    jnz .again
%if upper
    vzeroupper
%endif
    ret
END_KERNEL
%endmacro

CROSSING load, 4, 1, 0
CROSSING load, 8, 1, 0
CROSSING load, 16, 1, 0
CROSSING load, 32, 1, 0
CROSSING store, 4, 0, 1
CROSSING store, 8, 0, 1
CROSSING store, 16, 0, 1
CROSSING store, 32, 0, 1

; The 8 bytes at the offset contain their own address, so each load depends on the previous load.
KERNEL cross_chain, "4n dependent loads of 8 bytes at an offset into a page"
DEFAULT_N 1000
COPIES 4
BUFFER 8192, 4096
ARGUMENT offset, 60, 0, 4095, 1
CLOBBERS rbx, rdi
DECLARE_LOOP 0, 6, 4, 0
PREPARE
    lea rbx, [rsi + r9]
    mov [rbx], rbx
    ret
ENTRY
.again:
    times 4 mov rbx, [rbx]
    dec rdi
    jnz .again
    ret
END_KERNEL

KERNEL cross_forward, "n times: a store of 8 bytes at an offset into a page, and its load"
DEFAULT_N 1000
BUFFER 8192, 4096
ARGUMENT offset, 60, 0, 4095, 1
CLOBBERS rax, rbx, rdi
DECLARE_LOOP 0, 4, 1, 1
PREPARE
    lea rbx, [rsi + r9]
    ret
ENTRY
.again:
    mov [rbx], rax
    mov rax, [rbx]
    dec rdi
    jnz .again
    ret
END_KERNEL
