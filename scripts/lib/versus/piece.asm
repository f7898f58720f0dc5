; SPDX-License-Identifier: BSD-2-Clause
; A program that executes a piece of SIZE instructions (nasm -D SIZE=10) and four instructions
; around it. With -D EMPTY, the program executes only these four.

bits 64
section .text
global _start

_start:
    mov edi, SIZE / 2
%ifndef EMPTY
%if SIZE == 1
    nop
%else
.again:
    dec rdi
    jnz .again
%endif
%endif
    xor edi, edi
    mov eax, 60
    syscall
