; SPDX-License-Identifier: BSD-2-Clause
;
; Dot products of bytes and words.

FAMILY vnni

ROWS zmm
ROWS_NEED avx512_vnni
BOTH vpdpbusd_zmm, "vpdpbusd zmm, zmm, zmm", {vpdpbusd DV, SV, OV}
BOTH vpdpbusds_zmm, "vpdpbusds zmm, zmm, zmm", {vpdpbusds DV, SV, OV}
BOTH vpdpwssd_zmm, "vpdpwssd zmm, zmm, zmm", {vpdpwssd DV, SV, OV}

ROWS ymm
ROWS_NEED avx512f, avx512vl, avx512_vnni
BOTH vpdpbusd_evex_ymm, "vpdpbusd ymm, ymm, ymm, EVEX", {vpdpbusd DV, SV, OV}

; NASM 2.16.01 supports only the EVEX forms, so this macro encodes VEX.256.66.0F38.W0 %1 /r. The
; sources are ymm15 and ymm13; the destination is DV of instruction.inc.
%macro VEX_DOT 1
    db 0xc4, 0x42 | (row_number % 12 < 8) << 7, 0x05, %1, 0xc5 | (row_number % 12 & 7) << 3
%endmacro

ROWS ymm
ROWS_NEED avx_vnni
BOTH vpdpbusd_vex_ymm, "vpdpbusd ymm, ymm, ymm, VEX", {VEX_DOT 0x50}
BOTH vpdpwssd_vex_ymm, "vpdpwssd ymm, ymm, ymm, VEX", {VEX_DOT 0x52}
