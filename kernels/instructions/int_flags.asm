; SPDX-License-Identifier: BSD-2-Clause
;
; Conditional moves, and flags in registers.

FAMILY int_flags

ROWS int
BOTH cmovz_r64, "cmovz r64, r64", {cmovz D64, S64}
BOTH cmovnc_r64, "cmovnc r64, r64", {cmovnc D64, S64}
BOTH cmovbe_r64, "cmovbe r64, r64: two flags", {cmovbe D64, S64}
THROUGHPUT setz_r8, "setz r8", {setz D8}
THROUGHPUT setbe_r8, "setbe r8: two flags", {setbe D8}
LATENCY cmc, "cmc", {cmc}
THROUGHPUT clc, "clc", {clc}
THROUGHPUT stc, "stc", {stc}
LATENCY cmp_sbb, "cmp and sbb: a mask from a comparison", \
    {PAIR {cmp r10, rbx}, {sbb r10, r10}}, 0, 0, 2
LATENCY test_setz, "test and setz: a flag to a register", \
    {PAIR {test r10, r10}, {setz r10b}}, 0, 0, 2
