; SPDX-License-Identifier: BSD-2-Clause
;
; Integer multiplication.

FAMILY int_multiply

ROWS int
BOTH imul_r64, "imul r64, r64", {imul D64, S64}
BOTH imul_r32, "imul r32, r32", {imul D32, S32}
BOTH imul_r64_i32, "imul r64, r64, imm32", {imul D64, D64, 0x12345}

ROWS int
ROWS_BEFORE ONCE mov eax, 7
LATENCY mul_r64, "mul r64: rdx:rax from rax", {mul S64}
LATENCY imul_1_r64, "imul r64: rdx:rax from rax", {imul S64}
LATENCY mul_r32, "mul r32: edx:eax from eax", {mul S32}

ROWS int
ROWS_NEED bmi2
BOTH mulx_r64, "mulx r64, r64, r64", {mulx D64, rax, D64}
