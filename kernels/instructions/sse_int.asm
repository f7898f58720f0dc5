; SPDX-License-Identifier: BSD-2-Clause
;
; Integers in XMM registers, legacy encodings.

FAMILY sse_int

ROWS xmm
BOTH paddd, "paddd xmm, xmm", {paddd DV, SV}
BOTH paddq, "paddq xmm, xmm", {paddq DV, SV}
BOTH pmullw, "pmullw xmm, xmm", {pmullw DV, SV}
BOTH pmuludq, "pmuludq xmm, xmm", {pmuludq DV, SV}
BOTH pmaddwd, "pmaddwd xmm, xmm", {pmaddwd DV, SV}
BOTH pand, "pand xmm, xmm", {pand DV, SV}
BOTH pxor, "pxor xmm, xmm", {pxor DV, SV}
BOTH pcmpeqd, "pcmpeqd xmm, xmm", {pcmpeqd DV, SV}
BOTH pcmpgtd, "pcmpgtd xmm, xmm", {pcmpgtd DV, SV}
BOTH pminub, "pminub xmm, xmm", {pminub DV, SV}
BOTH pavgb, "pavgb xmm, xmm", {pavgb DV, SV}
BOTH psadbw, "psadbw xmm, xmm", {psadbw DV, SV}
BOTH pslld_i8, "pslld xmm, 3", {pslld DV, 3}
BOTH psrad_xmm, "psrad xmm, xmm", {psrad DV, ZV}

ROWS_NEED ssse3
BOTH pabsd, "pabsd xmm, xmm", {pabsd DV, DV}
BOTH phaddd, "phaddd xmm, xmm", {phaddd DV, SV}
BOTH pmulhrsw, "pmulhrsw xmm, xmm", {pmulhrsw DV, SV}
BOTH pmaddubsw, "pmaddubsw xmm, xmm", {pmaddubsw DV, SV}

ROWS_NEED sse4_1
BOTH pmulld, "pmulld xmm, xmm", {pmulld DV, SV}
BOTH pminsd, "pminsd xmm, xmm", {pminsd DV, SV}
BOTH phminposuw, "phminposuw xmm, xmm", {phminposuw DV, DV}
BOTH mpsadbw, "mpsadbw xmm, xmm, 0", {mpsadbw DV, SV, 0}

ROWS_NEED sse4_2
BOTH pcmpgtq, "pcmpgtq xmm, xmm", {pcmpgtq DV, SV}
