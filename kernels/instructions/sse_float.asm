; SPDX-License-Identifier: BSD-2-Clause
;
; Floating point in XMM registers, legacy encodings. Additions add 0; multiplications and divisions
; are by 1.

FAMILY sse_float

ROWS xmm, ps
BOTH addps, "addps xmm, xmm", {addps DV, ZV}
BOTH mulps, "mulps xmm, xmm", {mulps DV, SV}
BOTH divps, "divps xmm, xmm by ones", {divps DV, SV}
BOTH sqrtps, "sqrtps xmm, xmm of ones", {sqrtps DV, DV}
BOTH minps, "minps xmm, xmm", {minps DV, SV}
; The comparison gives all ones, a NaN; ANDPS turns it back into 1.0.
BOTH cmpeqps, "cmpeqps xmm, xmm, and andps", {PAIR {cmpeqps DV, SV}, {andps DV, SV}}, 0, 0, 2
BOTH rcpps, "rcpps xmm, xmm", {rcpps DV, DV}
BOTH rsqrtps, "rsqrtps xmm, xmm", {rsqrtps DV, DV}
THROUGHPUT ucomiss, "ucomiss xmm, xmm", {ucomiss DV, SV}

ROWS xmm, pd
BOTH addpd, "addpd xmm, xmm", {addpd DV, ZV}
BOTH addsd, "addsd xmm, xmm", {addsd DV, ZV}
BOTH mulpd, "mulpd xmm, xmm", {mulpd DV, SV}
BOTH mulsd, "mulsd xmm, xmm", {mulsd DV, SV}
BOTH divpd, "divpd xmm, xmm by ones", {divpd DV, SV}
BOTH divsd, "divsd xmm, xmm by 1", {divsd DV, SV}
BOTH sqrtpd, "sqrtpd xmm, xmm of ones", {sqrtpd DV, DV}
BOTH sqrtsd, "sqrtsd xmm, xmm of 1", {sqrtsd DV, DV}
BOTH maxpd, "maxpd xmm, xmm", {maxpd DV, SV}
BOTH xorpd, "xorpd xmm, xmm", {xorpd DV, ZV}
THROUGHPUT ucomisd, "ucomisd xmm, xmm", {ucomisd DV, SV}

ROWS xmm, ps
ROWS_NEED sse3
BOTH haddps, "haddps xmm, xmm", {haddps DV, ZV}
BOTH addsubps, "addsubps xmm, xmm", {addsubps DV, ZV}

ROWS_NEED sse4_1
BOTH dpps, "dpps xmm, xmm, F1h", {dpps DV, ZV, 0xf1}
BOTH roundps, "roundps xmm, xmm, 0", {roundps DV, DV, 0}
BOTH blendvps, "blendvps xmm, xmm, xmm0", {blendvps DV, SV, xmm0}
