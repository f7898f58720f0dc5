; SPDX-License-Identifier: BSD-2-Clause
;
; AES rounds.

FAMILY crypto_aes

ROWS xmm
ROWS_NEED aes
BOTH aesenc, "aesenc xmm, xmm", {aesenc DV, SV}
BOTH aesenclast, "aesenclast xmm, xmm", {aesenclast DV, SV}
BOTH aesdec, "aesdec xmm, xmm", {aesdec DV, SV}
BOTH aesdeclast, "aesdeclast xmm, xmm", {aesdeclast DV, SV}
BOTH aesimc, "aesimc xmm, xmm", {aesimc DV, DV}
BOTH aeskeygenassist, "aeskeygenassist xmm, xmm, 1", {aeskeygenassist DV, DV, 1}

ROWS vxmm
ROWS_NEED aes
BOTH vaesenc_xmm, "vaesenc xmm, xmm, xmm", {vaesenc DV, DV, SV}
