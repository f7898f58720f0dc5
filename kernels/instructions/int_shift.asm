; SPDX-License-Identifier: BSD-2-Clause
;
; Shifts and rotations. A count in CL is 1.

FAMILY int_shift

ROWS int
BOTH shl_r64_i8, "shl r64, 3", {shl D64, 3}
BOTH sar_r64_i8, "sar r64, 3", {sar D64, 3}
BOTH rol_r64_i8, "rol r64, 3", {rol D64, 3}
BOTH rcl_r64_1, "rcl r64, 1: through the carry", {rcl D64, 1}
BOTH shld_r64_i8, "shld r64, r64, 3", {shld D64, S64, 3}

ROWS int
ROWS_BEFORE ONCE mov ecx, 1
BOTH shl_r64_cl, "shl r64, cl", {shl D64, cl}
BOTH sar_r64_cl, "sar r64, cl", {sar D64, cl}
BOTH rol_r64_cl, "rol r64, cl", {rol D64, cl}

ROWS int
ROWS_NEED bmi2
BOTH shlx_r64, "shlx r64, r64, r64", {shlx D64, D64, S64}
BOTH sarx_r64, "sarx r64, r64, r64", {sarx D64, D64, S64}
BOTH rorx_r64, "rorx r64, r64, 3", {rorx D64, D64, 3}
