; SPDX-License-Identifier: BSD-2-Clause
;
; Carry-less multiplication.

FAMILY crypto_clmul

ROWS xmm
ROWS_NEED pclmulqdq
BOTH pclmulqdq_00, "pclmulqdq xmm, xmm, 0", {pclmulqdq DV, SV, 0x00}
BOTH pclmulqdq_11, "pclmulqdq xmm, xmm, 11h", {pclmulqdq DV, SV, 0x11}
