; SPDX-License-Identifier: BSD-2-Clause
;
; Shuffles of ZMM registers, within and across lanes.

FAMILY avx512_shuffle

ROWS zmm
THROUGHPUT vmovdqa64_zmm, "vmovdqa64 zmm, zmm", {vmovdqa64 DV, SV}
BOTH vpermd_zmm, "vpermd zmm, zmm, zmm", {vpermd DV, SV, DV}
BOTH vpermq_i8_zmm, "vpermq zmm, zmm, 1Bh", {vpermq DV, DV, 0x1b}
BOTH vpermi2d_zmm, "vpermi2d zmm, zmm, zmm", {vpermi2d DV, SV, OV}
BOTH vpermt2q_zmm, "vpermt2q zmm, zmm, zmm", {vpermt2q DV, SV, OV}
BOTH vshufps_zmm, "vshufps zmm, zmm, zmm, 1Bh", {vshufps DV, DV, SV, 0x1b}
BOTH vshufi32x4_zmm, "vshufi32x4 zmm, zmm, zmm, 1Bh", {vshufi32x4 DV, DV, SV, 0x1b}
BOTH valignd_zmm, "valignd zmm, zmm, zmm, 3", {valignd DV, DV, SV, 3}
BOTH vinserti64x4_zmm, "vinserti64x4 zmm, zmm, ymm, 1", {vinserti64x4 DV, DV, ymm15, 1}
BOTH vpbroadcastd_zmm, "vpbroadcastd zmm, xmm", {vpbroadcastd DV, DX}
BOTH vpmovqd_zmm, "vpmovqd ymm, zmm", {vpmovqd DY, DV}

ROWS_NEED avx512bw
BOTH vpshufb_zmm, "vpshufb zmm, zmm, zmm", {vpshufb DV, DV, SV}
BOTH vpermw_zmm, "vpermw zmm, zmm, zmm", {vpermw DV, SV, DV}

ROWS_NEED avx512_vbmi
BOTH vpermb_zmm, "vpermb zmm, zmm, zmm", {vpermb DV, SV, DV}
BOTH vpermi2b_zmm, "vpermi2b zmm, zmm, zmm", {vpermi2b DV, SV, OV}
