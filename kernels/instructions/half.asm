; SPDX-License-Identifier: BSD-2-Clause
;
; Half precision: there and back.

FAMILY half

%macro HALF_BACK_XMM 0
    vcvtps2ph DX, DX, 0
    vcvtph2ps DX, DX
%endmacro
%macro HALF_BACK_YMM 0
    vcvtps2ph DX, DY, 0
    vcvtph2ps DY, DX
%endmacro

ROWS vxmm, ps
ROWS_NEED f16c
BOTH vcvtps2ph_back_xmm, "vcvtps2ph and vcvtph2ps, xmm", {HALF_BACK_XMM}, 0, 0, 2

ROWS ymm, ps
ROWS_NEED f16c
BOTH vcvtps2ph_back_ymm, "vcvtps2ph and vcvtph2ps, ymm", {HALF_BACK_YMM}, 0, 0, 2
