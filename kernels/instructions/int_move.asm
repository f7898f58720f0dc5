; SPDX-License-Identifier: BSD-2-Clause
;
; Moves, extensions, exchanges and address computations.

FAMILY int_move

ROWS int
; There are no chains of MOV, because many cores eliminate a MOV between registers at rename.
THROUGHPUT mov_r64, "mov r64, r64", {mov D64, S64}
THROUGHPUT mov_r32, "mov r32, r32", {mov D32, S32}
THROUGHPUT mov_r64_i64, "mov r64, imm64", {mov D64, 0x123456789abcdef0}
THROUGHPUT mov_r32_i32, "mov r32, imm32", {mov D32, 0x12345678}
BOTH movzx_r32_r8, "movzx r32, r8", {movzx D32, D8}
BOTH movsx_r64_r8, "movsx r64, r8", {movsx D64, D8}
BOTH movsxd_r64_r32, "movsxd r64, r32", {movsxd D64, D32}
BOTH bswap_r64, "bswap r64", {bswap D64}
BOTH xchg_r64, "xchg r64, r64", {xchg D64, S64}
BOTH lea_b_d, "lea r64, [base + disp]", {lea D64, [D64 + 8]}
BOTH lea_b_i_d, "lea r64, [base + index + disp]", {lea D64, [D64 + S64 + 8]}
BOTH lea_i8_d, "lea r64, [index * 8 + disp]", {lea D64, [D64 * 8 + 8]}
THROUGHPUT lea_rip, "lea r64, [rip + disp]", {lea D64, [rel .again]}
