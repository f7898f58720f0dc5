; SPDX-License-Identifier: BSD-2-Clause
;
; Conversions to half precision and back.

FAMILY half

ROWS vxmm, ps
ROWS_NEED f16c
BOTH vcvtps2ph_back_xmm, "vcvtps2ph and vcvtph2ps, xmm", \
    {PAIR {vcvtps2ph DX, DX, 0}, {vcvtph2ps DX, DX}}, 0, 0, 2

ROWS ymm, ps
ROWS_NEED f16c
BOTH vcvtps2ph_back_ymm, "vcvtps2ph and vcvtph2ps, ymm", \
    {PAIR {vcvtps2ph DX, DY, 0}, {vcvtph2ps DY, DX}}, 0, 0, 2
