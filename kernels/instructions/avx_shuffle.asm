; SPDX-License-Identifier: BSD-2-Clause
;
; Shuffles of YMM registers, within and across lanes.

FAMILY avx_shuffle

ROWS ymm
THROUGHPUT vmovaps_ymm, "vmovaps ymm, ymm", {vmovaps DV, SV}
BOTH vshufps_ymm, "vshufps ymm, ymm, ymm, 1Bh", {vshufps DV, DV, SV, 0x1b}
BOTH vpermilps_i8_ymm, "vpermilps ymm, ymm, 1Bh", {vpermilps DV, DV, 0x1b}
BOTH vperm2f128_ymm, "vperm2f128 ymm, ymm, ymm, 1", {vperm2f128 DV, DV, SV, 1}
BOTH vblendvps_ymm, "vblendvps ymm, ymm, ymm, ymm", {vblendvps DV, DV, SV, OV}

ROWS_NEED avx2
BOTH vpshufb_ymm, "vpshufb ymm, ymm, ymm", {vpshufb DV, DV, SV}
BOTH vpshufd_ymm, "vpshufd ymm, ymm, 1Bh", {vpshufd DV, DV, 0x1b}
BOTH vpalignr_ymm, "vpalignr ymm, ymm, ymm, 3", {vpalignr DV, DV, SV, 3}
BOTH vpermd_ymm, "vpermd ymm, ymm, ymm", {vpermd DV, SV, DV}
BOTH vpermq_ymm, "vpermq ymm, ymm, 1Bh", {vpermq DV, DV, 0x1b}
BOTH vperm2i128_ymm, "vperm2i128 ymm, ymm, ymm, 1", {vperm2i128 DV, DV, SV, 1}
BOTH vpblendd_ymm, "vpblendd ymm, ymm, ymm, 55h", {vpblendd DV, DV, SV, 0x55}
BOTH vpbroadcastd_ymm, "vpbroadcastd ymm, xmm", {vpbroadcastd DY, DX}
BOTH vpmovzxbw_ymm, "vpmovzxbw ymm, xmm", {vpmovzxbw DY, DX}
LATENCY vextract_vinsert_i128, "vextracti128 and vinserti128", \
    {PAIR {vextracti128 DX, DY, 1}, {vinserti128 DY, DY, DX, 1}}, 0, 0, 2
