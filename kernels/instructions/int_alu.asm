; SPDX-License-Identifier: BSD-2-Clause
;
; Addition, subtraction and bitwise operations.

FAMILY int_alu

ROWS int
BOTH add_r64, "add r64, r64", {add D64, S64}
BOTH add_r32, "add r32, r32", {add D32, S32}
BOTH add_r8, "add r8, r8", {add D8, S8}
BOTH add_r64_i8, "add r64, 1: recent cores do it at rename", {add D64, 1}
BOTH sub_r64, "sub r64, r64", {sub D64, S64}
BOTH and_r64, "and r64, r64", {and D64, S64}
BOTH xor_r64, "xor r64, r64", {xor D64, S64}
BOTH inc_r64, "inc r64", {inc D64}
BOTH neg_r64, "neg r64", {neg D64}
BOTH not_r64, "not r64", {not D64}
THROUGHPUT xor_same_r32, "xor of a register with itself", {xor D32, D32}
THROUGHPUT cmp_r64, "cmp r64, r64", {cmp D64, S64}
THROUGHPUT test_r64, "test r64, r64", {test D64, S64}
