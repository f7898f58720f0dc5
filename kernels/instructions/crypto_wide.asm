; SPDX-License-Identifier: BSD-2-Clause
;
; AES and carry-less multiplication in YMM and ZMM registers.

FAMILY crypto_wide

ROWS ymm
ROWS_NEED vaes
BOTH vaesenc_ymm, "vaesenc ymm, ymm, ymm", {vaesenc DV, DV, SV}
BOTH vaesdec_ymm, "vaesdec ymm, ymm, ymm", {vaesdec DV, DV, SV}

ROWS ymm
ROWS_NEED vpclmulqdq
BOTH vpclmulqdq_ymm, "vpclmulqdq ymm, ymm, ymm, 0", {vpclmulqdq DV, DV, SV, 0}

ROWS zmm
ROWS_NEED vaes
BOTH vaesenc_zmm, "vaesenc zmm, zmm, zmm", {vaesenc DV, DV, SV}

ROWS zmm
ROWS_NEED vpclmulqdq
BOTH vpclmulqdq_zmm, "vpclmulqdq zmm, zmm, zmm, 0", {vpclmulqdq DV, DV, SV, 0}
