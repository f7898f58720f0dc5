; SPDX-License-Identifier: BSD-2-Clause
;
; Integer division.

FAMILY int_divide

; The dividend of a chain is the previous remainder (high half) and quotient (low half). The
; remainder is below the divisor, so the next quotient fits.
%macro DIVIDEND 0
    ONCE mov eax, 0x12345678
    ONCE mov edx, 7
%endmacro

ROWS int
ROWS_PREPARE mov r10, 0x8000000000000001
ROWS_BEFORE DIVIDEND
LATENCY div_r64, "div r64 of a 128-bit dividend", {div r10}

ROWS int
ROWS_PREPARE mov r10d, 0x80000001
ROWS_BEFORE DIVIDEND
LATENCY div_r32, "div r32 of a 64-bit dividend", {div r10d}

; The dividend is small, because a signed quotient must fit.
%macro DIVIDE_BY_3 1
    mov eax, r10d
    xor edx, edx
    %1
%endmacro

ROWS int
THROUGHPUT div_r64_small, "div r64 of a small number, with mov and xor", {DIVIDE_BY_3 {div rbx}}, \
    0, 0, 3
THROUGHPUT idiv_r64_small, "idiv r64 of a small number, with mov and xor", \
    {DIVIDE_BY_3 {idiv rbx}}, 0, 0, 3
THROUGHPUT div_r32_small, "div r32 of a small number, with mov and xor", {DIVIDE_BY_3 {div ebx}}, \
    0, 0, 3
THROUGHPUT idiv_r32_small, "idiv r32 of a small number, with mov and xor", \
    {DIVIDE_BY_3 {idiv ebx}}, 0, 0, 3

; A chain of signed divisions divides by -1.
ROWS int
ROWS_PREPARE mov rbx, -1
ROWS_BEFORE ONCE mov eax, 0x12345678
LATENCY idiv_r64, "idiv r64 by -1, with cqo", {PAIR cqo, {idiv rbx}}, 0, 0, 2
LATENCY idiv_r32, "idiv r32 by -1, with cdq", {PAIR cdq, {idiv ebx}}, 0, 0, 2
