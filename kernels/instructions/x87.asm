; SPDX-License-Identifier: BSD-2-Clause
;
; The x87 unit. In the first group of rows ST0 is 1 and ST1 is 0; in the second both are 1.

FAMILY x87

ROWS x87
ROWS_BEFORE PAIR {ONCE fldz}, {ONCE fld1}
ROWS_AFTER PAIR {ONCE fstp st0}, {ONCE fstp st0}
LATENCY fadd, "fadd st0, st1", {fadd st0, st1}
LATENCY fsub, "fsub st0, st1", {fsub st0, st1}
LATENCY fabs, "fabs", {fabs}
LATENCY fchs, "fchs", {fchs}
LATENCY fxch, "fxch", {fxch}
LATENCY frndint, "frndint", {frndint}
THROUGHPUT fcomi, "fcomi st0, st1", {fcomi st0, st1}
THROUGHPUT fnop, "fnop", {fnop}

ROWS x87
ROWS_BEFORE PAIR {ONCE fld1}, {ONCE fld1}
ROWS_AFTER PAIR {ONCE fstp st0}, {ONCE fstp st0}
LATENCY fmul, "fmul st0, st1", {fmul st0, st1}
LATENCY fdiv, "fdiv st0, st1 of ones", {fdiv st0, st1}
LATENCY fsqrt, "fsqrt of 1", {fsqrt}

ROWS x87
ROWS_BUFFER 4096, 64
THROUGHPUT fld1, "fld1 and fstp st0", {PAIR fld1, {fstp st0}}, 0, 0, 2
THROUGHPUT fld_m64, "fld qword [mem] and fstp st0", {PAIR {fld qword [MEM]}, {fstp st0}}, 1, 0, 2
