; SPDX-License-Identifier: BSD-2-Clause
;
; Exact conversions between number formats. Kernels named *_back also convert back.

FAMILY sse_convert

ROWS xmm, ps
BOTH cvtps2dq_back, "cvtps2dq and cvtdq2ps", {PAIR {cvtps2dq DV, DV}, {cvtdq2ps DV, DV}}, 0, 0, 2
BOTH cvtps2pd_back, "cvtps2pd and cvtpd2ps", {PAIR {cvtps2pd DV, DV}, {cvtpd2ps DV, DV}}, 0, 0, 2
BOTH cvtss2sd_back, "cvtss2sd and cvtsd2ss", {PAIR {cvtss2sd DV, DV}, {cvtsd2ss DV, DV}}, 0, 0, 2
LATENCY cvttss2si_back, "cvttss2si and cvtsi2ss", \
    {PAIR {cvttss2si r10d, DV}, {cvtsi2ss DV, r10d}}, 0, 0, 2

ROWS xmm, pd
BOTH cvtpd2dq_back, "cvtpd2dq and cvtdq2pd", {PAIR {cvtpd2dq DV, DV}, {cvtdq2pd DV, DV}}, 0, 0, 2
LATENCY cvtsd2si_back, "cvtsd2si and cvtsi2sd", \
    {PAIR {cvtsd2si r10, DV}, {cvtsi2sd DV, r10}}, 0, 0, 2
THROUGHPUT cvtsd2si, "cvtsd2si r64, xmm", {cvtsd2si D64, DV}
THROUGHPUT cvtsi2sd, "cvtsi2sd xmm, r64", {cvtsi2sd DV, S64}

ROWS xmm
ROWS_NEED sse4_1
BOTH pmovzxbw, "pmovzxbw xmm, xmm", {pmovzxbw DV, DV}
