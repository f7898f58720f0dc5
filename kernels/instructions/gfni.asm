; SPDX-License-Identifier: BSD-2-Clause
;
; Galois-field arithmetic on bytes.

FAMILY gfni

ROWS xmm
ROWS_NEED gfni
BOTH gf2p8mulb, "gf2p8mulb xmm, xmm", {gf2p8mulb DV, SV}
BOTH gf2p8affineqb, "gf2p8affineqb xmm, xmm, 1", {gf2p8affineqb DV, SV, 1}
BOTH gf2p8affineinvqb, "gf2p8affineinvqb xmm, xmm, 1", {gf2p8affineinvqb DV, SV, 1}

ROWS ymm
ROWS_NEED gfni
BOTH vgf2p8mulb_ymm, "vgf2p8mulb ymm, ymm, ymm", {vgf2p8mulb DV, DV, SV}
BOTH vgf2p8affineqb_ymm, "vgf2p8affineqb ymm, ymm, ymm, 1", {vgf2p8affineqb DV, DV, SV, 1}

ROWS zmm
ROWS_NEED gfni
BOTH vgf2p8mulb_zmm, "vgf2p8mulb zmm, zmm, zmm", {vgf2p8mulb DV, DV, SV}
