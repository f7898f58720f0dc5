; SPDX-License-Identifier: BSD-2-Clause
;
; Shuffles of XMM registers, legacy encodings.

FAMILY sse_shuffle

ROWS xmm
THROUGHPUT movdqa_xmm, "movdqa xmm, xmm", {movdqa DV, SV}
BOTH pshufd, "pshufd xmm, xmm, 1Bh", {pshufd DV, DV, 0x1b}
BOTH punpcklbw, "punpcklbw xmm, xmm", {punpcklbw DV, SV}
BOTH packsswb, "packsswb xmm, xmm", {packsswb DV, SV}
BOTH pslldq, "pslldq xmm, 1", {pslldq DV, 1}
BOTH shufps, "shufps xmm, xmm, 1Bh", {shufps DV, SV, 0x1b}
BOTH unpcklps, "unpcklps xmm, xmm", {unpcklps DV, SV}
BOTH movhlps, "movhlps xmm, xmm", {movhlps DV, SV}
LATENCY movq_xmm_r64, "movq to a general register and back", \
    {PAIR {movq r10, DV}, {movq DV, r10}}, 0, 0, 2
LATENCY pextrw_pinsrw, "pextrw and pinsrw", \
    {PAIR {pextrw r10d, DV, 0}, {pinsrw DV, r10d, 0}}, 0, 0, 2
THROUGHPUT pmovmskb, "pmovmskb r32, xmm", {pmovmskb D32, DV}
THROUGHPUT movmskps, "movmskps r32, xmm", {movmskps D32, DV}
THROUGHPUT movq_r64_xmm, "movq r64, xmm", {movq D64, DV}
THROUGHPUT movq_xmm_r64, "movq xmm, r64", {movq DV, S64}

ROWS_NEED sse3
BOTH movddup, "movddup xmm, xmm", {movddup DV, DV}

ROWS_NEED ssse3
BOTH pshufb, "pshufb xmm, xmm", {pshufb DV, SV}
BOTH palignr, "palignr xmm, xmm, 3", {palignr DV, SV, 3}

ROWS_NEED sse4_1
BOTH pblendw, "pblendw xmm, xmm, 55h", {pblendw DV, SV, 0x55}
BOTH insertps, "insertps xmm, xmm, 10h", {insertps DV, SV, 0x10}
LATENCY pextrq_pinsrq, "pextrq and pinsrq", {PAIR {pextrq r10, DV, 1}, {pinsrq DV, r10, 1}}, 0, 0, 2
THROUGHPUT ptest, "ptest xmm, xmm", {ptest DV, SV}
