; SPDX-License-Identifier: BSD-2-Clause
; A program that executes a piece of SIZE instructions (nasm -D SIZE=10), and four instructions
; around it. The program without a piece (-D EMPTY) executes only these four.
; scripts/lib/versus/work.py declares the counts of each piece.

bits 64
section .text
global _start

_start:
    mov edi, SIZE / 2
%ifndef EMPTY
%if SIZE == 1
    nop
%else
.again:                             ; SIZE / 2 times    2 instructions, 1 branch
    dec rdi
    jnz .again
%endif
%endif
    xor edi, edi
    mov eax, 60                     ; exit
    syscall
