; SPDX-License-Identifier: BSD-2-Clause
;
; Division.

FAMILY int_divide

; Unsigned chains divide remainder:quotient of the one before by 2^63 + 1 or 2^31 + 1: a remainder
; is less than the divisor, so that the next quotient fits always.
%macro DIVISOR_IN_R10 0
    mov r10, 0x8000000000000001
%endmacro
%macro DIVISOR_IN_R10D 0
    mov r10d, 0x80000001
%endmacro
%macro DIVIDEND 0
    ONCE mov eax, 0x12345678
    ONCE mov edx, 7
%endmacro

ROWS int
ROWS_AROUND DIVISOR_IN_R10, DIVIDEND, -
LATENCY div_r64, "div r64 of a 128-bit dividend", {div r10}

ROWS int
ROWS_AROUND DIVISOR_IN_R10D, DIVIDEND, -
LATENCY div_r32, "div r32 of a 64-bit dividend", {div r10d}

; Signed quotients must stay small: each divides by 3 what does not depend on the one before.
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

; A chain of signed ones: by -1 and back.
%macro DIVISOR_MINUS_1 0
    mov rbx, -1
%endmacro
%macro SIGNED_DIVIDEND 0
    ONCE mov eax, 0x12345678
%endmacro
%macro DIVIDE_SIGNED 2
    %1
    idiv %2
%endmacro

ROWS int
ROWS_AROUND DIVISOR_MINUS_1, SIGNED_DIVIDEND, -
LATENCY idiv_r64, "idiv r64 by -1, with cqo", {DIVIDE_SIGNED cqo, rbx}, 0, 0, 2
LATENCY idiv_r32, "idiv r32 by -1, with cdq", {DIVIDE_SIGNED cdq, ebx}, 0, 0, 2
