; SPDX-License-Identifier: GPL-2.0-or-later
; Loops whose instructions and branches in ring 3 are known, for perf on the model machine's Linux.
;   linux_loop N, linux_calls N    N: eight decimal digits, 00000001 to 99999999
; N always has eight digits, so that every N takes the same number of instructions to read. Nothing
; runs in ring 3 before _start, because a static program needs no loader. linux_calls, built with
; -D CALLS, enters the kernel in each iteration. The instructions of the kernel must not be counted
; in ring 3.
;
; The counts are the sums of the numbers in the comments at the right. tests/machine/test_linux.py
; reads the next two lines.
; linux_loop: instructions 55 + 5n, branches 9 + 2n
; linux_calls: instructions 55 + 7n, branches 9 + 3n
;
; These branches are what event C4H with unit mask 00H counts on the model machine. They include
; SYSCALL.

bits 64
default rel
section .text
global _start

_start:
    mov rsi, [rsp + 16]             ; argv[1]           3 instructions
    xor edi, edi
    mov ecx, 8
.digit:                             ; 8 times           6 instructions, 1 branch
    movzx eax, byte [rsi]
    lea edi, [rdi + rdi * 4]
    lea edi, [rax + rdi * 2 - '0']
    inc rsi
    dec ecx
    jnz .digit
    mov ebx, edi                    ;                   1 instruction

.iteration:                         ; n times           5 instructions, 2 branches
    lea eax, [rbx + 1]
    test al, 1
    jz .next                        ; taken in every other iteration; both ways lead to .next
.next:
%ifdef CALLS
    mov eax, 39                     ; getpid            2 instructions, 1 branch
    syscall
%endif
    dec ebx
    jnz .iteration

    xor edi, edi                    ;                   3 instructions, 1 branch
    mov eax, 60                     ; exit
    syscall                         ; does not return, but has retired
