; SPDX-License-Identifier: BSD-2-Clause
;
; From one kind of number to another: there and back, all exact.

FAMILY sse_convert

%macro PS_DQ 0
    cvtps2dq DV, DV
    cvtdq2ps DV, DV
%endmacro
%macro PS_PD 0
    cvtps2pd DV, DV
    cvtpd2ps DV, DV
%endmacro
%macro SS_SD 0
    cvtss2sd DV, DV
    cvtsd2ss DV, DV
%endmacro
%macro SD_SI 0
    cvtsd2si r10, DV
    cvtsi2sd DV, r10
%endmacro
%macro SS_SI 0
    cvttss2si r10d, DV
    cvtsi2ss DV, r10d
%endmacro
%macro PD_DQ 0
    cvtpd2dq DV, DV
    cvtdq2pd DV, DV
%endmacro

ROWS xmm, ps
BOTH cvtps2dq_back, "cvtps2dq and cvtdq2ps", {PS_DQ}, 0, 0, 2
BOTH cvtps2pd_back, "cvtps2pd and cvtpd2ps", {PS_PD}, 0, 0, 2
BOTH cvtss2sd_back, "cvtss2sd and cvtsd2ss", {SS_SD}, 0, 0, 2
LATENCY cvttss2si_back, "cvttss2si and cvtsi2ss", {SS_SI}, 0, 0, 2

ROWS xmm, pd
BOTH cvtpd2dq_back, "cvtpd2dq and cvtdq2pd", {PD_DQ}, 0, 0, 2
LATENCY cvtsd2si_back, "cvtsd2si and cvtsi2sd", {SD_SI}, 0, 0, 2
THROUGHPUT cvtsd2si, "cvtsd2si r64, xmm", {cvtsd2si D64, DV}
THROUGHPUT cvtsi2sd, "cvtsi2sd xmm, r64", {cvtsi2sd DV, S64}

ROWS xmm
ROWS_NEED sse4_1
BOTH pmovzxbw, "pmovzxbw xmm, xmm", {pmovzxbw DV, DV}
